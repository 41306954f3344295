# SPDX-License-Identifier: MIT
check_LTLIBRARIES += tests/check/twins.la
tests_check_twins_la_SOURCES = tests/check/twins.c
tests_check_twins_la_CPPFLAGS = $(plugin_cppflags)
tests_check_twins_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

TESTS += tests/check/check.sh tests/check/declared.sh tests/check/faults.sh
EXTRA_DIST += \
	tests/check/arbiter.json \
	tests/check/check.cases \
	tests/check/check.golden \
	tests/check/check.sh \
	tests/check/faults.golden \
	tests/check/faults.sh \
	tests/check/declared.c \
	tests/check/declared.cases \
	tests/check/declared.golden \
	tests/check/declared.sh \
	tests/check/dims.json \
	tests/check/error.json \
	tests/check/files.json \
	tests/check/steps.py \
	tests/check/wrong.json \
	tests/check/wrong.py \
	$(NULL)

if HAVE_CHECK
check_PROGRAMS += \
	tests/check/check_cases \
	tests/check/check_judge \
	tests/check/check_predicates \
	tests/check/check_twin \
	tests/check/check_wrong \
	$(NULL)
TESTS += \
	tests/check/check_cases \
	tests/check/check_judge \
	tests/check/check_predicates \
	tests/check/check_twin \
	tests/check/check_wrong \
	$(NULL)
tests_check_check_cases_SOURCES = tests/check/check_cases.c tests/context.h
tests_check_check_cases_CPPFLAGS = $(unit_cppflags)
tests_check_check_cases_LDADD = $(unit_libs) -lm
tests_check_check_judge_SOURCES = tests/check/check_judge.c tests/context.h
tests_check_check_judge_CPPFLAGS = $(unit_cppflags)
tests_check_check_judge_LDADD = $(unit_libs)
tests_check_check_predicates_SOURCES = tests/check/check_predicates.c
tests_check_check_predicates_CPPFLAGS = $(unit_cppflags)
tests_check_check_predicates_LDADD = $(unit_libs)
tests_check_check_twin_SOURCES = tests/check/check_twin.c
tests_check_check_twin_CPPFLAGS = $(unit_cppflags)
tests_check_check_twin_LDADD = $(unit_libs)
tests_check_check_wrong_SOURCES = tests/context.h tests/check/check_wrong.c tests/eval/enclosed.h src/eval/math_module.c
tests_check_check_wrong_CPPFLAGS = $(unit_cppflags)
tests_check_check_wrong_LDADD = $(unit_libs) -lm
endif
