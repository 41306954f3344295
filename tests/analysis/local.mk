# SPDX-License-Identifier: MIT
if HAVE_CHECK
analysis_tests = \
	tests/analysis/check_amounts \
	tests/analysis/check_footprints \
	tests/analysis/check_sets \
	$(NULL)
check_PROGRAMS += $(analysis_tests)
TESTS += $(analysis_tests)
tests_analysis_check_amounts_CPPFLAGS = $(unit_cppflags)
tests_analysis_check_amounts_LDADD = $(unit_libs)
tests_analysis_check_footprints_SOURCES = \
	tests/analysis/check_footprints.c \
	tests/analysis/oracle.c \
	tests/analysis/oracle.h \
	$(NULL)
tests_analysis_check_footprints_CPPFLAGS = $(unit_cppflags)
tests_analysis_check_footprints_LDADD = $(unit_libs)
tests_analysis_check_sets_SOURCES = plugins/analyzers/memory/sets.c tests/analysis/check_sets.c
tests_analysis_check_sets_CPPFLAGS = $(analyzers_cppflags) $(CHECK_CFLAGS) -I$(top_srcdir)/plugins/analyzers/memory -UNDEBUG
tests_analysis_check_sets_LDADD = $(CHECK_LIBS)
endif

TESTS += tests/analysis/rules.sh
EXTRA_DIST += \
	tests/analysis/rules.golden \
	tests/analysis/rules.py \
	tests/analysis/rules.sh \
	$(NULL)

check_LTLIBRARIES += tests/analysis/odd.la
tests_analysis_odd_la_CPPFLAGS = $(plugin_cppflags)
tests_analysis_odd_la_LDFLAGS = $(plugin_ldflags) -rpath /nowhere
TESTS += tests/analysis/refusals.sh
EXTRA_DIST += \
	tests/analysis/full.golden \
	tests/analysis/odd.py \
	tests/analysis/refusals.golden \
	tests/analysis/refusals.sh \
	$(NULL)
