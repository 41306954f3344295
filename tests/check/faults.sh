#!/bin/sh
# SPDX-License-Identifier: MIT
# The example's faults, each found and named.
. "${TF_BUILD:?}/tests/functions.sh"
CC=${CC:-cc}
requires "${CC%% *}"
cd "$scratch"
cp "$TF_SRC/examples/rms_norm_quant.py" .
$CC -O1 -ffp-contract=off -shared -fPIC -I "$TF_SRC/include" -o faults.so "$TF_SRC/examples/rms_norm_quant_faults.c" -lm ||
    fail "the example does not compile"
for fault in $(sed -n 's/^TF_TWIN(\(.*\))$/\1/p' "$TF_SRC/examples/rms_norm_quant_faults.c"); do
    expect_status 1 "$TF" check rms_norm_quant.py:Fused --twin "./faults.so:$fault" --inputs random --weights random \
        --out 'output[0]' --fn equal --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6
    { echo "== $fault"; sed 1,4d out; cat err; } >>found
done
same "$TF_SRC/tests/check/faults.golden" found
expect_status 0 "$TF" check rms_norm_quant.py:Fused --twin ./faults.so --inputs random --weights random \
    --out 'output[0]' --fn equal --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6
finish
