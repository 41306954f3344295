# SPDX-License-Identifier: MIT
# Products, convolution, activations, normalisations and rotary embedding: types, work, traffic and refusals.
. "$TF_BUILD/tests/functions.sh"
. "$TF_SRC/tests/ops/run_cases.sh"
run_cases nn
finish
