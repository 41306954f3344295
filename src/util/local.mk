# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/util/arena.c \
	src/util/arena.h \
	src/util/blas.c \
	src/util/blas.h \
	src/util/buf.c \
	src/util/buf.h \
	src/util/ctx.c \
	src/util/ctx.h \
	src/util/diag.c \
	src/util/diag.def \
	src/util/diag.h \
	src/util/file.c \
	src/util/file.h \
	src/util/intern.c \
	src/util/intern.h \
	src/util/json_text.c \
	src/util/json_text.h \
	src/util/parallel.c \
	src/util/parallel.h \
	src/util/place.c \
	src/util/place.h \
	src/util/progress.c \
	src/util/progress.h \
	src/util/vec.h \
	$(NULL)
