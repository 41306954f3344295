# Programs that are nearly products with what follows them element by element, each by another thing.
from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="two_products", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 132),))
class Near:
    @func
    def two_products(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "f32"]):
        return tf.matmul(tf.matmul(a, b), b)

    @func
    def beside_another(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "f32"]):
        return tf.matmul(a, b) + tf.matmul(a, b)

    @func
    def computed_operand(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "f32"]):
        return tf.matmul(tf.relu(a), b)

    @func
    def narrowed_operand(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "bf16"]):
        return tf.matmul(tf.cast(a, "bf16"), b)

    @func
    def two_results(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "f32"]):
        x = tf.matmul(a, b)
        return (x, tf.relu(x))

    @func
    def wide(a: Tensor[(4, 8), "f64"], b: Tensor[(8, 8), "f64"]):
        return tf.matmul(a, b)

    @func
    def whole_numbers(a: Tensor[(4, 8), "i32"], b: Tensor[(8, 8), "i32"]):
        return tf.matmul(a, b)

    @func
    def rows_after(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "f32"]):
        return tf.softmax(tf.matmul(a, b), -1)

    @func
    def sum_after(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "f32"]):
        return tf.reduce(tf.matmul(a, b), (-1,), True, ReduceKind.SUM)

    @func
    def broadcast(a: Tensor[(1, 8), "f32"], b: Tensor[(8, 8), "f32"], c: Tensor[(4, 8), "f32"]):
        return tf.matmul(a, b) + c

    @func
    def turned_after(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "f32"]):
        return tf.transpose(tf.matmul(a, b), (1, 0))

    @func

    @func
    def blocks_across(a: Tensor[(6, 8), "f32"], b: Tensor[(8, 8), "f32"], s: Tensor[(1, 12), "f32"]):
        return tf.reshape(tf.reshape(tf.matmul(a, b), (4, 12)) * s, (6, 8))

    @func
    def to_whole_numbers(a: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "f32"]):
        return tf.cast(tf.matmul(a, b), "i32")

    @func
    def no_product(a: Tensor[(4, 8), "f32"], b: Tensor[(4, 8), "f32"]):
        return tf.relu(a + b)

    @func
    def other_scale(x: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "fp8e4m3"], s: Tensor[(4, 1), "f32"]):
        codes = tf.cast(x / (s * tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX)), "fp8e4m3")
        return tf.matmul(codes, b, out_dtype="f32")

    @func
    def of_columns(x: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "fp8e4m3"]):
        codes = tf.cast(x / tf.reduce(x, (0,), True, ReduceKind.ABS_MAX), "fp8e4m3")
        return tf.matmul(codes, b, out_dtype="f32")

    @func
    def other_clamp(x: Tensor[(4, 8), "f32"], b: Tensor[(8, 8), "fp8e4m3"]):
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        codes = tf.cast(tf.clamp(x / scale, -447.0, 448.0), "fp8e4m3")
        return tf.matmul(codes, b, out_dtype="f32") * scale
