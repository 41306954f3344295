#!/bin/sh
# SPDX-License-Identifier: MIT
# Tensor files: read as they are written, and refused with the place when they are broken.
. "${TF_BUILD:?}/tests/functions.sh"
requires od
cp "$TF_SRC/tests/eval/values.py" "$scratch/values.py"
cat >"$scratch/same.py" <<'END'
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Same:
    @func
    def f(x: Tensor[(2,), "bf16"], w: ConstTensor[(3,), "f32"]):
        return tf.reshape(x, (2,)), tf.reshape(w, (3,))

    @func
    def every(a: Tensor[(3, 5), "f64"], b: Tensor[(7,), "f16"], c: Tensor[(2, 2), "fp8e5m2"], d: Tensor[(9,), "bool"],
              e: Tensor[(2, 3), "i64"], g: Tensor[(4,), "f8e8m0"], h: Tensor[(3,), "u8"], i: Tensor[(), "i8"]):
        return (tf.reshape(a, (3, 5)), tf.reshape(b, (7,)), tf.reshape(c, (2, 2)), tf.reshape(d, (9,)),
                tf.reshape(e, (2, 3)), tf.reshape(g, (4,)), tf.reshape(h, (3,)), tf.reshape(i, ()))
END
cd "$scratch"

# tensors NAME HEADER BYTES: a .safetensors file with this header and so many bytes of elements
tensors() {
    length=${#2}
    { printf "\\$(printf %03o $((length % 256)))\\$(printf %03o $((length / 256)))\\000\\000\\000\\000\\000\\000"
      printf '%s' "$2"; head -c "$3" /dev/zero; } >"$1.safetensors"
}
X='"x":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}'
W='"w":{"dtype":"F32","shape":[3],"data_offsets":[4,16]}'

# ---- as they are written
expect_status 0 "$TF" eval same.py:Same.every --inputs random --seed 5 -o a.safetensors
[ ! -s out ] || fail "-o wrote to stdout"
expect_status 0 "$TF" eval same.py:Same.every --inputs random --seed 5 -o b/
# what a directory holds goes back in by files:
expect_status 0 "$TF" eval same.py:Same.every -o c.safetensors --inputs \
    'files:b/out[0].npy,b/out[1].npy,b/out[2].raw,b/out[3].npy,b/out[4].npy,b/out[5].raw,b/out[6].npy,b/out[7].npy'
cmp -s a.safetensors c.safetensors || fail "values changed on their way through files"
expect_status 0 "$TF" eval same.py:Same.every --inputs random --seed 6 -o d.safetensors
! cmp -s a.safetensors d.safetensors || fail "another seed gave the same values"

# of four bits two are in a byte, the first in the low half
cat >nibbles.py <<'END'
from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Nibbles:
    @func
    def f(x: Tensor[(2, 4), "f4e2m1"]):
        return tf.reshape(x, (8,))

    @func
    def wide(x: Tensor[(2, 4), "f4e2m1"]):
        return tf.cast(x, "f32")

    @func
    def odd(x: Tensor[(3,), "f32"]):
        return tf.cast(x, "f4e2m1")
END
header='{"x":{"dtype":"F4","shape":[2,4],"data_offsets":[0,4]}}'
{ printf '\067\000\000\000\000\000\000\000%s' "$header"; printf '\041\103\245\357'; } >nibbles.safetensors
expect_status 0 "$TF" eval nibbles.py --inputs tensors:nibbles.safetensors -o back.safetensors
[ "$(tail -c 4 back.safetensors | od -An -tx1)" = ' 21 43 a5 ef' ] || fail "codes of four bits changed on their way"
expect_status 0 "$TF" eval nibbles.py:Nibbles.wide --inputs tensors:nibbles.safetensors -o wide.safetensors
# 1 to 4 are 0.5, 1, 1.5 and 2
[ "$(tail -c 32 wide.safetensors | head -c 16 | od -An -tf4 | tr -s ' ')" = ' 0.5 1 1.5 2' ] || fail "f4e2m1 is read in another order"
expect_status 1 "$TF" eval nibbles.py:Nibbles.odd --inputs random -o odd.safetensors
grep -q "no place for 'out', (3,) f4e2m1" err || fail "an odd number of elements is written: $(cat err)"
[ ! -e odd.safetensors ] || fail "a file that cannot be is there"
tensors odd '{"x":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}}' 1
expect_status 1 "$TF" eval nibbles.py --inputs tensors:odd.safetensors
grep -q "tensor 'x' has an odd number of elements, and F4 has two in a byte" err || fail "an odd number is read: $(cat err)"

# products are folded exactly: 1e8 + 1 - 1e8 is 1
printf '\040\274\276\114\000\000\200\077\040\274\276\314' >x.raw
echo '{"dtype": "f32", "shape": [1, 3]}' >x.raw.json
printf '\000\000\200\077\000\000\200\077\000\000\200\077' >y.raw
echo '{"shape": [3, 1], "dtype": "f32"}' >y.raw.json
expect_status 0 "$TF" eval values.py:Nn.cancels --inputs files:x.raw,y.raw
grep -qx 'out: (1, 1) f32 norm=1' out || { fail "1e8 + 1 - 1e8"; cat out; }

# by name, with and without in., weights beside inputs or in a checkpoint, other dtypes converted
tensors in "{\"in.x\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]},$W}" 16
expect_status 0 "$TF" eval same.py --inputs tensors:in.safetensors
mkdir checkpoint
tensors checkpoint/one "{\"w\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}" 24
tensors checkpoint/two "{$X}" 4
expect_status 0 "$TF" eval same.py --inputs tensors:in.safetensors --weights ckpt:checkpoint
echo '{"weight_map": {"w": "one.safetensors"}}' >checkpoint/model.safetensors.index.json
expect_status 0 "$TF" eval same.py --inputs random --weights ckpt:checkpoint
tensors meta "{\"__metadata__\":{\"format\":\"pt\"},$X,$W}" 16
expect_status 0 "$TF" eval same.py --inputs tensors:meta.safetensors

# ---- refused
: >got
refused() {
    expect_status 1 "$TF" eval same.py "$@" -o never.safetensors
    [ ! -e never.safetensors ] || fail "a refused run wrote its output"
    { echo "\$ eval $*"; sed 's/read: byte .*/read: byte .../' err; } >>got
}
broken() { tensors "$@"; refused --inputs "tensors:$1.safetensors"; }
broken no-dtype '{"x":{"shape":[2],"data_offsets":[0,4]}}' 4
broken dtype-word '{"x":{"dtype":"BF8","shape":[2],"data_offsets":[0,4]}}' 4
broken no-shape '{"x":{"dtype":"BF16","data_offsets":[0,4]}}' 4
broken negative '{"x":{"dtype":"BF16","shape":[-2],"data_offsets":[0,4]}}' 4
broken many-axes '{"x":{"dtype":"BF16","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,2]}}' 2
broken huge '{"x":{"dtype":"BF16","shape":[4611686018427387904,4],"data_offsets":[0,4]}}' 4
broken backwards '{"x":{"dtype":"BF16","shape":[2],"data_offsets":[4,0]}}' 4
broken offsets '{"x":{"dtype":"BF16","shape":[2],"data_offsets":[0]}}' 4
broken past-end "{$X,$W}" 15
broken too-short '{"x":{"dtype":"BF16","shape":[3],"data_offsets":[0,4]}}' 4
broken overlap "{$X,\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[2,14]}}" 14
broken gap "{$X,\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[8,20]}}" 20
broken rest "{$X}" 6
broken twice "{$X,$X}" 8
broken no-map '[1]' 0
broken no-json '{"x":' 0
broken deep '{"x":[[[[[[[[[[]]]]]]]]]]}' 0
broken no-x "{\"y\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}" 4
broken shape "{\"x\":{\"dtype\":\"BF16\",\"shape\":[2,1],\"data_offsets\":[0,4]}}" 4
head -c 5 meta.safetensors >cut.safetensors
refused --inputs tensors:cut.safetensors
head -c 40 meta.safetensors >header.safetensors
refused --inputs tensors:header.safetensors
refused --inputs tensors:absent.safetensors
refused --inputs tensors:model.pt
refused --inputs tensors:model.bin
refused --inputs files:x.raw,y.raw
refused --inputs files:meta.safetensors
mkdir empty
refused --inputs random --weights ckpt:empty
echo '{"weight_map": {"w": "../one.safetensors"}}' >checkpoint/model.safetensors.index.json
refused --inputs random --weights ckpt:checkpoint
echo '{"weights": {}}' >checkpoint/model.safetensors.index.json
refused --inputs random --weights ckpt:checkpoint
refused --inputs random --draw 'y=normal'

npy() { # NAME DICT BYTES
    { printf '\223NUMPY\001\000'; printf "\\$(printf %03o ${#2})\\000%s" "$2"; head -c "$3" /dev/zero; } >"$1.npy"
    refused --inputs "files:$1.npy"
}
npy swapped "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }" 8
npy fortran "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }" 16
npy short "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" 7
npy shapeless "{'descr': '<f4', 'fortran_order': False, }" 8
npy open "{'descr': '<f4', 'shape': (2" 8
npy large "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }" 8
printf 'NUMPY' >tiny.npy
refused --inputs files:tiny.npy
printf '\223NUMPY\007\000\001\000{}    ' >version.npy
refused --inputs files:version.npy
cp x.raw z.raw
refused --inputs files:z.raw
echo '{"dtype": "f33", "shape": [3]}' >z.raw.json
refused --inputs files:z.raw
echo '{"dtype": "f32", "shape": 3}' >z.raw.json
refused --inputs files:z.raw
echo '{"dtype": "f32", "shape": [4]}' >z.raw.json
refused --inputs files:z.raw
same "$TF_SRC/tests/eval/files.golden" got

# ---- wrong use
: >got
usage() {
    expect_status 2 "$TF" eval "$@"
    [ "$(wc -l <err)" = 1 ] || fail "wrong use is not told in one line: $*"
    { echo "\$ eval $*"; cat err; } >>got
}
usage
usage same.py
usage same.py more --inputs random
usage same.py --inputs
usage same.py --inputs maybe
usage same.py --inputs files:
usage same.py --inputs files:a,,b
usage same.py --inputs random --weights files:a
usage same.py --inputs random --seed -1
usage same.py --inputs random --draw normal
usage same.py --inputs random --draw 'x=normal(0,1)'
usage same.py --inputs random --draw 'x=int(3,2)'
usage same.py --inputs random --fp8-overflow wrap
usage same.py --inputs random --dim N
usage same.py --input random
same "$TF_SRC/tests/eval/usage.golden" got

# an extent for a dimension that is not there is told and has no effect
expect_status 0 "$TF" eval same.py --inputs random --dim K=3
grep -q 'dimension-unknown' err || fail "an unknown dimension was not told"

# ---- operators that refuse values
expect_status 1 "$TF" eval values.py:Math.divided --inputs zeros
grep -q 'values.py:.*floor_div: a divisor is 0 \[zero-divisor\]' err || { fail "a zero divisor"; cat err; }
expect_status 1 "$TF" eval values.py:Nn.turned --inputs zeros --draw 'pos=const(3)'
grep -q 'rope: pos_ids\[0\] is 3, and cos_cache has 3 rows \[position-range\]' err || { fail "a position"; cat err; }
finish
