# SPDX-License-Identifier: MIT
check_LTLIBRARIES += tests/bench/fake.la tests/bench/twin.la
tests_bench_fake_la_SOURCES = tests/bench/fake.c
tests_bench_fake_la_CPPFLAGS = $(plugin_cppflags)
tests_bench_fake_la_LDFLAGS = $(plugin_ldflags) -rpath /nowhere
tests_bench_twin_la_SOURCES = tests/bench/twin.c
tests_bench_twin_la_CPPFLAGS = $(plugin_cppflags)
tests_bench_twin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

TESTS += tests/bench/bench.sh tests/bench/cpu.sh
EXTRA_DIST += \
	tests/bench/add.py \
	tests/bench/against.golden \
	tests/bench/bench.sh \
	tests/bench/cpu.sh \
	tests/bench/calibrated.golden \
	tests/bench/errors.golden \
	tests/bench/json.golden \
	tests/bench/text.golden \
	$(NULL)
