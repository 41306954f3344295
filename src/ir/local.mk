# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/ir/amounts.c \
	src/ir/amounts.h \
	src/ir/boxes.c \
	src/ir/relation.c \
	src/ir/relation.h \
	$(NULL)
