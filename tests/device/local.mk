# SPDX-License-Identifier: MIT
# What runs on a device, and skips with the reason where there is none: part of `make check`, or alone.
device_tests = \
	tests/device/bench.sh \
	tests/device/ops.sh \
	tests/device/paths.sh \
	tests/device/steps.sh \
	tests/device/stray.sh
TESTS += $(device_tests)
check-device:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(device_tests)'
.PHONY: check-device

check_PROGRAMS += tests/device/stray
tests_device_stray_SOURCES = tests/device/stray.c tests/cuda/fake.h $(cuda_parts) \
	plugins/backends/cuda-h200/measure.c \
	plugins/backends/cuda-h200/memory.c \
	plugins/backends/cuda-h200/run.c
tests_device_stray_CPPFLAGS = $(plugin_cppflags)

EXTRA_DIST += $(device_tests) tests/device/device.sh
