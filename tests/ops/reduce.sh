# SPDX-License-Identifier: MIT
# Operators that gather, select and sum along an axis: types, work, traffic and refusals.
. "$TF_BUILD/tests/functions.sh"
. "$TF_SRC/tests/ops/run_cases.sh"
run_cases reduce
finish
