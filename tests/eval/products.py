# Products of sizes that no block divides, beside what they mean: each product by itself, then their sums.
from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

M, N, K = 13, 75, 530


@module(entry="f32", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Products:
    @func
    def f32(a: Tensor[(M, K), "f32"], b: Tensor[(3, K, N), "f32"]):
        return tf.matmul(a, b)

    @func
    def f64(a: Tensor[(M, K), "f64"], b: Tensor[(3, K, N), "f64"]):
        return tf.matmul(a, b)

    @func
    def i32(a: Tensor[(M, K), "i32"], b: Tensor[(3, K, N), "i32"]):
        return tf.matmul(a, b)

    @func
    def turned(a: Tensor[(M, K), "f32"], b: Tensor[(3, K, N), "f32"]):
        return tf.matmul(tf.transpose(a, (1, 0)), tf.transpose(b, (0, 2, 1)), a_layout="KM", b_layout="NK")

    @func
    def folded_f32(a: Tensor[(M, K), "f32"], b: Tensor[(3, K, N), "f32"]):
        each = tf.reshape(a, (1, M, K, 1)) * tf.reshape(b, (3, 1, K, N))
        return tf.reduce(each, (2,), False, ReduceKind.SUM)

    @func
    def folded_f64(a: Tensor[(M, K), "f64"], b: Tensor[(3, K, N), "f64"]):
        each = tf.reshape(a, (1, M, K, 1)) * tf.reshape(b, (3, 1, K, N))
        return tf.reduce(each, (2,), False, ReduceKind.SUM)

    @func
    def folded_i32(a: Tensor[(M, K), "i32"], b: Tensor[(3, K, N), "i32"]):
        each = tf.reshape(a, (1, M, K, 1)) * tf.reshape(b, (3, 1, K, N))
        return tf.reduce(each, (2,), False, ReduceKind.SUM)
