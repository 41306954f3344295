/* SPDX-License-Identifier: MIT
 * Elements in memory, and the numbers of C that stand for them: float for every float that it holds exactly, double for
 * f64, int64_t for integers and truths.
 */
#include "lower.h"

#include <inttypes.h>
#include <math.h>

int is_real(uint32_t dtype)
{
    return tf_host->dtype(dtype)->cls == TF_CLASS_FLOAT;
}

const char *c_type(uint32_t dtype)
{
    switch (dtype) {
    case TF_DTYPE_F32: return "float";
    case TF_DTYPE_F64: return "double";
    case TF_DTYPE_F16:
    case TF_DTYPE_BF16: return "uint16_t";
    case TF_DTYPE_I8: return "int8_t";
    case TF_DTYPE_I32: return "int32_t";
    case TF_DTYPE_I64: return "int64_t";
    default: return "uint8_t";
    }
}

const char *lane_of(uint32_t dtype)
{
    return dtype == TF_DTYPE_F64 ? "double" : is_real(dtype) ? "float" : "int64_t";
}

const char *loaded(struct lower *l, uint32_t dtype, const char *element_text)
{
    if (dtype == TF_DTYPE_F32 || dtype == TF_DTYPE_F64 || dtype == TF_DTYPE_I64)
        return element_text;
    if (!is_real(dtype))
        return fmt(l, "(int64_t)%s", element_text);
    return fmt(l, "f32_of_%s(%s)", tf_host->dtype(dtype)->name, element_text);
}

const char *loaded_f64(struct lower *l, uint32_t dtype, const char *element_text)
{
    const char *number = loaded(l, dtype, element_text);
    return dtype == TF_DTYPE_F64 ? number : fmt(l, "(double)%s", number);
}

static const char *suffix_of(const char *lane)
{
    return *lane == 'f' ? "f32" : *lane == 'd' ? "f64" : "i64";
}

const char *stored(struct lower *l, uint32_t dtype, const char *lane, const char *number)
{
    if (strcmp(lane, c_type(dtype)) == 0)
        return number;
    if (dtype == TF_DTYPE_F64 || (dtype == TF_DTYPE_F32 && *lane != 'f'))
        return fmt(l, "(%s)(%s)", c_type(dtype), number);
    if (*lane == 'i' && dtype == TF_DTYPE_BOOL)
        return fmt(l, "(%s) != 0", number);
    if (*lane == 'i' && !is_real(dtype))
        return fmt(l, "(%s)(%s)", c_type(dtype), number);
    if (*lane == 'f' && !is_real(dtype))
        return fmt(l, "%s_of_f64((double)(%s))", tf_host->dtype(dtype)->name, number);
    return fmt(l, "%s_of_%s(%s)", tf_host->dtype(dtype)->name, suffix_of(lane), number);
}

const char *literal(struct lower *l, const char *lane, double number)
{
    const char *end = *lane == 'f' ? "f" : "";
    if (*lane == 'i')
        return fmt(l, "INT64_C(%" PRId64 ")", (int64_t)number);
    if (number != number)
        return *lane == 'f' ? "NAN" : "(double)NAN";
    if (isinf(number))
        return fmt(l, number < 0 ? "(-%sINFINITY)" : "%sINFINITY", *lane == 'f' ? "" : "(double)");
    if (fabs(number) < 1e6 && number == (double)(int64_t)number && !(number == 0 && signbit(number)))
        return fmt(l, number < 0 ? "(%.1f%s)" : "%.1f%s", number, end);
    return fmt(l, signbit(number) ? "(%a%s)" : "%a%s", number, end);
}

double rounded(struct lower *l, uint32_t dtype, double number)
{
    uint64_t room = 0;
    (void)l;
    tf_host->store_f64(dtype, 1, &number, &room, 0);
    tf_host->load_f64(dtype, 1, &room, &number);
    return number;
}

/* A number of the program, as a number of the dtype. */
const char *constant(struct lower *l, uint32_t dtype, const struct tf_val *val)
{
    double number;
    uint64_t room = 0;
    int64_t whole;
    if (val->kind == TF_VAL_FLOAT)
        tf_host->store_f64(dtype, 1, &val->u.f, &room, 0);
    else
        tf_host->store_i64(dtype, 1, &val->u.i, &room, 0);
    if (is_real(dtype)) {
        tf_host->load_f64(dtype, 1, &room, &number);
        return literal(l, lane_of(dtype), number);
    }
    tf_host->load_i64(dtype, 1, &room, &whole);
    return whole == INT64_MIN ? "INT64_MIN" : fmt(l, "INT64_C(%" PRId64 ")", whole);
}
