#!/bin/sh
# SPDX-License-Identifier: MIT
# What cuda-h200 makes is compiled for sm_90a without a warning, and the kernels of paths without spilled registers.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC"/tests/paths/norms-cuda.py "$TF_SRC"/tests/paths/quant.py "$TF_SRC"/tests/backend/ops.py \
    "$TF_SRC"/examples/*.py "$scratch"
cd "$scratch"
mkdir tight loose
TARGET='--target nvidia.h200_sxm'

# functions FILE: CLASS.FUNCTION of each class with functions in it
functions() {
    sed -n 's/^class \([A-Za-z0-9_]*\).*/class \1/p; s/^    def \([A-Za-z0-9_]*\).*/\1/p' "$1" |
        awk '$1 == "class" { class = $2; next } { print class "." $1 }'
}

# emitted TO FILE:SELECTOR OPTION...
emitted() {
    to=$1 selector=$2
    shift 2
    # shellcheck disable=SC2086
    expect_status 0 "$TF" $TARGET emit "$selector" --backend cuda-h200 "$@" -o "$to"
}

# fewer rows and more have other threads
for rows in 1 2 37 4096; do
    for one in $(functions norms-cuda.py); do
        emitted "tight/$one-$rows.cu" "norms-cuda.py:$one" --dim R=$rows --path fused-norm
    done
done
for one in $(functions quant.py); do
    case $one in
    # no row of these has its groups in one piece
    Q.square | Q.square_odd | Q.square_f32 | Q.whole_large)
        # shellcheck disable=SC2086
        expect_status 1 "$TF" $TARGET emit "quant.py:$one" --backend cuda-h200 --path fp8-quant -o none.cu
        grep -qF 'path fp8-quant has no code for this program [backend-refuses]' err || fail "$one: $(cat err)"
        ;;
    *) emitted "tight/$one.cu" "quant.py:$one" --path fp8-quant ;;
    esac
done
for placed in Naive Fused; do
    emitted "tight/$placed.cu" "rms_norm_quant.py:$placed" --path fused-norm
    emitted "loose/$placed.cu" "rms_norm_quant.py:$placed" --path none
done
for one in $(functions ops.py); do
    emitted "loose/$one.cu" "ops.py:$one" --path none
done
set -- tight/*.cu loose/*.cu
[ $# -gt 100 ] || fail "only $# were made"

# compiled OPTION FILE...: as many processes as there are processors, a few files in each
compiled() {
    option=$1
    shift
    status=0
    # shellcheck disable=SC2016,SC2086
    printf '%s\n' "$@" | xargs -P "$(nproc)" -n 6 sh -c '
        "$0" "$@" >"$$.said" && exit 0
        [ $? = 77 ] && touch no-nvrtc || touch failed' "$TF_BUILD/tests/cuda/compile" $option || status=$?
    cat ./*.said
    rm ./*.said
    [ "$status" = 0 ] || fail "the compiler ended with $status"
}
compiled '' tight/*.cu
compiled --spills loose/*.cu
[ ! -e failed ] || fail "not compiled as it should be"
[ "$failures" = 0 ] || finish
[ ! -e no-nvrtc ] || skip "no NVRTC; the sources were made, and not compiled"
finish
