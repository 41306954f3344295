# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/report/json.c \
	src/report/records.c \
	src/report/report.h \
	src/report/run.c \
	src/report/store.h \
	src/report/text.c \
	src/report/tree.c \
	src/report/tree.h \
	$(NULL)

module_LTLIBRARIES += modules/json.la
modules_json_la_SOURCES = src/report/json_module.c
modules_json_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
modules_json_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared $(DEFS_LDFLAGS)
modules_json_la_LIBADD = $(JANSSON_LIBS)
