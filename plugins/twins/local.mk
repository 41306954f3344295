# SPDX-License-Identifier: MIT
plugin_LTLIBRARIES += plugins/shared-object.la
plugins_shared_object_la_SOURCES = plugins/twins/shared-object/plugin.c
plugins_shared_object_la_CPPFLAGS = $(plugin_cppflags)
plugins_shared_object_la_LDFLAGS = $(plugin_ldflags)
