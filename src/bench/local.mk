# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/bench/agree.c \
	src/bench/apart.c \
	src/bench/bench.h \
	src/bench/calibrate.c \
	src/bench/calibrate.h \
	src/bench/figures.c \
	src/bench/json.c \
	src/bench/needed.c \
	src/bench/report.c \
	src/bench/run.c \
	src/bench/side.c \
	src/bench/spread.c \
	$(NULL)
