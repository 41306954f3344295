# SPDX-License-Identifier: MIT
check_LTLIBRARIES += tests/run/paths.la
tests_run_paths_la_SOURCES = tests/run/paths.c
tests_run_paths_la_CPPFLAGS = $(plugin_cppflags)
tests_run_paths_la_LDFLAGS = $(plugin_ldflags) -rpath /nowhere

TESTS += tests/run/run.sh
EXTRA_DIST += \
	tests/run/one.py tests/run/over.py \
	tests/run/run.golden \
	tests/run/run.sh \
	$(NULL)
