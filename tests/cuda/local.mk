# SPDX-License-Identifier: MIT
check_PROGRAMS += tests/cuda/held
TESTS += tests/cuda/held
tests_cuda_held_CPPFLAGS = $(plugin_cppflags) $(CUDA_CPPFLAGS)

# files of the backend that neither the driver nor the rest of the plugin is needed for
cuda_parts = \
	plugins/backends/cuda-h200/compile.c \
	plugins/backends/cuda-h200/library.c \
	plugins/backends/cuda-h200/plan.c
check_PROGRAMS += tests/cuda/compile
TESTS += tests/cuda/kernels.sh
tests_cuda_compile_SOURCES = tests/cuda/compile.c tests/cuda/fake.h $(cuda_parts)
tests_cuda_compile_CPPFLAGS = $(plugin_cppflags)

EXTRA_DIST += tests/cuda/kernels.sh
