#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes a large program to stdout.
#   generate.sh statements N    one function of N statements
#   generate.sh functions N     N functions, each but the first calling the one before it once, in a chain of bounded depth
#   generate.sh size N          one program on N rows (an even number), with a loop over them: the same for every N
set -eu
kind=${1:?kind} n=${2:?count}

head() {
    cat <<'END'
from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget

END
}

case $kind in
statements)
    head
    cat <<'END'
@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 132),))
class Long:
    @func
    def go(x: Tensor[(64, 64), "f32"], w: Tensor[(64, 64), "f32"]):
        v0 = x + w
END
    awk -v n="$n" 'BEGIN { for (i = 1; i < n; i++) {
        if (i % 4 == 0) printf "        v%d = tf.exp(v%d)\n", i, i - 1
        else if (i % 4 == 1) printf "        v%d = v%d * w\n", i, i - 1
        else if (i % 4 == 2) printf "        v%d = v%d + x\n", i, i - 1
        else printf "        v%d = tf.matmul(v%d, w)\n", i, i - 1 }
        printf "        return v%d\n", n - 1 }'
    ;;
functions)
    head
    cat <<'END'
@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 132),))
class Many:
END
    awk -v n="$n" 'BEGIN {
        for (i = 0; i < n; i++) {
            printf "    @func\n    def f%d(x: Tensor[(64, 64), \"f32\"]):\n", i
            if (i % 8) printf "        y = f%d(x)\n        return y * x\n\n", i - 1
            else printf "        return tf.exp(x) + x\n\n"
        }
        print "    @func\n    def go(x: Tensor[(64, 64), \"f32\"]):\n        v0 = x"
        for (i = 0; i * 8 + 7 < n; i++) printf "        v%d = f%d(v%d)\n", i + 1, i * 8 + 7, i
        printf "        return v%d + x\n", i }'
    ;;
size)
    head
    cat <<END
@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class Sized:
    @func
    def go(x: Tensor[($n, 7168), "bf16"], w: Tensor[(7168, 1024), "bf16"]):
        rows = tf.cast(x, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, "mean")
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16")
        y = normed @ w
        acc = tf.zeros(Tensor[(1, 1024), "bf16"])
        for i in tile($n, 2):
            acc = acc + tf.reduce(y[i, :], (0,), True, "sum")
        return tf.transpose(tf.reshape(y, ($n, 8, 128)), (1, 0, 2)), acc
END
    ;;
*)
    echo "generate.sh: unknown kind $kind" >&2
    exit 2
    ;;
esac
