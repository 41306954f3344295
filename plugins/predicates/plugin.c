/* SPDX-License-Identifier: MIT
 * predicates: the comparisons that `check` holds an output to.
 */
#include "measure.h"

static const struct tf_bound_decl ALLCLOSE[] = {
    {"atol", "what an element may differ by, whatever its size"},
    {"rtol", "and by this share of the reference's magnitude"},
};
static const struct tf_bound_decl BIAS[] = {{"max", "largest magnitude of the mean signed relative error"}};
static const struct tf_bound_decl COSINE[] = {{"min", "smallest cosine between the two sides"}};
static const struct tf_bound_decl GAIN[] = {{"max", "largest distance of the fitted gain from 1"}};
static const struct tf_bound_decl GRID[] = {
    {"max", "most codes that an element may be away"},
    {"budget", "how many elements may be away at all"},
};
static const struct tf_bound_decl MAX_ABS[] = {{"max", "largest absolute difference"}};
static const struct tf_bound_decl MAX_REL[] = {{"max", "largest relative difference"}};
static const struct tf_bound_decl REL_L2[] = {{"max", "largest norm of the difference, by the reference's norm"}};
static const struct tf_bound_decl ULP[] = {{"max", "most representable values that an element may be away"}};

#define N(array) .n_bounds = sizeof(array) / sizeof(*(array)), .bounds = (array)
#define FOLDED(name, state) .state_bytes = sizeof(struct state), .fold = fold_##name, .conclude = conclude_##name
#define JUDGED(name, state) .judge = judge_##name, FOLDED(name, state)
#define HEAD(text) .struct_size = sizeof(struct tf_predicate), .name = text

static const struct tf_predicate TABLE[] = {
    {HEAD("allclose"), .summary = "every element within atol + rtol * |reference|", N(ALLCLOSE), .dtypes = FLOATS,
        .needs_reference = 1, JUDGED(allclose, worst),
        .guidance = "Looks at each element, so it finds the one bad element that a norm hides.  Which side is the "
                    "reference matters: rtol is a share of the reference.  rtol says how many roundings there may be "
                    "between the two: one rounding to bf16 is at most 2^-8 (3.9e-3), to f16 2^-11 (4.9e-4), to f32 "
                    "2^-24 (6.0e-8), to fp8e4m3 2^-4 (6.3e-2), and two results that were rounded independently may be "
                    "twice that apart.  atol is for elements near zero, where a sum of large terms cancels: take a "
                    "rounding of the terms, not of the result.  An atol above the largest element accepts zeros."},
    {HEAD("bias"), .summary = "mean signed relative error", N(BIAS), .dtypes = FLOATS, .needs_reference = 1,
        JUDGED(bias, sums),
        .guidance = "The mean of (candidate - reference) / |reference|, signed away from zero, where the reference is "
                    "not zero.  Rounding to nearest leaves none over many elements; truncating shrinks every element: "
                    "a bf16 result that is truncated has a bias of -2.8e-3.  Errors of both signs cancel here, so it "
                    "stands beside a predicate that looks at each element, never alone."},
    {HEAD("cosine"), .summary = "direction of the output as a whole", N(COSINE), .dtypes = FLOATS, .needs_reference = 1,
        JUDGED(cosine, sums),
        .guidance = "Blind to a factor: twice the reference has cosine 1.  Take gain beside it.  A candidate of zeros "
                    "fails unless the reference is zeros too."},
    {HEAD("derived"), .summary = "every element one that a legal implementation can give", .dtypes = FLOATS | WHOLE,
        .needs_reference = 1, .judge_enclosed = judge_derived, FOLDED(derived, outcome),
        .guidance = "The bound is computed, per element, from the program, the inputs and what the candidate declares "
                    "of its arithmetic: it rounds where the program rounds, and is free in the order of a sum, in "
                    "fused multiply-add, in a wider accumulator, and in approximate functions as far as it declares "
                    "them (--declare).  outside counts elements that no such implementation gives, open those for "
                    "which it may give more than one value of the output's dtype.  For codes and indices the "
                    "enclosure is the set of admissible ones.  Take it for whatever a sum decides; take equal beside "
                    "it only where nothing is open."},
    {HEAD("equal"), .summary = "every element the same value", .dtypes = FLOATS | WHOLE, .needs_reference = 1,
        JUDGED(equal, tally),
        .guidance = "For discrete outputs (indices, masks, codes), where one wrong value is a wrong answer.  -0 equals "
                    "+0, and NaN equals nothing.  On the floating output of a long sum it fails implementations that "
                    "add in another legal order."},
    {HEAD("gain"), .summary = "factor between the two sides", N(GAIN), .dtypes = FLOATS, .needs_reference = 1,
        JUDGED(gain, sums),
        .guidance = "Fits candidate = g * reference in the sense of least squares; max bounds |g - 1|.  Finds the "
                    "constant factor that cosine cannot see, and that a loose rel_l2 lets pass."},
    {HEAD("grid"), .summary = "distance in codes, with a budget by count", N(GRID), .dtypes = FLOATS,
        .needs_reference = 1, JUDGED(grid, distances),
        .guidance = "For fp8 and other narrow outputs: an element that lies on a tie before it is rounded may come out "
                    "one code away in a correct implementation.  max is how far, budget how many elements in all; a "
                    "budget is a count and not a share, so that it does not grow with the output.  --verbose shows how "
                    "many elements are how many codes apart."},
    {HEAD("max_abs"), .summary = "largest absolute difference", N(MAX_ABS), .dtypes = FLOATS, .needs_reference = 1,
        JUDGED(max_abs, worst),
        .guidance = "For outputs of one known scale, such as probabilities.  A bound above the largest element accepts "
                    "zeros."},
    {HEAD("max_rel"), .summary = "largest relative difference", N(MAX_REL), .dtypes = FLOATS, .needs_reference = 1,
        JUDGED(max_rel, worst),
        .guidance = "For outputs whose every element has correct digits.  Where the reference is 0 only 0 passes; an "
                    "output with elements near zero wants allclose."},
    {HEAD("nan_inf"), .summary = "no NaN and no infinity", .dtypes = FLOATS, JUDGED(nan_inf, nonfinite),
        .guidance = "The one that needs no reference.  It says nothing of the values: zeros pass."},
    {HEAD("rel_l2"), .summary = "norm of the difference, by the reference's norm", N(REL_L2), .dtypes = FLOATS,
        .needs_reference = 1, JUDGED(rel_l2, sums),
        .guidance = "How large the error is on the whole.  One rounding to bf16 gives 1.66e-3, to f16 2.1e-4, to "
                    "fp8e4m3 2.7e-2.  A single wrong element among many hides in it: take allclose or max_abs beside "
                    "it."},
    {HEAD("ulp"), .summary = "distance in representable values", N(ULP), .needs_reference = 1,
        .dtypes = BIT(F32) | BIT(F16) | BIT(BF16) | BIT(F64), JUDGED(ulp, distances),
        .guidance = "How many values of the output's dtype lie between the two.  Good for functions of one element; "
                    "near zero an error that is small beside the terms of a sum is a great many steps.  For fp8 take "
                    "grid."},
};

#define ITEM(i) &TABLE[i]
static const struct tf_predicate *const LIST[] = {
    ITEM(0), ITEM(1), ITEM(2), ITEM(3), ITEM(4), ITEM(5), ITEM(6), ITEM(7), ITEM(8), ITEM(9), ITEM(10), ITEM(11)};
_Static_assert(sizeof(LIST) / sizeof(*LIST) == sizeof(TABLE) / sizeof(*TABLE), "one is not listed");

static const struct tf_plugin PLUGIN = {
    TF_PLUGIN_HEAD,
    .name = "predicates",
    .version = "1.0",
    .summary = "comparisons of a candidate's outputs with a reference",
    .n_predicates = sizeof(LIST) / sizeof(*LIST),
    .predicates = LIST,
};
TF_PLUGIN(PLUGIN);
