#!/bin/sh
# SPDX-License-Identifier: MIT
# The path's kernels equal the composed operators bit for bit, with the other paths away, whatever compiles them; a kernel
# that is broken is found out.
. "${TF_BUILD:?}/tests/functions.sh"
CC=${CC:-cc}
requires "${CC%% *}"
cp "$TF_SRC/tests/paths/quant.py" "$scratch"
cd "$scratch"
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME CC

# a program of its own, whose plugins are all but the other paths
mkdir alone
for file in "$TF_BUILD"/plugins/.libs/*.so; do
    case ${file##*/} in gemm.so | fused-norm.so) ;; *) cp "$file" alone ;; esac
done
cp "$TF_BUILD/tilefoundry" program
sed "s|^plugins=.*|plugins=$scratch/alone|" "$TF_BUILD/tilefoundry.buildtree" >tilefoundry.buildtree
run ./program plugin list
grep -q '^fp8-quant ' out || fail "the path is not there"
! grep -qE '^(gemm|fused-norm) ' out || fail "the other paths are there"

# equal FUNCTION [OPTION]...: of every class of inputs
equal() {
    expect_status 0 ./program check "quant.py:Q.$1" "${2:---fp8-overflow=saturate}" --inputs all --nan-equal --backend cpu-c --path fp8-quant \
        --out 'output[0]' --fn equal --out 'output[1]' --fn equal
}

for name in $(sed -n 's/^    def \([a-z0-9_]*\)(.*/\1/p' quant.py); do
    equal "$name"
done
# Debian's clang has OpenMP's header in a package of its own; the loops are the same without
if command -v clang >/dev/null 2>&1; then
    CC=clang TILEFOUNDRY_CFLAGS=-O2
    export TILEFOUNDRY_CFLAGS
    for name in row_f32 power stored_bf16 limit_over unclamped e5m2 block_small square whole_large operator_f16; do
        equal "$name"
    done
fi
TILEFOUNDRY_CFLAGS=-DFP8_OVERFLOW=1
export TILEFOUNDRY_CFLAGS
for name in row unclamped e5m2_unclamped; do
    equal "$name" --fp8-overflow=nan
done
unset TILEFOUNDRY_CFLAGS

# what the path says of its arithmetic is what its kernel is held to
expect_status 0 ./program --verbose check quant.py:Q.power --inputs random --backend cpu-c --path fp8-quant \
    --out 'output[0]' --fn derived --out 'output[1]' --fn derived
grep -q 'declared: .* div=0.5 .* exp=3 exp2=0.5 log=3 log2=0.5 .* fma=no' out || fail "the path's declaration is not used"

# twin SOURCE: a shared object of it
twin() {
    cat >twin.c <<END
#include "$1"
#include <tilefoundry/twin.h>
TF_TWIN(tilefoundry_twin)
{
    const void *args[] = {call->args[0]->data};
    void *results[] = {call->results[0]->data, call->results[1]->data};
    return Q_block(args, results);
}
END
    expect_status 0 $CC -std=c17 -O2 -Wall -Wextra -Werror -I"$TF_SRC/include" -fPIC -shared -o twin.so twin.c -lm
}

# judged STATUS: of the twin
judged() {
    expect_status "$1" ./program check quant.py:Q.block --inputs all --nan-equal --twin ./twin.so \
        --out 'output[0]' --fn equal --out 'output[1]' --fn equal
}

expect_status 0 ./program emit quant.py:Q.block --backend cpu-c --path fp8-quant -o made.c
twin made.c
judged 0
# breaks: another rounding, subnormal codes, a sign that is lost, NaN left out, a floor, another factor, a group not whole
while read -r edit; do
    sed "$edit" made.c >broken.c
    ! cmp -s made.c broken.c || fail "$edit changes nothing"
    twin broken.c
    judged 1
done <<'END'
s/0x1.00007p20f/0x1.00007p21f/
s/least = 121u/least = 122u/
s/both >> 8 /both >> 9 /
s/code | 0x7f :/code :/
s/? 1e-12f/? 1e-9f/
s/0x1.24924ap-9f/0x1.24924cp-9f/
s/i < n; i++/i + 1 < n; i++/
END
finish
