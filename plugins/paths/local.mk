# SPDX-License-Identifier: MIT
# Each path is a module of its own; they share header-only helpers.
paths_cppflags = $(plugin_cppflags) -I$(top_srcdir)/plugins/paths/common -I$(top_builddir)/plugins/paths/common

# The kernel of rows for cuda-h200, as a string of C.
BUILT_SOURCES += plugins/paths/common/rows_text.h
CLEANFILES += plugins/paths/common/rows_text.h
EXTRA_DIST += plugins/paths/common/rows.cu
plugins/paths/common/rows_text.h: plugins/paths/common/rows.cu
	$(AM_V_GEN)$(MKDIR_P) plugins/paths/common && { echo 'static const char rows_cu[] = "\n"'; \
	$(SED) -e 's/[\\"]/\\&/g' -e 's/.*/    "&\\n"/' $(srcdir)/plugins/paths/common/rows.cu; echo '    "";'; } > $@.tmp && \
	mv $@.tmp $@

plugin_LTLIBRARIES += plugins/fp8-quant.la
plugins_fp8_quant_la_SOURCES = \
	plugins/paths/common/cpuparts.h \
	plugins/paths/common/pathkit.h \
	plugins/paths/common/rowscu.h \
	plugins/paths/fp8-quant/chain.c \
	plugins/paths/fp8-quant/cuda.c \
	plugins/paths/fp8-quant/eval.c \
	plugins/paths/fp8-quant/lower.c \
	plugins/paths/fp8-quant/match.c \
	plugins/paths/fp8-quant/plugin.c \
	plugins/paths/fp8-quant/quant.h \
	plugins/paths/fp8-quant/steps.c \
	$(NULL)
plugins_fp8_quant_la_CPPFLAGS = $(paths_cppflags)
plugins_fp8_quant_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/fused-norm.la
plugins_fused_norm_la_SOURCES = \
	plugins/paths/common/cpuparts.h \
	plugins/paths/common/pathkit.h \
	plugins/paths/common/rowscu.h \
	plugins/paths/fused-norm/cuda.c \
	plugins/paths/fused-norm/eval.c \
	plugins/paths/fused-norm/express.c \
	plugins/paths/fused-norm/lower.c \
	plugins/paths/fused-norm/lower.h \
	plugins/paths/fused-norm/match.c \
	plugins/paths/fused-norm/measure.c \
	plugins/paths/fused-norm/numbers.c \
	plugins/paths/fused-norm/plan.c \
	plugins/paths/fused-norm/plugin.c \
	plugins/paths/fused-norm/read.c \
	plugins/paths/fused-norm/row.c \
	plugins/paths/fused-norm/rows.h \
	$(NULL)
plugins_fused_norm_la_CPPFLAGS = $(paths_cppflags)
plugins_fused_norm_la_LDFLAGS = $(plugin_ldflags)
