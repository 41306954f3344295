# SPDX-License-Identifier: MIT
check_PROGRAMS += tests/cuda/held
TESTS += tests/cuda/held
tests_cuda_held_CPPFLAGS = $(plugin_cppflags) $(CUDA_CPPFLAGS)

# files of the backend that neither the driver nor the rest of the plugin is needed for
cuda_parts = \
	plugins/backends/cuda-h200/compile.c \
	plugins/backends/cuda-h200/library.c \
	plugins/backends/cuda-h200/plan.c
check_PROGRAMS += tests/cuda/compile tests/cuda/plan
TESTS += tests/cuda/kernels.sh tests/cuda/launches.sh tests/cuda/missing.sh tests/cuda/plan.sh
tests_cuda_compile_SOURCES = tests/cuda/compile.c tests/cuda/fake.h $(cuda_parts)
tests_cuda_compile_CPPFLAGS = $(plugin_cppflags)
tests_cuda_plan_SOURCES = tests/cuda/plan.c tests/cuda/fake.h plugins/backends/cuda-h200/plan.c
tests_cuda_plan_CPPFLAGS = $(plugin_cppflags)

EXTRA_DIST += \
	tests/cuda/kernels.sh \
	tests/cuda/launches.golden \
	tests/cuda/launches.sh \
	tests/cuda/missing.sh \
	tests/cuda/plan.cases \
	tests/cuda/plan.golden \
	tests/cuda/plan.sh
