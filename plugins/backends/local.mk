# SPDX-License-Identifier: MIT
# Lowering that no language is in: compiled into each backend that generates code.
backend_common = \
	plugins/backends/common/bodies.c \
	plugins/backends/common/bodies.h \
	plugins/backends/common/elements.c \
	plugins/backends/common/head.c \
	plugins/backends/common/helpers.c \
	plugins/backends/common/lower.c \
	plugins/backends/common/lower.h \
	plugins/backends/common/moves.c \
	plugins/backends/common/nests.c \
	plugins/backends/common/numbers.c \
	plugins/backends/common/order.c \
	plugins/backends/common/products.c \
	plugins/backends/common/text.c \
	plugins/backends/common/views.c

plugin_LTLIBRARIES += plugins/cuda-h200.la
plugins_cuda_h200_la_SOURCES = $(backend_common) \
	plugins/backends/cuda-h200/compile.c \
	plugins/backends/cuda-h200/cuda.h \
	plugins/backends/cuda-h200/cuda_api.h \
	plugins/backends/cuda-h200/dialect.c \
	plugins/backends/cuda-h200/dialect.h \
	plugins/backends/cuda-h200/emit.c \
	plugins/backends/cuda-h200/library.c \
	plugins/backends/cuda-h200/measure.c \
	plugins/backends/cuda-h200/memory.c \
	plugins/backends/cuda-h200/plan.c \
	plugins/backends/cuda-h200/plugin.c \
	plugins/backends/cuda-h200/run.c
plugins_cuda_h200_la_CPPFLAGS = $(plugin_cppflags)
plugins_cuda_h200_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/cpu-c.la
plugins_cpu_c_la_SOURCES = $(backend_common) \
	plugins/backends/cpu-c/cache.c \
	plugins/backends/cpu-c/calibrate.c \
	plugins/backends/cpu-c/compile.c \
	plugins/backends/cpu-c/cpu_c.h \
	plugins/backends/cpu-c/digest.c \
	plugins/backends/cpu-c/emit.c \
	plugins/backends/cpu-c/measure.c \
	plugins/backends/cpu-c/plugin.c \
	plugins/backends/cpu-c/run.c \
	plugins/backends/cpu-c/run.h
plugins_cpu_c_la_CPPFLAGS = $(plugin_cppflags)
plugins_cpu_c_la_LDFLAGS = $(plugin_ldflags)
