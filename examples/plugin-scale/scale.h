/* SPDX-License-Identifier: MIT */
#ifndef PLUGIN_SCALE_H
#define PLUGIN_SCALE_H

#include <tilefoundry/plugin.h>

extern const struct tf_op op_scale;
extern const struct tf_analyzer analyzer_census;

#endif
