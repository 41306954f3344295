/* SPDX-License-Identifier: MIT */
#ifndef TF_TESTS_AST_DUMP_H
#define TF_TESTS_AST_DUMP_H

#include "front/ast.h"
#include "util/buf.h"

/* A statement a line, its suite indented below; expressions as (KIND parts).  places: with @line:column-line:column. */
void ast_dump(struct buf *out, const struct ast *ast, int places);

#endif
