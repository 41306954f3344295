# SPDX-License-Identifier: MIT
# Where values are: reshard, local, meshcoord, and what layouts and meshes refuse.
. "${TF_BUILD:-.}/tests/functions.sh"
. "$TF_SRC/tests/ops/run_cases.sh"
run_cases placement
finish
