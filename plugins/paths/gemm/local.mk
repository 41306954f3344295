# SPDX-License-Identifier: MIT
plugin_LTLIBRARIES += plugins/gemm.la
plugins_gemm_la_SOURCES = \
	plugins/paths/common/cpuparts.h \
	plugins/paths/common/pathkit.h \
	plugins/paths/gemm/eval.c \
	plugins/paths/gemm/gemm.h \
	plugins/paths/gemm/lower.c \
	plugins/paths/gemm/match.c \
	plugins/paths/gemm/plugin.c \
	$(NULL)
# What follows a product is rounded after each operation; its sums are of products that f64 holds.
plugins_gemm_la_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
plugins_gemm_la_CPPFLAGS = $(paths_cppflags) -I$(top_builddir)/plugins/paths/gemm
plugins_gemm_la_LDFLAGS = $(plugin_ldflags)

# The kernel's own text, as a string of C.
BUILT_SOURCES += plugins/paths/gemm/kernel.h
CLEANFILES += plugins/paths/gemm/kernel.h
EXTRA_DIST += plugins/paths/gemm/kernel.inc
plugins/paths/gemm/kernel.h: plugins/paths/gemm/kernel.inc
	$(AM_V_GEN)$(MKDIR_P) plugins/paths/gemm && { echo 'static const char gemm_kernel[] = "\n"'; \
	$(SED) -e 's/[\\"]/\\&/g' -e 's/.*/    "&\\n"/' $(srcdir)/plugins/paths/gemm/kernel.inc; echo '    "";'; } > $@.tmp && \
	mv $@.tmp $@
