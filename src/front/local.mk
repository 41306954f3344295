# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/front/ast.h \
	src/front/lex.c \
	src/front/lex.h \
	src/front/lex_number.c \
	src/front/lex_string.c \
	src/front/lexer.h \
	src/front/parse.c \
	src/front/parse.h \
	src/front/parse_atom.c \
	src/front/parse_block.c \
	src/front/parse_def.c \
	src/front/parse_expr.c \
	src/front/parse_number.c \
	src/front/parse_stmt.c \
	src/front/parse_string.c \
	src/front/source.c \
	src/front/tokens.def \
	$(NULL)
