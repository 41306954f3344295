/* SPDX-License-Identifier: MIT
 * conv2d: convolution of (N, C, H, W) with (O, C / groups, KH, KW), plus a bias of (O).
 */
#include "nn.h"
#include "eval.h"

#define ATTR_STRIDE 0u
#define ATTR_PADDING 1u
#define ATTR_DILATION 2u
#define ATTR_GROUPS 3u

/* Axes of input and result; of weight, 0 is O, 1 the input channels of a group, 2 and 3 the taps. */
#define N 0u
#define C 1u
#define H 2u

static int read_pair(tf_ctx *ctx, const struct tf_call *call, uint32_t attr, int64_t least, int64_t pair[2])
{
    const struct tf_val *val = &call->attrs[attr];
    const char *name = call->op->attrs[attr].name;
    int fits = val->kind == TF_VAL_TUPLE && val->count == 2;
    for (uint32_t i = 0; fits && i < 2; i++) {
        fits = val->u.items[i].kind == TF_VAL_INT && val->u.items[i].u.i >= least;
        pair[i] = val->u.items[i].u.i;
    }
    if (fits)
        return TF_OK;
    return OK_REFUSE(ctx, call, "conv-attribute", "conv2d: %s has to be two integers, each %s", name,
        least > 0 ? "1 or more" : "0 or more");
}

static int read_attributes(tf_ctx *ctx, const struct tf_call *call, struct conv *conv)
{
    int rc = read_pair(ctx, call, ATTR_STRIDE, 1, conv->stride);
    if (rc == TF_OK)
        rc = read_pair(ctx, call, ATTR_PADDING, 0, conv->padding);
    if (rc == TF_OK)
        rc = read_pair(ctx, call, ATTR_DILATION, 1, conv->dilation);
    if (rc)
        return rc;
    conv->groups = ok_int(call, ATTR_GROUPS);
    if (conv->groups < 1)
        return OK_REFUSE(
            ctx, call, "conv-attribute", "conv2d: groups is %lld; 1 or more is expected", (long long)conv->groups);
    return TF_OK;
}

static int check_operands(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv)
{
    if (conv->input->rank != 4 || conv->weight->rank != 4 || conv->bias->rank != 1)
        return OK_REFUSE(ctx, call, OK_CODE_RANK,
            "conv2d: input, weight and bias have shapes %s, %s and %s; (N, C, H, W), (O, C / groups, KH, KW) and (O,) "
            "are expected",
            ok_shape_text(ctx, conv->input), ok_shape_text(ctx, conv->weight), ok_shape_text(ctx, conv->bias));
    if (conv->input->dtype != conv->weight->dtype || conv->input->dtype != conv->bias->dtype)
        return OK_REFUSE(ctx, call, OK_CODE_DTYPE,
            "conv2d: input, weight and bias are %s, %s and %s; nothing is promoted: convert them to one dtype",
            ok_dtype_name(conv->input->dtype), ok_dtype_name(conv->weight->dtype), ok_dtype_name(conv->bias->dtype));
    return TF_OK;
}

static int check_taps(tf_ctx *ctx, const struct tf_call *call, struct conv *conv)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct tf_dim *taps = conv->weight->shape[2 + i];
        if (taps->kind != TF_DIM_CONST)
            return OK_REFUSE(ctx, call, "open-extent",
                "conv2d: weight has shape %s; the last two extents must be known", ok_shape_text(ctx, conv->weight));
        if (taps->value < 1)
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
                "conv2d: weight has shape %s; the last two extents must be 1 or "
                "more",
                ok_shape_text(ctx, conv->weight));
        conv->kernel[i] = taps->value;
    }
    return TF_OK;
}

/* groups divides both channel counts, and weight has the input channels of one group. */
static int check_channels(tf_ctx *ctx, const struct tf_call *call, struct conv *conv)
{
    const struct tf_dim *in = conv->input->shape[C], *out = conv->weight->shape[0], *each = in;
    long long groups = (long long)conv->groups;
    if (groups != 1) {
        if (in->kind != TF_DIM_CONST || out->kind != TF_DIM_CONST)
            return OK_REFUSE(
                ctx, call, "open-extent", "conv2d: with groups=%lld both channel counts must be known", groups);
        if (in->value % groups || out->value % groups)
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
                "conv2d: %lld input and %lld output channels; groups=%lld has to divide both", (long long)in->value,
                (long long)out->value, groups);
        each = tf_host->dim_const(ctx, in->value / groups);
        conv->outputs_a_group = out->value / groups;
    }
    if (conv->weight->shape[1] != each)
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
            "conv2d: weight has shape %s; its axis 1 has to be the input's channels, axis 1 of %s, divided by "
            "groups=%lld",
            ok_shape_text(ctx, conv->weight), ok_shape_text(ctx, conv->input), groups);
    if (conv->bias->shape[0] != out)
        return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
            "conv2d: bias has shape %s; one for each output channel of %s is "
            "expected",
            ok_shape_text(ctx, conv->bias), ok_shape_text(ctx, conv->weight));
    return TF_OK;
}

static int read_conv(tf_ctx *ctx, const struct tf_call *call, struct conv *conv)
{
    *conv = (struct conv){.input = ok_arg(call, 0), .weight = ok_arg(call, 1), .bias = ok_arg(call, 2)};
    int rc = check_operands(ctx, call, conv);
    if (rc == TF_OK)
        rc = read_attributes(ctx, call, conv);
    if (rc == TF_OK)
        rc = check_taps(ctx, call, conv);
    return rc ? rc : check_channels(ctx, call, conv);
}

/* (extent + 2 * padding - (dilation * (taps - 1) + 1)) // stride + 1; NULL after a diagnostic. */
static const struct tf_dim *result_extent(tf_ctx *ctx, const struct conv *conv, uint32_t i)
{
    const struct tf_dim *one = tf_host->dim_const(ctx, 1);
    const struct tf_dim *padding = tf_host->dim_const(ctx, conv->padding[i]);
    const struct tf_dim *both = tf_host->dim_add(ctx, padding, padding);
    const struct tf_dim *reach =
        tf_host->dim_mul(ctx, tf_host->dim_const(ctx, conv->dilation[i]), tf_host->dim_const(ctx, conv->kernel[i] - 1));
    const struct tf_dim *room = both ? tf_host->dim_add(ctx, conv->input->shape[H + i], both) : NULL;
    if (room && reach)
        room = tf_host->dim_sub(ctx, room, reach);
    if (room && reach)
        room = tf_host->dim_sub(ctx, room, one);
    if (!room || !reach)
        return NULL;
    const struct tf_dim *steps = tf_host->dim_floordiv(ctx, room, tf_host->dim_const(ctx, conv->stride[i]));
    return steps ? tf_host->dim_add(ctx, steps, one) : NULL;
}

static int result_shape(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv, const struct tf_dim *shape[4])
{
    shape[N] = conv->input->shape[N];
    shape[C] = conv->weight->shape[0];
    for (uint32_t i = 0; i < 2; i++) {
        const struct tf_dim *extent = shape[H + i] = result_extent(ctx, conv, i);
        if (!extent)
            return TF_E_REFUSED;
        if (extent->kind == TF_DIM_CONST && extent->value < 1)
            return OK_REFUSE(ctx, call, OK_CODE_SHAPE,
                "conv2d: the window of %lld taps does not fit into axis %u of %s with this padding and dilation",
                (long long)conv->kernel[i], H + i, ok_shape_text(ctx, conv->input));
    }
    return TF_OK;
}

/* The input's coordinate for a tap at a place of the result; one tap does not move it. */
static struct tf_axis window_axis(const struct conv *conv, uint32_t i, uint32_t place, uint32_t tap)
{
    struct tf_axis axis = ok_walk_axis(place);
    axis.scale[0] = conv->stride[i];
    axis.offset = -conv->padding[i];
    if (conv->kernel[i] != 1) {
        axis.iter[1] = (int32_t)tap;
        axis.scale[1] = conv->dilation[i];
    }
    return axis;
}

static struct tf_axis sum_axis(uint32_t a, int64_t scale, uint32_t b)
{
    return (struct tf_axis){.kind = TF_AXIS_WALK, .iter = {(int32_t)a, (int32_t)b}, .scale = {scale, 1}};
}

/* Fills the boundaries of a box (N, channels..., OH, OW, channels of a group, KH, KW): out is how an output channel is
 * reached, in how an input channel is. */
static void relate_windows(tf_ctx *ctx, const struct conv *conv, struct tf_relation *relation, uint32_t place,
    struct tf_axis out, struct tf_axis in)
{
    uint32_t channel = place + 2, tap = place + 3;
    struct tf_axis *input = ok_axes(ctx, &relation->in[0], 4);
    struct tf_axis *weight = ok_axes(ctx, &relation->in[1], 4);
    struct tf_axis *bias = ok_axes(ctx, &relation->in[2], 1);
    struct tf_axis *result = ok_axes(ctx, &relation->out[0], 4);
    input[N] = result[N] = ok_walk_axis(0);
    input[C] = in;
    weight[0] = bias[0] = result[C] = out;
    weight[1] = ok_walk_axis(channel);
    for (uint32_t i = 0; i < 2; i++) {
        input[H + i] = window_axis(conv, i, place + i, tap + i);
        weight[2 + i] = ok_walk_axis(tap + i);
        result[H + i] = ok_walk_axis(place + i);
    }
}

/* One axis for the output channels, so that their division can be followed; with groups the input's channels then
 * follow no axis alone, and may not be divided. */
static int relate_derived(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv,
    const struct tf_dim *const *shape, struct tf_relation *relation)
{
    const struct tf_dim *const extent[] = {shape[N], shape[C], shape[H], shape[H + 1], conv->weight->shape[1],
        conv->weight->shape[2], conv->weight->shape[3]};
    int rc = tf_host->relation_box(ctx, call, relation, 7, extent, 1);
    if (rc)
        return rc;
    relate_windows(ctx, conv, relation, 2, ok_walk_axis(1), conv->groups == 1 ? ok_walk_axis(4) : sum_axis(1, 1, 4));
    return TF_OK;
}

/* With groups an output channel is (group, channel in it), and the group says which input channels it reaches. */
static int relate_groups(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv,
    const struct tf_dim *const *shape, struct tf_relation *relation)
{
    const struct tf_dim *each = conv->weight->shape[1];
    const struct tf_dim *const extent[] = {shape[N], tf_host->dim_const(ctx, conv->groups),
        tf_host->dim_const(ctx, conv->outputs_a_group), shape[H], shape[H + 1], each, conv->weight->shape[2],
        conv->weight->shape[3]};
    int rc = tf_host->relation_box(ctx, call, relation, 8, extent, 1);
    if (rc)
        return rc;
    relate_windows(ctx, conv, relation, 3, sum_axis(1, conv->outputs_a_group, 2), sum_axis(1, each->value, 5));
    return TF_OK;
}

static int relate_conv2d(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    const struct tf_dim *shape[4];
    struct conv conv;
    int rc = read_conv(ctx, call, &conv);
    if (rc == TF_OK)
        rc = result_shape(ctx, call, &conv, shape);
    if (rc)
        return rc;
    return conv.groups == 1 ? relate_derived(ctx, call, &conv, shape, relation)
                            : relate_groups(ctx, call, &conv, shape, relation);
}

static int derive_layout(tf_ctx *ctx, const struct tf_call *call, const struct conv *conv,
    const struct tf_dim *const *shape, const struct tf_layout **layout)
{
    *layout = NULL;
    if (ok_is_sharded(conv->input) || ok_is_sharded(conv->weight) || ok_is_sharded(conv->bias)) {
        struct tf_relation relation = {0};
        int rc = relate_derived(ctx, call, conv, shape, &relation);
        if (rc == TF_OK)
            rc = ok_derive(ctx, call, &relation, 4, shape, UINT64_C(7) << 4, 0, 1, layout);
        if (rc)
            return rc;
    }
    if (!*layout)
        *layout = tf_host->layout_plain(ctx, 4, shape, NULL);
    return TF_OK;
}

static int infer_conv2d(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    const struct tf_dim *shape[4];
    const struct tf_layout *layout;
    struct conv conv;
    int rc = ok_tensors(ctx, call);
    if (rc == TF_OK)
        rc = read_conv(ctx, call, &conv);
    if (rc == TF_OK)
        rc = result_shape(ctx, call, &conv, shape);
    if (rc == TF_OK)
        rc = conv_check_shards(ctx, call, &conv);
    if (rc == TF_OK)
        rc = derive_layout(ctx, call, &conv, shape, &layout);
    if (rc)
        return rc;
    *result = ok_like(ctx, conv.input, conv.input->dtype, 4, shape, layout, conv.input->storage);
    return TF_OK;
}

/* A multiplication and an addition for each element of the result, each tap and each channel of a group. */
static int cost_conv2d(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work)
{
    (void)ctx;
    const struct tf_type *weight = ok_arg(call, 1);
    uint64_t each = 2;
    int rc = TF_OK;
    for (uint32_t axis = 1; axis < 4 && rc == TF_OK; axis++)
        rc = ok_mul(each, (uint64_t)weight->shape[axis]->value, &each);
    return rc ? rc : ok_work_elements(work, TF_WORK_TENSOR, ok_arg(call, 0)->dtype, call->type, each);
}

static const struct tf_input inputs[] = {{.name = "input"}, {.name = "weight"}, {.name = "bias"}};

static const struct tf_attr_decl attrs[] = {
    {.name = "stride", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_REQUIRED},
    {.name = "padding", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_REQUIRED},
    {.name = "dilation", .kind = TF_ATTR_TUPLE, .flags = TF_ATTR_REQUIRED},
    {.name = "groups", .kind = TF_ATTR_INT, .flags = TF_ATTR_REQUIRED},
};

const struct tf_op op_conv2d = {
    .struct_size = sizeof(op_conv2d),
    .name = "conv2d",
    .summary = "convolution over the last two axes, with a bias",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer_conv2d,
    .cost = cost_conv2d,
    .relate = relate_conv2d,
    .eval = eval_conv2d,
};
