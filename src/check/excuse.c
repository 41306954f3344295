/* SPDX-License-Identifier: MIT
 * What qualifies a FAIL of a comparison with the reference: whether all that differs from it is legal.
 */
#include "check/check.h"

#include <math.h>

static int is_inside(const struct tf_tensor *enclosure, size_t i, double value)
{
    if (isnan(value))
        return enclosure->doubt[i] != 0;
    return ((const double *)enclosure->data)[i] <= value && value <= enclosure->bound[i];
}

void excuse_feed(struct excusing *excusing, const struct tensor *candidate, const struct tensor *reference,
    uint64_t first, uint64_t n, const struct tf_tensor *enclosure)
{
    for (uint64_t i = 0; i < n && !excusing->outside; i++) {
        double value = element_value(candidate, first + i), held = element_value(reference, first + i);
        if (value == held || (isnan(value) && isnan(held)))
            continue;
        excusing->differing++;
        excusing->outside += !is_inside(enclosure, i, value);
    }
}

void excuse_end(const struct excusing *excusing, struct output_finding *output)
{
    if (output->verdict != VERDICT_FAIL || excusing->outside || !excusing->differing)
        return;
    for (size_t k = 0; k < output->n_findings; k++) {
        struct finding *finding = &output->findings[k];
        if (!finding->judgement.passed && !finding->judgement.note && !finding->has_enclosure)
            finding->judgement.note = "every element that differs lies inside of what legal implementations can give";
    }
}
