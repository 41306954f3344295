# SPDX-License-Identifier: MIT
if HAVE_CHECK
check_PROGRAMS += tests/util/check_diag
TESTS += tests/util/check_diag
tests_util_check_diag_SOURCES = tests/util/check_diag.c
tests_util_check_diag_CPPFLAGS = $(unit_cppflags)
tests_util_check_diag_LDADD = $(unit_libs)
check_PROGRAMS += tests/util/check_blas
TESTS += tests/util/check_blas
tests_util_check_blas_SOURCES = tests/util/check_blas.c
tests_util_check_blas_CPPFLAGS = $(unit_cppflags)
tests_util_check_blas_LDADD = $(unit_libs)
endif
