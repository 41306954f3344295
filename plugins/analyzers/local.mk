# SPDX-License-Identifier: MIT

# The analyzers share header-only helpers; each is a module of its own.
analyzers_cppflags = $(plugin_cppflags) -I$(top_srcdir)/plugins/analyzers/common

plugin_LTLIBRARIES += plugins/compute-cost.la
plugins_compute_cost_la_SOURCES = \
	plugins/analyzers/common/kit.h \
	plugins/analyzers/compute-cost/compute_cost.c \
	$(NULL)
plugins_compute_cost_la_CPPFLAGS = $(analyzers_cppflags)
plugins_compute_cost_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/memory.la
plugins_memory_la_SOURCES = \
	plugins/analyzers/common/kit.h \
	plugins/analyzers/memory/footprint.c \
	plugins/analyzers/memory/lifetime.c \
	plugins/analyzers/memory/memory.h \
	plugins/analyzers/memory/plugin.c \
	plugins/analyzers/memory/roots.c \
	plugins/analyzers/memory/sets.c \
	plugins/analyzers/memory/sets.h \
	plugins/analyzers/memory/starts.c \
	plugins/analyzers/memory/traffic.c \
	plugins/analyzers/memory/views.c \
	plugins/analyzers/memory/views.h \
	$(NULL)
plugins_memory_la_CPPFLAGS = $(analyzers_cppflags)
plugins_memory_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/roofline.la
plugins_roofline_la_SOURCES = \
	plugins/analyzers/common/kit.h \
	plugins/analyzers/common/rates.h \
	plugins/analyzers/roofline/roofline.c \
	$(NULL)
plugins_roofline_la_CPPFLAGS = $(analyzers_cppflags)
plugins_roofline_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/performance.la
plugins_performance_la_SOURCES = \
	plugins/analyzers/common/kit.h \
	plugins/analyzers/common/rates.h \
	plugins/analyzers/performance/performance.c \
	$(NULL)
plugins_performance_la_CPPFLAGS = $(analyzers_cppflags)
plugins_performance_la_LDFLAGS = $(plugin_ldflags)
