# SPDX-License-Identifier: MIT
check_PROGRAMS += tests/ir/check_ir
tests_ir_check_ir_SOURCES = \
	tests/ir/check_build.c \
	tests/ir/check_inline.c \
	tests/ir/check_ir.c \
	tests/ir/check_program.c \
	tests/ir/check_verify.c \
	tests/ir/check_walk.c \
	tests/ir/fake.c \
	tests/ir/fake.h \
	$(NULL)
tests_ir_check_ir_CPPFLAGS = $(unit_cppflags)
tests_ir_check_ir_LDADD = $(unit_libs)
TESTS += tests/ir/check_ir tests/ir/deep.sh tests/ir/refuse.sh
EXTRA_DIST += \
	tests/ir/deep.sh \
	tests/ir/refuse.err \
	tests/ir/refuse.sh \
	tests/ir/refuse/cases \
	$(wildcard $(srcdir)/tests/ir/refuse/*.py) \
	$(NULL)
