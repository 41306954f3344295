#!/bin/sh
# SPDX-License-Identifier: MIT
# 4096 rows of 7168, normalised and quantised in blocks of 128: the evaluator with comparisons against torch's eager mode
# with the same comparisons, and cpu-c's kernels against a copy of as many bytes; both in turn.
#   bench/norm_quant.sh TILEFOUNDRY PYTHON
. "$(dirname "$0")/common.sh"
cat >step.py <<'END'
from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, tf
from tilefoundry.target import CpuTarget


@module(entry="step", target=CpuTarget())
class Step:
    @func
    def step(a: Tensor[(4096, 7168), "bf16"], gamma: Tensor[(1, 7168), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * gamma
        blocks = tf.reshape(tf.cast(normed, "f32"), (4096, 56, 128))
        scale = tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0)
        quant = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return tf.reshape(quant, (4096, 7168)), tf.reshape(scale, (4096, 56))
END
cat >eager.py <<'END'
import sys, time
import torch
from safetensors.torch import load_file, save_file

def step(a, gamma):
    rows = a.float()
    mean = rows.square().mean(-1, keepdim=True)
    normed = (rows * torch.rsqrt(mean + 1e-6)).bfloat16() * gamma
    blocks = normed.float().reshape(4096, 56, 128)
    scale = blocks.abs().amax(-1, keepdim=True) * (1.0 / 448.0)
    quant = (blocks / scale).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)
    return quant.reshape(4096, 7168), scale.reshape(4096, 56)

given = load_file("inputs.safetensors")
other = load_file("outputs.safetensors") if sys.argv[1] == "compare" else None
step(given["a"][:64].repeat(64, 1), given["gamma"])  # threads and code are there
start = time.perf_counter()
quant, scale = step(given["a"], given["gamma"])
if other:
    equal = torch.equal(quant.view(torch.uint8), other["output[0]"].view(torch.uint8))
    differ = (quant.view(torch.uint8) != other["output[0]"].view(torch.uint8)).sum().item()
    near = torch.allclose(scale, other["output[1]"], atol=1e-4, rtol=0.01)
    error = (quant.double() - other["output[0]"].double()).norm() / other["output[0]"].double().norm()
taken = time.perf_counter() - start
if not other:
    save_file({"output[0]": quant, "output[1]": scale}, "outputs.safetensors")
print(f"{taken:.4f}")
END
machine
"$python" -c '
import torch
from safetensors.torch import save_file
torch.manual_seed(0)
save_file({"a": torch.randn(4096, 7168).bfloat16(), "gamma": torch.randn(1, 7168).bfloat16()}, "inputs.safetensors")'
"$python" eager.py save >/dev/null
ours= alone= eager= compared=
for _ in 1 2 3 4 5; do
    compared="$compared $("$python" eager.py compare)"
    ours="$ours $(seconds "$tf" check step.py --inputs tensors:inputs.safetensors --actual outputs.safetensors \
        --out 'output[0]' --fn rel_l2 --max 0.01 --out 'output[1]' --fn allclose --atol 1e-4 --rtol 0.01)"
    eager="$eager $("$python" eager.py save)"
    alone="$alone $(seconds "$tf" eval step.py --inputs tensors:inputs.safetensors)"
done
# shellcheck disable=SC2086 # lists of numbers
ours=$(median $ours) alone=$(median $alone) eager=$(median $eager) compared=$(median $compared)
echo "eval, whole process with reading 59 MB: $alone s; torch eager, the operations alone: $eager s; ratio $(ratio "$eager" "$alone")"
echo "check, whole process with reading both and wrong candidates: $ours s; torch eager and comparisons alone: $compared s; ratio $(ratio "$compared" "$ours")"
for how in "$(nproc)" 1 "$(nproc) --path none"; do
    # shellcheck disable=SC2086 # one word, or three
    set -- $how
    threads=$1
    shift
    OMP_NUM_THREADS=$threads "$tf" bench step.py --backend cpu-c "$@" --no-check --samples 40 --json kernel.json
    label=$(sed -n '/"label"/{s/.*: "\(.*\)",/\1/p;q}' kernel.json)
    echo "$label, $threads threads: $(awk -v n="$(number median kernel.json)" 'BEGIN { printf "%.2f", n / 4096000 }') us a row," \
        "least $(awk -v n="$(number least kernel.json)" 'BEGIN { printf "%.2f", n / 4096000 }');" \
        "$(awk -v n="$(number bytes_per_second kernel.json)" 'BEGIN { printf "%.1f", n / 1e9 }') GB/s," \
        "$(ratio "$(number share_of_copy kernel.json)" 1) of a copy's"
done
