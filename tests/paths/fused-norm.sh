#!/bin/sh
# SPDX-License-Identifier: MIT
# Each way of writing a normalisation: the path's values are those of the operators, bit for bit, and its kernel gives
# the same, for all classes of input.  Other paths are absent while this runs.
. "${TF_BUILD:?}/tests/functions.sh"
cd "$scratch"
mkdir alone alone/plugins
cp "$TF_BUILD/tilefoundry" alone/
for plugin in "$TF_BUILD"/plugins/.libs/*.so; do
    case $plugin in
    */fp8-quant.so | */gemm.so) ;;
    *) cp "$plugin" alone/plugins/ ;;
    esac
done
sed "s|^plugins=.*|plugins=$scratch/alone/plugins|" "$TF_BUILD/tilefoundry.buildtree" >alone/tilefoundry.buildtree
TF=$scratch/alone/tilefoundry
expect_status 0 "$TF" plugin list
grep -q 'fused-norm' out || fail "the path is not found"
grep -q 'fp8-quant' out && fail "another path is there"

source=$TF_SRC/tests/paths/norms.py
norms=$(sed -n 's/^class \(.*\):/\1/p' "$source")
for norm in $norms; do
    for inputs in random adversarial:ties adversarial:magnitudes adversarial:cancelling adversarial:tiny-groups; do
        expect_status 0 "$TF" eval "$source:$norm" --inputs "$inputs" -o composed.safetensors
        expect_status 0 "$TF" eval "$source:$norm" --inputs "$inputs" --path fused-norm -o path.safetensors
        cmp composed.safetensors path.safetensors || fail "$norm, $inputs: values differ"
    done
done

# A step in two functions and in one: nothing of how values are placed counts.
example=$TF_SRC/examples/rms_norm_quant.py
for placed in Naive Fused; do
    expect_status 0 "$TF" eval "$example:$placed" --inputs random -o composed.safetensors
    expect_status 0 "$TF" eval "$example:$placed" --inputs random --path fused-norm -o path.safetensors
    cmp composed.safetensors path.safetensors || fail "$placed: values differ"
done

# What is compared of a module: all its outputs.
compared() {
    outputs=$("$TF" eval "$source:$1" --inputs zeros | grep -c '^out')
    [ "$outputs" -gt 1 ] || { echo --out output --fn equal; return; }
    k=0
    while [ "$k" -lt "$outputs" ]; do
        echo --out "output[$k]" --fn equal
        k=$((k + 1))
    done
}

for cc in gcc clang; do
    command -v "$cc" >/dev/null 2>&1 || continue
    for norm in $norms; do
        # shellcheck disable=SC2046
        CC=$cc expect_status 0 "$TF" check "$source:$norm" --inputs all --nan-equal --backend cpu-c --path fused-norm \
            $(compared "$norm")
    done
done

# Rows of which each order of adding gives another mean.
wide=$TF_SRC/tests/paths/wide-rows.py
expect_status 0 "$TF" eval "$wide:Maker" --inputs random -o wide/
expect_status 0 "$TF" eval "$wide:Center" --inputs files:wide/out.npy -o composed.safetensors
expect_status 0 "$TF" eval "$wide:Center" --inputs files:wide/out.npy --path fused-norm -o path.safetensors
cmp composed.safetensors path.safetensors || fail "the order of adding: values differ"
if command -v "${CC:-cc}" >/dev/null 2>&1; then
    expect_status 0 "$TF" check "$wide:Center" --inputs files:wide/out.npy --backend cpu-c --path fused-norm \
        --out 'output[0]' --fn equal --out 'output[1]' --fn equal
fi

# Programs that are nearly normalisations.
cd "$TF_SRC/tests/paths"
for near in $(sed -n 's/^class \(.*\):/\1/p' near-norms.py); do
    expect_status 1 "$TF" emit "near-norms.py:$near" --backend cpu-c --path fused-norm -o "$scratch/near.c"
    cat "$scratch/err"
done >"$scratch/near"
same "$TF_SRC/tests/paths/near-norms.expected" "$scratch/near"
cd "$scratch"

# A kernel that is wrong is found out: a compiler that changes what it is given makes it so.
requires "${CC:-cc}"
compilers=0
changed() {
    compilers=$((compilers + 1))
    {
        echo '#!/bin/sh'
        echo "for word; do case \$word in *.c) sed -i.right '$1' \"\$word\" && ! cmp -s \"\$word\" \"\$word.right\" || exit 1 ;; esac; done"
        echo "exec ${CC:-cc} \"\$@\""
    } >"cc-$compilers"
    chmod +x "cc-$compilers"
    CC=$scratch/cc-$compilers run "$TF" check "$source:Residual" --inputs random --backend cpu-c --path fused-norm \
        --out 'output[0]' --fn equal --out 'output[1]' --fn equal --out 'output[2]' --fn equal
}
changed '$ a /* as it was */'
[ "$status" = 0 ] || fail "the compiler that changes nothing is at fault"
for change in 's/0x1.0c6f7ap-20f/0x1.0c6f7ap-4f/' 's/256\.0)/255.0)/' 's/kept\[i\] = v/kept[i] = 0.01f + v/' \
    's/121u << 23/122u << 23/' 's/ >> 24 & 0x80/ >> 23 \& 0x80/' 's/ + x\[7\];/;/' 's/q < t + 2/q < t + 1/' 's|1 / g|1.01f / g|' 's/(exponent >> 20)/(exponent >> 21)/'; do
    changed "$change"
    { [ "$status" = 1 ] && grep -q '^FAIL' out; } || { fail "$change is not found out"; cat out err; }
done
finish
