# SPDX-License-Identifier: MIT
eval_unit_tests = \
	tests/eval/check_adversarial \
	tests/eval/check_bound \
	tests/eval/check_bound_all \
	tests/eval/check_bound_nn \
	tests/eval/check_bound_rows \
	tests/eval/check_walk \
	tests/eval/check_convert \
	tests/eval/check_draw \
	tests/eval/check_rows \
	$(NULL)
check_PROGRAMS += $(eval_unit_tests)
TESTS += $(eval_unit_tests)
TESTS += \
	tests/eval/files.sh \
	tests/eval/products.sh \
	tests/eval/values.sh \
	$(NULL)
EXTRA_DIST += \
	tests/eval/bound.py \
	tests/eval/bound_ops.py \
	tests/eval/bound_rows.py \
	tests/eval/walk.py \
	tests/eval/files.golden \
	tests/eval/files.sh \
	tests/eval/products.py \
	tests/eval/products.sh \
	tests/eval/rows.py \
	tests/eval/usage.golden \
	tests/eval/values.golden \
	tests/eval/values.py \
	tests/eval/values.sh \
	$(NULL)
tests_eval_check_convert_CPPFLAGS = $(unit_cppflags)
tests_eval_check_convert_LDADD = $(unit_libs) -lm
tests_eval_check_draw_SOURCES = tests/eval/check_draw.c src/eval/math_module.c
tests_eval_check_draw_CPPFLAGS = $(unit_cppflags)
tests_eval_check_draw_LDADD = $(unit_libs) -lm
tests_eval_check_adversarial_SOURCES = tests/eval/check_adversarial.c src/eval/math_module.c
tests_eval_check_adversarial_CPPFLAGS = $(unit_cppflags)
tests_eval_check_adversarial_LDADD = $(unit_libs) -lm
tests_eval_check_walk_SOURCES = tests/context.h tests/eval/check_walk.c tests/eval/enclosed.h src/eval/math_module.c
tests_eval_check_walk_CPPFLAGS = $(unit_cppflags)
tests_eval_check_walk_LDADD = $(unit_libs) -lm
tests_eval_check_bound_SOURCES = tests/context.h tests/eval/check_bound.c tests/eval/enclosed.h src/eval/math_module.c
tests_eval_check_bound_CPPFLAGS = $(unit_cppflags)
tests_eval_check_bound_LDADD = $(unit_libs) -lm
tests_eval_check_bound_nn_SOURCES = tests/context.h tests/eval/check_bound_nn.c tests/eval/enclosed.h src/eval/math_module.c
tests_eval_check_bound_nn_CPPFLAGS = $(unit_cppflags)
tests_eval_check_bound_nn_LDADD = $(unit_libs) -lm
tests_eval_check_rows_SOURCES = tests/context.h tests/eval/check_rows.c tests/eval/enclosed.h src/eval/math_module.c
tests_eval_check_rows_CPPFLAGS = $(unit_cppflags)
tests_eval_check_rows_LDADD = $(unit_libs) -lm
tests_eval_check_bound_rows_SOURCES = tests/context.h tests/eval/check_bound_rows.c tests/eval/enclosed.h src/eval/math_module.c
tests_eval_check_bound_rows_CPPFLAGS = $(unit_cppflags)
tests_eval_check_bound_rows_LDADD = $(unit_libs) -lm
tests_eval_check_bound_all_SOURCES = tests/context.h tests/eval/check_bound_all.c tests/eval/enclosed.h src/eval/math_module.c
tests_eval_check_bound_all_CPPFLAGS = $(unit_cppflags)
tests_eval_check_bound_all_LDADD = $(unit_libs) -lm
