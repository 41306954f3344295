# SPDX-License-Identifier: MIT
if HAVE_CHECK
check_PROGRAMS += tests/check/check_predicates
TESTS += tests/check/check_predicates
tests_check_check_predicates_SOURCES = tests/check/check_predicates.c
tests_check_check_predicates_CPPFLAGS = $(unit_cppflags)
tests_check_check_predicates_LDADD = $(unit_libs)
endif
