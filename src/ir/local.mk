# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/ir/amounts.c \
	src/ir/amounts.h \
	src/ir/bind.c \
	src/ir/bind.h \
	src/ir/boxes.c \
	src/ir/build.c \
	src/ir/build.h \
	src/ir/carry.c \
	src/ir/carry.h \
	src/ir/copy.c \
	src/ir/copy.h \
	src/ir/dims.c \
	src/ir/grow.h \
	src/ir/inline.c \
	src/ir/instance.c \
	src/ir/ir.h \
	src/ir/levels.c \
	src/ir/levels.h \
	src/ir/module.c \
	src/ir/nest.c \
	src/ir/program.c \
	src/ir/ptr_map.c \
	src/ir/ptr_map.h \
	src/ir/relation.c \
	src/ir/relation.h \
	src/ir/storages.c \
	src/ir/varies.c \
	src/ir/varies.h \
	src/ir/verify.c \
	src/ir/walk.c \
	src/ir/weights.c \
	src/ir/weights.h \
	$(NULL)
