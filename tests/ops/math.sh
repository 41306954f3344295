# SPDX-License-Identifier: MIT
# Elementwise operators: types, work, traffic and refusals.
. "$TF_BUILD/tests/functions.sh"
. "$TF_SRC/tests/ops/run_cases.sh"
run_cases math
finish
