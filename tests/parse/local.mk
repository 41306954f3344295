# SPDX-License-Identifier: MIT
check_PROGRAMS += tests/parse/check_parse
TESTS += tests/parse/check_parse
tests_parse_check_parse_SOURCES = \
	tests/parse/ast_dump.c \
	tests/parse/ast_dump.h \
	tests/parse/check_parse.c \
	$(NULL)
tests_parse_check_parse_CPPFLAGS = $(unit_cppflags)
tests_parse_check_parse_LDADD = $(unit_libs)
EXTRA_DIST += $(wildcard $(srcdir)/tests/parse/cases/*)
