# SPDX-License-Identifier: MIT
check_PROGRAMS += tests/cuda/held
TESTS += tests/cuda/held
tests_cuda_held_CPPFLAGS = $(plugin_cppflags) $(CUDA_CPPFLAGS)
