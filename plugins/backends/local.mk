# SPDX-License-Identifier: MIT
plugin_LTLIBRARIES += plugins/cuda-h200.la
plugins_cuda_h200_la_SOURCES = plugins/backends/cuda-h200/plugin.c
plugins_cuda_h200_la_CPPFLAGS = $(plugin_cppflags)
plugins_cuda_h200_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/cpu-c.la
plugins_cpu_c_la_SOURCES = \
	plugins/backends/cpu-c/bodies.c \
	plugins/backends/cpu-c/bodies.h \
	plugins/backends/cpu-c/cache.c \
	plugins/backends/cpu-c/compile.c \
	plugins/backends/cpu-c/cpu_c.h \
	plugins/backends/cpu-c/digest.c \
	plugins/backends/cpu-c/elements.c \
	plugins/backends/cpu-c/lower.c \
	plugins/backends/cpu-c/lower.h \
	plugins/backends/cpu-c/moves.c \
	plugins/backends/cpu-c/numbers.c \
	plugins/backends/cpu-c/order.c \
	plugins/backends/cpu-c/plugin.c \
	plugins/backends/cpu-c/prelude.c \
	plugins/backends/cpu-c/products.c \
	plugins/backends/cpu-c/rows.c \
	plugins/backends/cpu-c/run.c \
	plugins/backends/cpu-c/run.h \
	plugins/backends/cpu-c/text.c \
	plugins/backends/cpu-c/views.c
plugins_cpu_c_la_CPPFLAGS = $(plugin_cppflags)
plugins_cpu_c_la_LDFLAGS = $(plugin_ldflags)
