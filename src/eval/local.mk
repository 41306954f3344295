# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/eval/convert.c \
	src/eval/math.c \
	$(NULL)

module_LTLIBRARIES += modules/math.la
modules_math_la_SOURCES = src/eval/math_module.c
modules_math_la_CPPFLAGS = $(AM_CPPFLAGS)
modules_math_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared $(DEFS_LDFLAGS)
modules_math_la_LIBADD = -lm
