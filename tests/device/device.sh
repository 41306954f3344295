# SPDX-License-Identifier: MIT
# Sourced by the tests of this folder: skips where nothing that is made can run.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC"/tests/paths/norms-cuda.py "$TF_SRC"/tests/paths/quant.py "$TF_SRC"/tests/backend/ops.py \
    "$TF_SRC"/tests/backend/outside.py "$TF_SRC"/examples/rms_norm_quant.py "$scratch"
cd "$scratch"

# The tutorial's step is asked for; what it says of a library or a device that is missing is the reason.
run "$TF" check rms_norm_quant.py:Fused --inputs random --backend cuda-h200 --path fused-norm \
    --out 'output[0]' --fn equal --out 'output[1]' --fn equal
! grep -q '\[cuda-device\]\|\[cuda-nvrtc\]' err || skip "$(sed 's/^tilefoundry: error: //; q' err)"

# functions FILE: CLASS.FUNCTION of each function
functions() {
    sed -n 's/^class \([A-Za-z0-9_]*\).*/class \1/p; s/^    def \([A-Za-z0-9_]*\).*/\1/p' "$1" |
        awk '$1 == "class" { class = $2; next } { print class "." $1 }'
}

# checked PREDICATE FILE:SELECTOR PATH OPTION...: all outputs of what runs on the device
checked() {
    predicate=$1 selector=$2 path=$3
    shift 3
    "$TF" --target nvidia.h200_sxm eval "$selector" "$@" --inputs zeros >values 2>/dev/null </dev/null || :
    n=$(grep -c '^out' values) i=0 outputs=
    [ "$n" -gt 0 ] || fail "$selector has no outputs"
    [ "$n" -gt 1 ] || outputs="--out output --fn $predicate"
    while [ "$n" -gt 1 ] && [ "$i" -lt "$n" ]; do
        outputs="$outputs --out output[$i] --fn $predicate"
        i=$((i + 1))
    done
    # shellcheck disable=SC2086
    expect_status 0 "$TF" --target nvidia.h200_sxm check "$selector" "$@" --inputs random --backend cuda-h200 \
        --path "$path" --allow-vacuous --nan-equal $outputs
}
