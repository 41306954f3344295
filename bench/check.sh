#!/bin/sh
# SPDX-License-Identifier: MIT
# `check` of an implementation with torch of a norm and a quantisation of two rows, as a whole process, on the CPU: ours
# against the peer's, in turn.
#   bench/check.sh TILEFOUNDRY PYTHON PEER
peer=${3:?the program of a peer}
. "$(dirname "$0")/common.sh"
cp rms_norm_quant.py step.py
cp "$here/../examples/rms_norm_quant_twin.py" numpy_twin.py
${CC:-cc} -std=c17 -O2 -I"$here/../include" -fPIC -shared -o twin.so "$here/../examples/rms_norm_quant_twin.c" -lm
cat >twin.py <<'END'
import torch
from step import BLOCK, BLOCKS, EPS, FP8_MAX, H, ROWS, Fused

from tilefoundry.runtime import runtime_func, runtime_module


@runtime_module(Fused)
class Torch:
    @runtime_func
    def rms_norm_quant(self, a, gamma):
        rows = a.float()
        mean = rows.square().mean(-1, keepdim=True)
        normed = (rows * torch.rsqrt(mean + EPS)).bfloat16() * gamma
        blocks = normed.float().reshape(ROWS, BLOCKS, BLOCK)
        scale = blocks.abs().amax(-1, keepdim=True) * (1.0 / FP8_MAX)
        quant = (blocks / scale).clamp(-FP8_MAX, FP8_MAX).to(torch.float8_e4m3fn)
        return quant.reshape(ROWS, H), scale.reshape(ROWS, BLOCKS)
END
set -- --inputs random --weights random --device cpu --out 'output[0]' --fn rel_l2 --max 0.01 \
    --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6
machine
ours= kernel= numpy= shared= theirs=
for _ in 1 2 3 4 5; do
    theirs="$theirs $(seconds "$peer" check twin.py:Torch "$@")"
    ours="$ours $(seconds "$tf" check twin.py:Torch "$@")"
    numpy="$numpy $(seconds "$tf" check numpy_twin.py:Numpy "$@")"
    shared="$shared $(seconds "$tf" check step.py:Fused --twin twin.so "$@")"
    kernel="$kernel $(seconds "$tf" check step.py:Fused --backend cpu-c "$@")"
done
# shellcheck disable=SC2086 # lists of numbers
ours=$(median $ours) kernel=$(median $kernel) numpy=$(median $numpy) shared=$(median $shared) theirs=$(median $theirs)
echo "peer, twin with torch: $theirs s"
echo "ours, the same twin, which starts Python and torch: $ours s; ratio $(ratio "$theirs" "$ours")"
echo "ours, the step in numpy, which starts Python and numpy: $numpy s; ratio $(ratio "$theirs" "$numpy")"
echo "ours, the step in C: $shared s; ratio $(ratio "$theirs" "$shared")"
echo "ours, the kernel of cpu-c in the twin's place: $kernel s; ratio $(ratio "$theirs" "$kernel")"
