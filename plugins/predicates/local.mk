# SPDX-License-Identifier: MIT
plugin_LTLIBRARIES += plugins/predicates.la
plugins_predicates_la_SOURCES = \
	plugins/predicates/codes.c \
	plugins/predicates/derived.c \
	plugins/predicates/element.c \
	plugins/predicates/measure.c \
	plugins/predicates/measure.h \
	plugins/predicates/plugin.c \
	plugins/predicates/whole.c \
	$(NULL)
plugins_predicates_la_CPPFLAGS = $(plugin_cppflags)
plugins_predicates_la_LDFLAGS = $(plugin_ldflags)
