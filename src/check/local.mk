# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/check/arbiter.c \
	src/check/backend.c \
	src/check/backend.h \
	src/check/check.h \
	src/check/child.c \
	src/check/declare.c \
	src/check/declare.h \
	src/check/excuse.c \
	src/check/explain.c \
	src/check/explain.h \
	src/check/files.c \
	src/check/guard.c \
	src/check/hardware.c \
	src/check/json.c \
	src/check/judge.c \
	src/check/judging.c \
	src/check/judging.h \
	src/check/mutant.c \
	src/check/mutant.h \
	src/check/orphans.c \
	src/check/orphans.h \
	src/check/outputs.c \
	src/check/report.c \
	src/check/request.c \
	src/check/run.c \
	src/check/run.h \
	src/check/twin.c \
	src/check/twin.h \
	$(NULL)
