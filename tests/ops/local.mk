# SPDX-License-Identifier: MIT

check_PROGRAMS += tests/ops/nn_relations
tests_ops_nn_relations_SOURCES = tests/ops/nn_relations.c
tests_ops_nn_relations_CPPFLAGS = $(unit_cppflags)
tests_ops_nn_relations_LDADD = $(unit_libs)
TESTS += tests/ops/nn_relations tests/ops/math.sh tests/ops/nn.sh
EXTRA_DIST += \
	tests/ops/math.cases \
	tests/ops/math.golden \
	tests/ops/math.sh \
	tests/ops/nn.cases \
	tests/ops/nn.golden \
	tests/ops/nn.sh \
	tests/ops/run_cases.sh \
	$(NULL)

check_PROGRAMS += tests/ops/shape_relations
tests_ops_shape_relations_SOURCES = tests/ops/shape_relations.c
tests_ops_shape_relations_CPPFLAGS = $(unit_cppflags)
tests_ops_shape_relations_LDADD = $(unit_libs)
TESTS += tests/ops/shape_relations tests/ops/shape.sh tests/ops/shape_open.sh tests/ops/reduce.sh
EXTRA_DIST += \
	tests/ops/reduce.cases \
	tests/ops/reduce.golden \
	tests/ops/reduce.sh \
	tests/ops/shape.cases \
	tests/ops/shape.golden \
	tests/ops/shape.sh \
	tests/ops/shape_open.cases \
	tests/ops/shape_open.golden \
	tests/ops/shape_open.sh \
	$(NULL)

ops_eval_tests = tests/ops/eval_shape tests/ops/eval_reduce
check_PROGRAMS += $(ops_eval_tests)
TESTS += $(ops_eval_tests)
tests_ops_eval_shape_SOURCES = tests/ops/eval_bench.h tests/ops/eval_shape.c
tests_ops_eval_shape_CPPFLAGS = $(unit_cppflags)
tests_ops_eval_shape_LDADD = $(unit_libs)
tests_ops_eval_reduce_SOURCES = tests/ops/eval_bench.h tests/ops/eval_reduce.c
tests_ops_eval_reduce_CPPFLAGS = $(unit_cppflags)
tests_ops_eval_reduce_LDADD = $(unit_libs)

check_PROGRAMS += tests/ops/bound_ends
tests_ops_bound_ends_SOURCES = tests/ops/bound_ends.c
tests_ops_bound_ends_CPPFLAGS = $(unit_cppflags)
tests_ops_bound_ends_LDADD = $(CHECK_LIBS) -lm
TESTS += tests/ops/bound_ends

check_PROGRAMS += tests/ops/check_multiply
tests_ops_check_multiply_SOURCES = tests/ops/check_multiply.c plugins/ops/nn/multiply.c plugins/ops/nn/multiply.h
tests_ops_check_multiply_CPPFLAGS = $(unit_cppflags)
tests_ops_check_multiply_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_ops_check_multiply_LDADD = $(CHECK_LIBS) -lm
TESTS += tests/ops/check_multiply
