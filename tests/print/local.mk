# SPDX-License-Identifier: MIT
check_PROGRAMS += tests/print/check_print
TESTS += tests/print/check_print
tests_print_check_print_SOURCES = \
	tests/print/check_print.c \
	tests/print/hir_equal.c \
	tests/print/hir_equal.h \
	tests/print/random_program.c \
	tests/print/random_program.h \
	$(NULL)
tests_print_check_print_CPPFLAGS = $(unit_cppflags)
tests_print_check_print_LDADD = $(unit_libs)
EXTRA_DIST += $(wildcard $(srcdir)/tests/print/cases/*)
