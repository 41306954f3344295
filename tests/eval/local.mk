# SPDX-License-Identifier: MIT
eval_unit_tests = \
	tests/eval/check_convert \
	$(NULL)
check_PROGRAMS += $(eval_unit_tests)
TESTS += $(eval_unit_tests)
tests_eval_check_convert_CPPFLAGS = $(unit_cppflags)
tests_eval_check_convert_LDADD = $(unit_libs) -lm
