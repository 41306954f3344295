#!/bin/sh
# SPDX-License-Identifier: MIT
# Without NVRTC, and without a driver: each is named, with what works all the same; and that does.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC/examples/rms_norm_quant.py" "$scratch"
cd "$scratch"
step=rms_norm_quant.py:Fused

# refused CODE TEXT CMD...
refused() {
    code=$1 text=$2
    shift 2
    run "$@"
    [ "$status" = 1 ] || { fail "exit $status: $*"; cat out err; }
    { grep -qF "[$code]" err && grep -q "$text.*; .analyze. and .emit. work without it" err; } ||
        { fail "it does not say what is missing: $*"; cat err; }
}

for path in none fused-norm; do
    for mode in "check $step --inputs random --out output[0] --fn equal --out output[1] --fn equal" "bench $step"; do
        # shellcheck disable=SC2086
        TILEFOUNDRY_NVRTC=/nonexistent refused cuda-nvrtc 'NVRTC, which compiles the kernels, is not found' \
            "$TF" $mode --backend cuda-h200 --path "$path"
    done
    TILEFOUNDRY_NVRTC=/nonexistent expect_status 0 "$TF" emit $step --backend cuda-h200 --path "$path" -o made.cu
    [ -s made.cu ] || fail "emit makes nothing"
done
TILEFOUNDRY_NVRTC=/nonexistent expect_status 0 "$TF" --plugin cuda-h200 analyze $step

# With NVRTC: the driver is what is missing.
run "$TF" check $step --inputs random --backend cuda-h200 --out 'output[0]' --fn equal --out 'output[1]' --fn equal
[ "$status" != 0 ] || { [ "$failures" = 0 ] || finish; skip "there is a device; without NVRTC it is as it should be"; }
grep -qF '[cuda-nvrtc]' err && { [ "$failures" = 0 ] || finish; skip "no NVRTC, which would be looked for first"; }
missing='no NVIDIA driver is installed\|the NVIDIA driver [a-z ]*\|has compute capability'
for mode in "check $step --inputs random --out output[0] --fn equal --out output[1] --fn equal" "bench $step"; do
    # shellcheck disable=SC2086
    refused cuda-device "\($missing\)" "$TF" $mode --backend cuda-h200
done
finish
