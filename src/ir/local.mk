# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/ir/amounts.c \
	src/ir/amounts.h \
	src/ir/boxes.c \
	src/ir/build.c \
	src/ir/build.h \
	src/ir/carry.c \
	src/ir/carry.h \
	src/ir/grow.h \
	src/ir/ir.h \
	src/ir/module.c \
	src/ir/nest.c \
	src/ir/ptr_map.c \
	src/ir/ptr_map.h \
	src/ir/relation.c \
	src/ir/relation.h \
	src/ir/walk.c \
	$(NULL)
