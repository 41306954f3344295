# SPDX-License-Identifier: MIT
# Operators that cut, join, turn and make values: types, traffic and refusals.
. "$TF_BUILD/tests/functions.sh"
. "$TF_SRC/tests/ops/run_cases.sh"
run_cases shape
finish
