# SPDX-License-Identifier: MIT
tilefoundry_SOURCES += \
	src/cli/args.c \
	src/cli/backend_lines.c \
	src/cli/cli.h \
	src/cli/cmd_analyze.c \
	src/cli/cmd_bench.c \
	src/cli/cmd_check.c \
	src/cli/cmd_emit.c \
	src/cli/cmd_eval.c \
	src/cli/cmd_plugin.c \
	src/cli/cmd_target.c \
	src/cli/input_options.c \
	src/cli/input_options.h \
	src/cli/program.c \
	src/cli/starter.c \
	src/cli/starter.h \
	$(NULL)
