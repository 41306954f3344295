#!/bin/sh
# SPDX-License-Identifier: MIT
# Products.  A linear layer of 1024 x 4096 by 2048 with fp8 operands and scales, evaluated, held to the truth and compared,
# against torch's f64 product with the same comparisons; and the f32 product of cpu-c at 2048 cubed against numpy's BLAS.
#   bench/gemm.sh TILEFOUNDRY PYTHON
. "$(dirname "$0")/common.sh"
cat >linear.py <<'END'
from tilefoundry import func, module
from tilefoundry.dsl import Tensor, tf
from tilefoundry.target import CpuTarget


@module(entry="linear", target=CpuTarget())
class Linear:
    @func
    def linear(
        x: Tensor[(1024, 4096), "fp8e4m3"], rows: Tensor[(1024, 1), "f32"], weight: Tensor[(2048, 4096), "fp8e4m3"],
        columns: Tensor[(1, 2048), "f32"],
    ):
        product = tf.matmul(x, weight, b_layout="NK", out_dtype="f32")
        return tf.cast(product * rows * columns, "bf16")
END
cat >product.py <<'END'
from tilefoundry import func, module
from tilefoundry.dsl import Tensor, tf
from tilefoundry.target import CpuTarget

N = 2048


@module(entry="product", target=CpuTarget())
class Product:
    @func
    def product(a: Tensor[(N, N), "f32"], b: Tensor[(N, N), "f32"]):
        return tf.matmul(a, b)
END
cat >numpy_twin.py <<'END'
import numpy as np
from product import Product

from tilefoundry.runtime import runtime_func, runtime_module


@runtime_module(Product)
class Numpy:
    @runtime_func
    def product(self, a, b):
        return np.matmul(a, b)
END
cat >truth.py <<'END'
import sys, time
import torch
from safetensors.torch import load_file, save_file

def linear(x, rows, weight, columns, dtype):
    return x.to(dtype) @ weight.to(dtype).T * rows.to(dtype) * columns.to(dtype)

given = load_file("inputs.safetensors")
args = [given[n] for n in ("x", "rows", "weight", "columns")]
if sys.argv[1] == "save":
    save_file({"output": linear(*args, torch.float32).bfloat16()}, "outputs.safetensors")
    sys.exit()
other = load_file("outputs.safetensors")["output"]
torch.ones(512, 512).double() @ torch.ones(512, 512).double()  # threads and code are there
start = time.perf_counter()
truth = linear(*args, torch.float64)
reference = truth.bfloat16()
error = (other.double() - truth).norm() / truth.norm()
equal = torch.equal(reference, other)
near = torch.allclose(reference.float(), other.float(), atol=1e-3, rtol=1e-2)
distance = (reference.double() - other.double()).norm() / reference.double().norm()
print(f"{time.perf_counter() - start:.4f}")
END
machine
"$python" -c '
import torch
from safetensors.torch import save_file
torch.manual_seed(0)
fp8 = torch.float8_e4m3fn
save_file({"x": torch.randn(1024, 4096).to(fp8), "rows": torch.rand(1024, 1) + 0.5, "weight": torch.randn(2048, 4096).to(fp8),
           "columns": torch.rand(1, 2048) + 0.5}, "inputs.safetensors")'
"$python" truth.py save
ours= theirs=
for _ in 1 2 3 4 5; do
    theirs="$theirs $("$python" truth.py compare)"
    ours="$ours $(seconds "$tf" check linear.py --inputs tensors:inputs.safetensors --actual outputs.safetensors --arbiter \
        --out output --fn rel_l2 --max 0.01 --fn allclose --atol 1e-3 --rtol 1e-2)"
done
# shellcheck disable=SC2086 # lists of numbers
ours=$(median $ours) theirs=$(median $theirs)
echo "check --arbiter, whole process, reference and truth: $ours s; torch's f64 product and comparisons alone: $theirs s; ratio $(ratio "$theirs" "$ours")"
for how in "" "--path none"; do
    # shellcheck disable=SC2086 # no words, or two
    "$tf" bench product.py $how --backend cpu-c --no-check --samples 8 --against numpy_twin.py:Numpy --json product.json
    label=$(sed -n '/"label"/{s/.*: "\(.*\)",/\1/p;q}' product.json)
    ratio=$(sed -n '/"ratio"/,$p' product.json | sed -n 's/^ *"median": \(.*\),/\1/p' | head -1)
    echo "$label: $(awk -v n="$(number flops_per_second product.json)" 'BEGIN { printf "%.1f", n / 1e9 }') Gflop/s; numpy's BLAS takes $(ratio "$ratio" 1) times as long"
done
