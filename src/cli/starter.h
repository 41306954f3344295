/* SPDX-License-Identifier: MIT
 * `plugin new`: a folder with a plugin to start from.
 */
#ifndef TF_CLI_STARTER_H
#define TF_CLI_STARTER_H

#include "util/ctx.h"

/* Makes the folder, which must not exist; its last part names the plugin.  0, or TF_E_REFUSED after a diagnostic. */
int starter_write(tf_ctx *ctx, const char *folder);

#endif
