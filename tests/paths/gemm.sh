#!/bin/sh
# SPDX-License-Identifier: MIT
# Products: the path's values and its kernel equal the composed operators bit for bit, whatever the sizes, dtypes, views
# and what follows; with sums of f32 the kernel keeps to what it declares, and a wrong one is found out; what is nearly a
# product is refused with the reason.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC/tests/paths/gemm.py" "$TF_SRC/tests/paths/gemm_near.py" "$TF_SRC/examples/fp8_linear.py" "$scratch"
cd "$scratch"
all="plain bf16 f16 fp8 e5m2 narrow turned batched blocks quantised"

# sizes FUNCTION M N K: to $sizes
sizes() {
    sizes="--dim M=$2 --dim K=$4"
    [ "$1" = blocks ] || sizes="$sizes --dim N=$3"
}

for size in '1 1 1' '2 15 31' '15 16 32' '16 17 33' '17 63 128' '63 64 129' '64 65 1' '65 127 33' '127 129 31' '129 2 32'; do
    for f in $all; do
        # shellcheck disable=SC2086
        sizes $f $size
        # shellcheck disable=SC2086
        expect_status 0 "$TF" eval gemm.py:Gemm.$f --inputs random $sizes -o composed.safetensors
        # shellcheck disable=SC2086
        expect_status 0 "$TF" eval gemm.py:Gemm.$f --inputs random $sizes --path gemm -o path.safetensors
        cmp composed.safetensors path.safetensors || fail "$f $size: values differ"
    done
done
for class in ties zero-groups tiny-groups outliers magnitudes cancelling largest-finite nonfinite-first nonfinite-middle nonfinite-last; do
    for f in plain bf16; do
        dims="--inputs adversarial:$class --dim M=5 --dim N=9 --dim K=40"
        # shellcheck disable=SC2086
        expect_status 0 "$TF" eval gemm.py:Gemm.$f $dims -o composed.safetensors
        # shellcheck disable=SC2086
        expect_status 0 "$TF" eval gemm.py:Gemm.$f $dims --path gemm -o path.safetensors
        cmp composed.safetensors path.safetensors || fail "$f $class: values differ"
    done
    expect_status 0 "$TF" eval fp8_linear.py:Linear.biased --inputs adversarial:$class --dim M=3 -o composed.safetensors
    expect_status 0 "$TF" eval fp8_linear.py:Linear.biased --inputs adversarial:$class --dim M=3 --path gemm -o path.safetensors
    cmp composed.safetensors path.safetensors || fail "fp8_linear $class: values differ"
done

# sums of which nothing is left but what was rounded tell the order in which they were taken
order="--inputs random --draw a=adversarial:cancelling --draw b=const(0.1) --dim M=5 --dim N=9 --dim K=300"
# shellcheck disable=SC2086
expect_status 0 "$TF" eval gemm.py:Gemm.plain $order -o composed.safetensors
# shellcheck disable=SC2086
expect_status 0 "$TF" eval gemm.py:Gemm.plain $order --path gemm -o path.safetensors
cmp composed.safetensors path.safetensors || fail "the order of the sums differs"

for f in $(sed -n 's/^    def \([a-z_]*\).*/\1/p' gemm_near.py); do
    expect_status 1 "$TF" emit gemm_near.py:Near.$f --backend cpu-c --path gemm -o near.c
    grep -v '^ ' err >>refused
done
same "$TF_SRC/tests/paths/gemm_near.golden" refused

CC=${CC:-cc}
requires "${CC%% *}"
# kernel FUNCTION M N K PATH COMPARISON
kernel() {
    sizes "$1" "$2" "$3" "$4"
    # shellcheck disable=SC2086
    expect_status 0 "$TF" check gemm.py:Gemm."$1" --inputs random $sizes --backend cpu-c --path "$5" \
        --out output --fn "$6" --nan-equal --allow-vacuous
}
for f in $all; do
    kernel "$f" 17 33 129 gemm equal
done
# shellcheck disable=SC2086
expect_status 0 "$TF" check gemm.py:Gemm.plain $order --backend cpu-c --path gemm --out output --fn equal --allow-vacuous
kernel plain 1 1 1 gemm equal
for layer in quantised biased bf16_weight; do
    for path in gemm gemm-f32; do
        [ $path = gemm ] && how=equal || how=derived
        expect_status 0 "$TF" check fp8_linear.py:Linear.$layer --inputs random --dim M=37 --backend cpu-c --path $path \
            --out output --fn $how
    done
done
kernel fp8 127 65 300 gemm equal
kernel bf16 129 300 257 gemm equal
kernel plain 37 129 300 gemm-f32 derived
kernel bf16 129 65 33 gemm-f32 derived
kernel fp8 16 40 300 gemm-f32 derived
kernel narrow 37 65 300 gemm-f32 derived
kernel quantised 9 33 300 gemm-f32 derived
kernel batched 9 33 257 gemm derived
# a bound by a BLAS, where there is one, is as good
for library in libopenblas.so.0 ''; do
    TILEFOUNDRY_BLAS=$library
    export TILEFOUNDRY_BLAS
    kernel plain 256 257 300 gemm-f32 derived
    unset TILEFOUNDRY_BLAS
done
kernel blocks 16 256 257 gemm-f32 derived
# without the vectors of this machine
case $(uname -m) in x86_64)
    for level in x86-64 haswell; do
        export TILEFOUNDRY_CFLAGS="-march=$level"
        kernel narrow 17 33 129 gemm equal
        kernel plain 13 20 40 gemm equal
    done
    unset TILEFOUNDRY_CFLAGS ;;
esac

# wrong WHAT SED-SCRIPT: the kernel with a fault is not within what it declares
wrong() {
    expect_status 0 "$TF" emit gemm.py:Gemm.plain --backend cpu-c --path gemm-f32 --dim M=17 --dim N=33 --dim K=300 -o made.c
    cp made.c kept.c
    sed -i "$2" made.c
    ! cmp -s made.c kept.c || [ "$1" = nothing ] || fail "$1: no fault was made"
    cat >twin.c <<'END'
#include "made.c"
#include <tilefoundry/twin.h>
TF_TWIN(tilefoundry_twin)
{
    const void *args[] = {call->args[0]->data, call->args[1]->data};
    void *results[] = {call->results[0]->data};
    return Gemm_plain(args, results);
}
END
    # shellcheck disable=SC2086
    expect_status 0 $CC -std=c17 -O2 -Wall -Wextra -Wno-unknown-pragmas -Werror -I"$TF_SRC/include" -fPIC -shared -o twin.so twin.c -lm
    run "$TF" check gemm.py:Gemm.plain --inputs random --dim M=17 --dim N=33 --dim K=300 --twin ./twin.so \
        --declare accumulator=f32 --out output --fn derived
    [ "$status" = "$3" ] || { fail "$1: exit $status"; cat out err; }
}
wrong nothing '' 0
wrong 'a block of K left out' 's/k < K; k += DEPTH/k + DEPTH < K; k += DEPTH/' 1
wrong 'a row taken twice' 's/which = row + r < M ? row + r : 0/which = row + r + 1 < M ? row + r : M - 2/' 1
wrong 'a product too small' 's/const vector one = left\[r\]/const vector one = (left[r] * 0.9999f)/' 1

# the path needs no other one
mkdir alone
cp "$TF_BUILD"/plugins/.libs/*.so alone
for f in $(cd "$TF_SRC/plugins/paths" && echo */plugin.c); do
    [ "${f%/*}" = gemm ] || rm -f "alone/${f%/*}.so"
done
mkdir bin
cp "$TF_BUILD/tilefoundry" bin
sed "s#^plugins=.*#plugins=$scratch/alone#" "$TF_BUILD/tilefoundry.buildtree" >bin/tilefoundry.buildtree
expect_status 0 bin/tilefoundry eval gemm.py:Gemm.bf16 --inputs zeros --dim M=3 --dim N=4 --dim K=5 --path gemm
finish
