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
