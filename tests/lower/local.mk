# SPDX-License-Identifier: MIT
check_PROGRAMS += tests/lower/check_static
TESTS += \
	tests/lower/accept.sh \
	tests/lower/check_static \
	tests/lower/codes.sh \
	tests/lower/limits.sh \
	tests/lower/load.sh \
	tests/lower/refuse.sh \
	$(NULL)
tests_lower_check_static_SOURCES = tests/lower/check_static.c
tests_lower_check_static_CPPFLAGS = $(unit_cppflags)
tests_lower_check_static_LDADD = $(unit_libs)
EXTRA_DIST += \
	tests/lower/accept.sh \
	tests/lower/codes.sh \
	tests/lower/limits.sh \
	tests/lower/load.cases \
	tests/lower/load.err \
	tests/lower/load.sh \
	tests/lower/refuse.sh \
	$(wildcard $(srcdir)/tests/lower/accept/*) \
	$(wildcard $(srcdir)/tests/lower/load/*.py) \
	$(wildcard $(srcdir)/tests/lower/refuse/*) \
	$(NULL)
