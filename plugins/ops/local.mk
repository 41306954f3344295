# SPDX-License-Identifier: MIT

# The operator families share header-only helpers; each is a module of its own.
ops_cppflags = $(plugin_cppflags) -I$(top_srcdir)/plugins/ops/common

plugin_LTLIBRARIES += plugins/ops-math.la
plugins_ops_math_la_SOURCES = \
	plugins/ops/common/evalkit.h \
	plugins/ops/common/opkit.h \
	plugins/ops/common/boundkit.h \
	plugins/ops/math/binary.c \
	plugins/ops/math/bound.c \
	plugins/ops/math/bound.h \
	plugins/ops/math/cast.c \
	plugins/ops/math/clamp.c \
	plugins/ops/math/elementwise.h \
	plugins/ops/math/eval.h \
	plugins/ops/math/eval_binary.c \
	plugins/ops/math/eval_convert.c \
	plugins/ops/math/eval_unary.c \
	plugins/ops/math/plugin.c \
	plugins/ops/math/unary.c \
	plugins/ops/math/where.c \
	$(NULL)
plugins_ops_math_la_CPPFLAGS = $(ops_cppflags)
plugins_ops_math_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/ops-nn.la
plugins_ops_nn_la_SOURCES = \
	plugins/ops/common/evalkit.h \
	plugins/ops/common/opkit.h \
	plugins/ops/common/boundkit.h \
	plugins/ops/common/boundsteps.h \
	plugins/ops/nn/activation.c \
	plugins/ops/nn/bound_activation.c \
	plugins/ops/nn/bound_conv2d.c \
	plugins/ops/nn/conv2d.c \
	plugins/ops/nn/conv2d_shard.c \
	plugins/ops/nn/conv2d_taps.h \
	plugins/ops/nn/eval.h \
	plugins/ops/nn/eval_activation.c \
	plugins/ops/nn/eval_conv2d.c \
	plugins/ops/nn/blas.c \
	plugins/ops/nn/bound_matmul.c \
	plugins/ops/nn/bound_norm.c \
	plugins/ops/nn/bound_rope.c \
	plugins/ops/nn/bound_softmax.c \
	plugins/ops/nn/bound_walk.c \
	plugins/ops/nn/bound_walk.h \
	plugins/ops/nn/eval_matmul.c \
	plugins/ops/nn/eval_norm.c \
	plugins/ops/nn/eval_rope.c \
	plugins/ops/nn/matmul.c \
	plugins/ops/nn/multiply.c \
	plugins/ops/nn/multiply.h \
	plugins/ops/nn/nn.h \
	plugins/ops/nn/norm.c \
	plugins/ops/nn/plugin.c \
	plugins/ops/nn/rope.c \
	$(NULL)
plugins_ops_nn_la_CPPFLAGS = $(ops_cppflags)
# A product that needs rounding is rounded on every machine, though some could fuse it with its sum.
plugins_ops_nn_la_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
plugins_ops_nn_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/ops-shape.la
plugins_ops_shape_la_SOURCES = \
	plugins/ops/common/arraykit.h \
	plugins/ops/common/boundkit.h \
	plugins/ops/common/evalkit.h \
	plugins/ops/common/opkit.h \
	plugins/ops/common/shapekit.h \
	plugins/ops/shape/create.c \
	plugins/ops/shape/eval_make.c \
	plugins/ops/shape/eval_move.c \
	plugins/ops/shape/eval_window.c \
	plugins/ops/shape/insert.c \
	plugins/ops/shape/join.c \
	plugins/ops/shape/plugin.c \
	plugins/ops/shape/repeat.c \
	plugins/ops/shape/reshape.c \
	plugins/ops/shape/shape.h \
	plugins/ops/shape/slice.c \
	plugins/ops/shape/split.c \
	plugins/ops/shape/transpose.c \
	$(NULL)
plugins_ops_shape_la_CPPFLAGS = $(ops_cppflags)
plugins_ops_shape_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/ops-reduce.la
plugins_ops_reduce_la_SOURCES = \
	plugins/ops/common/arraykit.h \
	plugins/ops/common/boundkit.h \
	plugins/ops/common/boundsteps.h \
	plugins/ops/common/opkit.h \
	plugins/ops/common/shapekit.h \
	plugins/ops/reduce/bound_choice.c \
	plugins/ops/reduce/bound_index.c \
	plugins/ops/reduce/bound_quant.c \
	plugins/ops/reduce/bound_reduce.h \
	plugins/ops/reduce/eval_fold.c \
	plugins/ops/reduce/eval_fold.h \
	plugins/ops/reduce/eval_index.c \
	plugins/ops/reduce/eval_quant.c \
	plugins/ops/reduce/bound_reduce.c \
	plugins/ops/reduce/eval_reduce.c \
	plugins/ops/reduce/eval_topk.c \
	plugins/ops/reduce/index.c \
	plugins/ops/reduce/plugin.c \
	plugins/ops/reduce/quant.c \
	plugins/ops/reduce/reduce.h \
	plugins/ops/reduce/reduction.c \
	plugins/ops/reduce/topk.c \
	$(NULL)
plugins_ops_reduce_la_CPPFLAGS = $(ops_cppflags)
plugins_ops_reduce_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/ops-placement.la
plugins_ops_placement_la_SOURCES = \
	plugins/ops/common/arraykit.h \
	plugins/ops/common/opkit.h \
	plugins/ops/placement/eval_place.c \
	plugins/ops/placement/local.c \
	plugins/ops/placement/meshcoord.c \
	plugins/ops/placement/placement.h \
	plugins/ops/placement/plugin.c \
	plugins/ops/placement/reshard.c \
	$(NULL)
plugins_ops_placement_la_CPPFLAGS = $(ops_cppflags)
plugins_ops_placement_la_LDFLAGS = $(plugin_ldflags)
