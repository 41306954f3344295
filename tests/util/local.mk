# SPDX-License-Identifier: MIT
if HAVE_CHECK
check_PROGRAMS += tests/util/check_diag
TESTS += tests/util/check_diag
tests_util_check_diag_SOURCES = tests/util/check_diag.c
tests_util_check_diag_CPPFLAGS = $(unit_cppflags)
tests_util_check_diag_LDADD = $(unit_libs)
endif
