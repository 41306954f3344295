# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/eval/bound.c \
	src/eval/bound.h \
	src/eval/by_rows.c \
	src/eval/convert.c \
	src/eval/draw.c \
	src/eval/draw.h \
	src/eval/draw_adversarial.c \
	src/eval/draw_adversarial.h \
	src/eval/explain.c \
	src/eval/explain.h \
	src/eval/files.c \
	src/eval/files.h \
	src/eval/inputs.c \
	src/eval/inputs.h \
	src/eval/json.h \
	src/eval/loop.c \
	src/eval/math.c \
	src/eval/nodes.c \
	src/eval/npy.c \
	src/eval/number.c \
	src/eval/operator.c \
	src/eval/origin.c \
	src/eval/origin.h \
	src/eval/params.c \
	src/eval/points.c \
	src/eval/points.h \
	src/eval/raw.c \
	src/eval/row_blocks.c \
	src/eval/row_blocks.h \
	src/eval/rows.c \
	src/eval/rows.h \
	src/eval/run.c \
	src/eval/run.h \
	src/eval/runner.c \
	src/eval/runner.h \
	src/eval/safetensors.c \
	src/eval/schedule.c \
	src/eval/schedule.h \
	src/eval/space.c \
	src/eval/space.h \
	src/eval/tensor.c \
	src/eval/tensor.h \
	src/eval/value.c \
	src/eval/value.h \
	$(NULL)

# The mathematical library and the JSON library stay out of runs that do not evaluate.
module_LTLIBRARIES += modules/math.la modules/header.la
modules_math_la_SOURCES = src/eval/math_module.c
modules_math_la_CPPFLAGS = $(AM_CPPFLAGS)
modules_math_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared $(DEFS_LDFLAGS)
modules_math_la_LIBADD = -lm
modules_header_la_SOURCES = src/eval/json_module.c src/eval/json.h
modules_header_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
modules_header_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared $(DEFS_LDFLAGS)
modules_header_la_LIBADD = $(JANSSON_LIBS)
