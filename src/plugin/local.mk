# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/plugin/check.c \
	src/plugin/claims.c \
	src/plugin/claims.h \
	src/plugin/host.c \
	src/plugin/index.c \
	src/plugin/load.c \
	src/plugin/module.h \
	src/plugin/records.h \
	src/plugin/registry.c \
	src/plugin/registry.h \
	src/plugin/search.c \
	$(NULL)
