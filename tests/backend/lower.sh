#!/bin/sh
# SPDX-License-Identifier: MIT
# What cpu-c makes is compiled without a warning, run as a twin, and equal to the evaluator bit for bit.
. "${TF_BUILD:?}/tests/functions.sh"
CC=${CC:-cc}
requires "${CC%% *}"
cp "$TF_SRC/tests/backend/ops.py" "$TF_SRC/tests/backend/outside.py" "$TF_SRC/tests/eval/values.py" \
    "$TF_SRC/examples/rms_norm_quant.py" "$scratch"
cd "$scratch"

# made SELECTOR [OPTION]...: source, then a shared object that is a twin
made() {
    expect_status 0 "$TF" emit "$1" --backend cpu-c --path none -o made.c
    entry=$(sed -n 's/^int \([A-Za-z0-9_]*\)(const void.*;$/\1/p' made.c)
    cat >twin.c <<END
#include "made.c"
#include <tilefoundry/twin.h>
TF_TWIN(tilefoundry_twin)
{
    const void *args[16];
    void *results[16];
    for (uint32_t i = 0; i < call->n_args; i++)
        args[i] = call->args[i]->data;
    for (uint32_t i = 0; i < call->n_results; i++)
        results[i] = call->results[i]->data;
    return $entry(args, results);
}
END
    expect_status 0 $CC -std=c17 -O2 -Wall -Werror -I"$TF_SRC/include" -fPIC -shared -o twin.so twin.c -lm
}

# equal SELECTOR [OPTION]...: of check
equal() {
    made "$1"
    n=$(grep -c '^ \* results\[' made.c) i=0 outputs=
    [ "$n" -gt 1 ] || outputs="--out output --fn equal"
    while [ "$n" -gt 1 ] && [ "$i" -lt "$n" ]; do
        outputs="$outputs --out output[$i] --fn equal"
        i=$((i + 1))
    done
    expect_status 0 "$TF" --target nvidia.h200_sxm check "$@" --inputs random --twin ./twin.so $outputs --allow-vacuous --nan-equal
}

equal ops.py:Elements.f32
equal ops.py:Elements.narrow
equal ops.py:Elements.wide
equal ops.py:Elements.integers
equal ops.py:Elements.divided --draw 'b=int(1,9)'
equal ops.py:Flat
equal ops.py:Rows.folds
equal ops.py:Rows.normed
equal ops.py:Rows.chosen
equal ops.py:Rows.quantised
equal ops.py:Products.products
equal ops.py:Products.turned
equal ops.py:Products.windows
equal ops.py:Moves.moved
equal ops.py:Moves.first
equal ops.py:Moves.cut
equal ops.py:Moves.named --draw 'i=int(0,5)'
equal ops.py:Loops.swapped
equal ops.py:Loops.tiles
equal ops.py:Placed
equal values.py:Nn.turned --draw 'pos=int(0,2)'

# nests SELECTOR N: what is fused follows from the placement and from functions
nests() {
    equal "$1"
    [ "$(grep -c '^    for (size_t r0' made.c)" = "$2" ] || fail "$1 has other than $2 nests"
}
nests ops.py:Stored.near 2
nests ops.py:Stored.far 1
nests ops.py:Stored.called 2
nests rms_norm_quant.py:Naive 2
nests rms_norm_quant.py:Fused 1
for said in '^ \* It has to read 43008 bytes and write 14784; flops: 114803 in f32, 28672 in bf16, 14336 in fp8e4m3\.$' \
    '^ \* args\[1\]     gamma: bf16 (1, 7168)$' '/\* normed = mul, rms_norm_quant\.py:66 \*/$'; do
    grep -q "$said" made.c || fail "the source does not say $said"
done

# what only passes elements on keeps NaN's payload and infinities
made ops.py:Bits
cat >kept.c <<'END'
#include "made.c"
int main(void)
{
    static const uint8_t c[4] = {1, 0, 1, 0}, y[4] = {0x7c, 0xfc, 0x7d, 0xff};
    static const uint16_t x[4] = {0x7f81, 0xffc1, 0x7f80, 0x8000}, n = 0xff81;
    uint8_t cast[4], where[4];
    uint16_t which[4], number;
    const void *args[] = {c, x, y, &n};
    void *results[] = {which, cast, where, &number};
    return Bits_kept(args, results) || memcmp(which, x, sizeof(x)) || memcmp(cast, y, 4) || memcmp(where, y, 4) || number != n;
}
END
expect_status 0 $CC -std=c17 -O2 -Wall -Werror -o kept kept.c -lm
expect_status 0 ./kept

# data out of range is said, not followed
made ops.py:Moves.named
expect_status 1 "$TF" --target nvidia.h200_sxm check ops.py:Moves.named --inputs zeros --twin ./twin.so --out output[0] --fn equal --draw 'i=const(9)'

# what it has no code for is refused before anything is made, and told beforehand
rm -f made.c
expect_status 1 "$TF" emit outside.py --backend cpu-c -o made.c
grep -v '^ ' err >got || :
same "$TF_SRC/tests/backend/outside.golden" got
[ ! -f made.c ] || fail "a file was made of what cannot be lowered"
finish
