/* SPDX-License-Identifier: MIT
 * What qualifies a FAIL of a comparison with the reference: whether all that differs from it is legal.
 */
#include "check/check.h"

#include <math.h>

static int is_inside(const struct tensor *enclosure, size_t i, double value)
{
    if (isnan(value))
        return enclosure->pub.doubt[i] != 0;
    return ((const double *)enclosure->pub.data)[i] <= value && value <= enclosure->pub.bound[i];
}

/* Whether some elements differ, and all of those lie inside. */
static int is_legal(const struct tensor *candidate, const struct tensor *reference, const struct tensor *enclosure)
{
    uint64_t differing = 0;
    for (size_t i = 0; i < candidate->count; i++) {
        double value = element_value(candidate, i), held = element_value(reference, i);
        if (value == held || (isnan(value) && isnan(held)))
            continue;
        if (!is_inside(enclosure, i, value))
            return 0;
        differing++;
    }
    return differing != 0;
}

void excuse(const struct leaves *candidate, const struct leaves *reference, const struct leaves *enclosures,
    struct output_finding *outputs)
{
    for (size_t i = 0; i < enclosures->n; i++) {
        struct output_finding *output = &outputs[i];
        if (output->verdict != VERDICT_FAIL ||
            !is_legal(candidate->at[i].tensor, reference->at[i].tensor, enclosures->at[i].tensor))
            continue;
        for (size_t k = 0; k < output->n_findings; k++) {
            struct finding *finding = &output->findings[k];
            if (!finding->judgement.passed && !finding->judgement.note && !finding->has_enclosure)
                finding->judgement.note =
                    "every element that differs lies inside of what legal implementations can give";
        }
    }
}
