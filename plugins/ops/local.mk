# SPDX-License-Identifier: MIT

# The operator families share header-only helpers; each is a module of its own.
ops_cppflags = $(plugin_cppflags) -I$(top_srcdir)/plugins/ops/common

plugin_LTLIBRARIES += plugins/ops-math.la
plugins_ops_math_la_SOURCES = \
	plugins/ops/common/opkit.h \
	plugins/ops/math/binary.c \
	plugins/ops/math/cast.c \
	plugins/ops/math/clamp.c \
	plugins/ops/math/elementwise.h \
	plugins/ops/math/plugin.c \
	plugins/ops/math/unary.c \
	plugins/ops/math/where.c \
	$(NULL)
plugins_ops_math_la_CPPFLAGS = $(ops_cppflags)
plugins_ops_math_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/ops-nn.la
plugins_ops_nn_la_SOURCES = \
	plugins/ops/common/opkit.h \
	plugins/ops/nn/activation.c \
	plugins/ops/nn/conv2d.c \
	plugins/ops/nn/conv2d_shard.c \
	plugins/ops/nn/matmul.c \
	plugins/ops/nn/nn.h \
	plugins/ops/nn/norm.c \
	plugins/ops/nn/plugin.c \
	plugins/ops/nn/rope.c \
	$(NULL)
plugins_ops_nn_la_CPPFLAGS = $(ops_cppflags)
plugins_ops_nn_la_LDFLAGS = $(plugin_ldflags)
