# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/type/dim.c \
	src/type/dim.h \
	src/type/dim_use.c \
	src/type/dtype.c \
	src/type/layout.c \
	src/type/mesh.c \
	src/type/print.c \
	src/type/scope.c \
	src/type/shard.c \
	src/type/table.c \
	src/type/table.h \
	src/type/type.c \
	src/type/type.h \
	$(NULL)
