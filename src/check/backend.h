/* SPDX-License-Identifier: MIT
 * A lowered program as a candidate: compiled here, run where twins run.
 */
#ifndef TF_CHECK_BACKEND_H
#define TF_CHECK_BACKEND_H

#include "check/twin.h"
#include "plugin/lowered.h"

/* Lowers and compiles; 0, or CHECK_ERROR after a diagnostic. */
int backend_open(
    tf_ctx *ctx, const struct tf_program *program, const struct lowering_request *request, struct lowered *lowered);
/* What stands for the compiled program among twins. */
const struct tf_twin *backend_twin(void);
void backend_close(tf_ctx *ctx);

#endif
