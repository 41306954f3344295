# SPDX-License-Identifier: MIT
if HAVE_CHECK
type_tests = \
	tests/type/check_dim \
	tests/type/check_layout \
	tests/type/check_mesh \
	tests/type/check_placement \
	tests/type/check_print \
	tests/type/check_shard \
	tests/type/check_type \
	$(NULL)
check_PROGRAMS += $(type_tests)
TESTS += $(type_tests)
tests_type_check_dim_SOURCES = tests/type/check_dim.c tests/type/support.h
tests_type_check_dim_CPPFLAGS = $(unit_cppflags)
tests_type_check_dim_LDADD = $(unit_libs)
tests_type_check_layout_SOURCES = tests/type/check_layout.c tests/type/support.h
tests_type_check_layout_CPPFLAGS = $(unit_cppflags)
tests_type_check_layout_LDADD = $(unit_libs)
tests_type_check_mesh_SOURCES = tests/type/check_mesh.c tests/type/support.h
tests_type_check_mesh_CPPFLAGS = $(unit_cppflags)
tests_type_check_mesh_LDADD = $(unit_libs)
# The operators are linked in: the test is their host.
tests_type_check_placement_SOURCES = \
	plugins/ops/placement/eval_place.c \
	plugins/ops/placement/local.c \
	plugins/ops/placement/meshcoord.c \
	plugins/ops/placement/plugin.c \
	plugins/ops/placement/reshard.c \
	tests/type/check_placement.c \
	tests/type/support.h \
	$(NULL)
tests_type_check_placement_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/plugins/ops/common
tests_type_check_placement_LDADD = $(unit_libs)
tests_type_check_print_SOURCES = tests/type/check_print.c tests/type/support.h
tests_type_check_print_CPPFLAGS = $(unit_cppflags)
tests_type_check_print_LDADD = $(unit_libs)
tests_type_check_shard_SOURCES = tests/type/check_shard.c tests/type/support.h
tests_type_check_shard_CPPFLAGS = $(unit_cppflags)
tests_type_check_shard_LDADD = $(unit_libs)
tests_type_check_type_SOURCES = tests/type/check_type.c tests/type/support.h
tests_type_check_type_CPPFLAGS = $(unit_cppflags)
tests_type_check_type_LDADD = $(unit_libs)
endif
TESTS += tests/ops/placement.sh
EXTRA_DIST += \
	tests/ops/placement.cases \
	tests/ops/placement.golden \
	tests/ops/placement.sh \
	$(NULL)
