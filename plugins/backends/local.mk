# SPDX-License-Identifier: MIT
plugin_LTLIBRARIES += plugins/cuda-h200.la
plugins_cuda_h200_la_SOURCES = plugins/backends/cuda-h200/plugin.c
plugins_cuda_h200_la_CPPFLAGS = $(plugin_cppflags)
plugins_cuda_h200_la_LDFLAGS = $(plugin_ldflags)
