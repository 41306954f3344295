#!/bin/sh
# SPDX-License-Identifier: MIT
# The same tests with a stack of a quarter of a megabyte: chains of values and of calls may be longer than that is deep.
ulimit -s 256 || exit 77
CK_FORK=no exec "$TF_BUILD/tests/ir/check_ir"
