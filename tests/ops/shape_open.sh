# SPDX-License-Identifier: MIT
# The moving and gathering operators over dimensions that are bound when the program is analysed.
. "$TF_BUILD/tests/functions.sh"
. "$TF_SRC/tests/ops/run_cases.sh"
CASE_FLAGS='--dim N=6'
run_cases shape_open
finish
