/* SPDX-License-Identifier: MIT
 * What is computed element by element, as an expression.
 *
 * In f32 only where the one rounding of f64 gives the same: for + - * / of numbers whose digits f32 has more than twice,
 * and where nothing is rounded.  All else is computed in double and rounded once as it is stored.
 */
#include "lower.h"

/* $0.. are the operands. */
struct rule {
    const char *kind;
    const char *real, *integer; /* NULL: none */
    int is_f32;                 /* may be computed in float */
    int is_truth;               /* gives int64_t */
};

static const struct rule binary_rules[] = {
    {"add", "$0 + $1", "(int64_t)((uint64_t)$0 + (uint64_t)$1)", 1, 0},
    {"sub", "$0 - $1", "(int64_t)((uint64_t)$0 - (uint64_t)$1)", 1, 0},
    {"mul", "$0 * $1", "(int64_t)((uint64_t)$0 * (uint64_t)$1)", 1, 0},
    {"div", "$0 / $1", NULL, 1, 0},
    {"floor_div", NULL, "int_quotient($0, $1, &status)", 0, 0},
    {"mod", NULL, "int_remainder($0, $1, &status)", 0, 0},
    {"min", "$0 != $0 ? $0 : $1 != $1 ? $1 : $0 < $1 ? $0 : $1", "$0 < $1 ? $0 : $1", 1, 0},
    {"max", "$0 != $0 ? $0 : $1 != $1 ? $1 : $0 > $1 ? $0 : $1", "$0 > $1 ? $0 : $1", 1, 0},
    {"eq", "$0 == $1", "$0 == $1", 1, 1},
    {"ne", "$0 != $1", "$0 != $1", 1, 1},
    {"lt", "$0 < $1", "$0 < $1", 1, 1},
    {"le", "$0 <= $1", "$0 <= $1", 1, 1},
    {"gt", "$0 > $1", "$0 > $1", 1, 1},
    {"ge", "$0 >= $1", "$0 >= $1", 1, 1},
    {"and", NULL, "$0 && $1", 0, 1},
    {"or", NULL, "$0 || $1", 0, 1},
};

static const struct rule unary_rules[] = {
    {"neg", "-$0", "(int64_t)(0 - (uint64_t)$0)", 1, 0},
    {"abs", "absolute_$t($0)", "$0 < 0 ? (int64_t)(0 - (uint64_t)$0) : $0", 1, 0},
    {"rsqrt", "1 / sqrt($0)", NULL, 0, 0},
    {"cast", "$0", "$0", 1, 0},
    {"not", NULL, "!$0", 0, 1},
    {"relu", "$0 < 0 ? 0 : $0", "$0 < 0 ? 0 : $0", 1, 0},
    {"square", "$0 * $0", "(int64_t)((uint64_t)$0 * (uint64_t)$0)", 1, 0},
    {"exp", "exp($0)", NULL, 0, 0},
    {"log", "log($0)", NULL, 0, 0},
    {"ceil", "ceil($0)", "$0", 0, 0},
    {"round", "rint($0)", "$0", 0, 0},
    {"exp2", "exp2($0)", NULL, 0, 0},
    {"log2", "log2($0)", NULL, 0, 0},
    {"silu", "$0 / (1 + exp(-$0))", NULL, 0, 0},
    {"sigmoid", "1 / (1 + exp(-$0))", NULL, 0, 0},
    {"tanh", "tanh($0)", NULL, 0, 0},
    {"softplus", "$0 > 20 ? $0 : log1p(exp($0))", NULL, 0, 0},
    {"gelu-tanh", "gelu_by_tanh_$t($0)", NULL, 1, 0},
    {"gelu-erf", "gelu_by_erf_$t($0)", NULL, 1, 0},
};

static const char *key_of(const struct tf_node *node)
{
    if (is_op(node, "unary") || is_op(node, "binary"))
        return node->attrs[0].u.s;
    if (is_op(node, "gelu"))
        return strcmp(node->attrs[0].u.s, "tanh") == 0 ? "gelu-tanh" : "gelu-erf";
    return node->op->name;
}

static const struct rule *rule_of(const struct tf_node *node)
{
    const struct rule *rules = node->n_in == 2 ? binary_rules : unary_rules;
    size_t n = node->n_in == 2 ? sizeof(binary_rules) / sizeof(*rules) : sizeof(unary_rules) / sizeof(*rules);
    if (node->kind != TF_NODE_CALL || node->n_in < 1 || node->n_in > 2)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (strcmp(rules[i].kind, key_of(node)) == 0)
            return &rules[i];
    return NULL;
}

int is_elementwise(const struct tf_node *node)
{
    if (is_op(node, "where") || is_op(node, "clamp"))
        return 1;
    const struct rule *rule = rule_of(node);
    if (!rule || node->in[0]->type->kind != TF_TYPE_TENSOR || node->type->kind != TF_TYPE_TENSOR)
        return 0;
    return (is_real(node->in[0]->type->dtype) ? rule->real : rule->integer) != NULL;
}

/* Whether f32 holds the operands with digits to spare: not those whose range is f32's own but whose digits are fewer than
 * any, and not f64. */
static int suits_f32(uint32_t dtype)
{
    return dtype == TF_DTYPE_F32 || dtype == TF_DTYPE_F16 || dtype == TF_DTYPE_BF16;
}

static const char *fill(
    struct lower *l, const char *rule, const char *const *in, uint32_t n, const char *lane, const char *type)
{
    struct text text = {0};
    for (; *rule; rule++) {
        if (*rule != '$')
            text_add(l, &text, "%c", *rule);
        else if (*++rule == 't')
            text_add(l, &text, "%s", type);
        else if ((uint32_t)(*rule - '0') < n)
            text_add(l, &text, "%s%s", lane, in[*rule - '0']);
    }
    return text.at;
}

static const char *bound_text(struct lower *l, const struct tf_node *node, uint32_t attr)
{
    const struct tf_val *val = &node->attrs[attr];
    uint32_t dtype = node->in[0]->type->dtype;
    const struct tf_dtype_info *info = tf_host->dtype(dtype);
    if (val->kind == TF_VAL_NONE)
        return NULL;
    if (is_real(dtype)) {
        double number = val->kind == TF_VAL_FLOAT ? val->u.f : (double)val->u.i;
        return literal(l, lane_of(dtype), rounded(l, dtype, number));
    }
    if (val->kind == TF_VAL_FLOAT && !(val->u.f >= -0x1p63 && val->u.f < 0x1p63))
        return NULL;
    int64_t number = val->kind == TF_VAL_FLOAT ? (int64_t)val->u.f : val->u.i;
    uint32_t digits = info->bits - (info->cls == TF_CLASS_INT);
    int64_t most = (int64_t)((UINT64_C(1) << digits) - 1), least = info->cls == TF_CLASS_INT ? -most - 1 : 0;
    struct tf_val whole = {.kind = TF_VAL_INT, .u.i = number};
    return number < least || number > most ? NULL : constant(l, TF_DTYPE_I64, &whole);
}

static const char *clamp(struct lower *l, const struct tf_node *node, const char *x)
{
    const char *least = bound_text(l, node, 0), *most = bound_text(l, node, 1), *text = x;
    const char *lane = *lane_of(node->in[0]->type->dtype) == 'i'   ? "i64"
                       : *lane_of(node->in[0]->type->dtype) == 'f' ? "f32"
                                                                   : "f64";
    if (least)
        text = fmt(l, "at_least_%s(%s, %s)", lane, text, least);
    return most ? fmt(l, "at_most_%s(%s, %s)", lane, text, most) : text;
}

int copies_codes(const struct tf_node *node)
{
    uint32_t dtype = node->type->dtype;
    if (!is_op(node, "where") && !is_op(node, "cast"))
        return 0;
    for (uint32_t i = node->n_in == 3; i < node->n_in; i++)
        if (node->in[i]->type->dtype != dtype)
            return 0;
    return is_real(dtype) && strcmp(c_type(dtype), lane_of(dtype)) != 0;
}

const char *copied_code(struct lower *l, const struct tf_node *node, const char *const *in)
{
    return node->n_in == 3 ? fmt(l, "(%s)(%s ? %s : %s)", c_type(node->type->dtype), in[0], in[1], in[2]) : in[0];
}

const char *compute(struct lower *l, const struct tf_node *node, const char *const *in, const char **lane)
{
    uint32_t dtype = node->in[0]->type->dtype;
    *lane = lane_of(node->type->dtype);
    if (is_op(node, "where"))
        return fmt(l, "%s ? %s : %s", in[0], in[1], in[2]);
    if (is_op(node, "clamp"))
        return clamp(l, node, in[0]);
    const struct rule *rule = rule_of(node);
    if (!is_real(dtype)) {
        *lane = "int64_t";
        return fill(l, rule->integer, in, node->n_in, "", "i64");
    }
    int narrow = rule->is_f32 && suits_f32(dtype) && (node->n_in < 2 || suits_f32(node->in[1]->type->dtype));
    int exact = rule->is_truth || strcmp(rule->kind, "cast") == 0 || strncmp(rule->kind, "gelu", 4) == 0;
    if (dtype != TF_DTYPE_F64 && (narrow || exact)) {
        *lane = rule->is_truth ? "int64_t" : strncmp(rule->kind, "gelu", 4) == 0 ? "double" : "float";
        return fill(l, rule->real, in, node->n_in, "", "f32");
    }
    *lane = rule->is_truth ? "int64_t" : "double";
    return fill(l, rule->real, in, node->n_in, dtype == TF_DTYPE_F64 ? "" : "(double)", "f64");
}
