/* SPDX-License-Identifier: MIT
 * An implementation of the program that the tests of bench measure.
 */
#include <tilefoundry/twin.h>

TF_TWIN(tilefoundry_twin)
{
    const float *a = call->args[0]->data, *b = call->args[1]->data;
    float *to = call->results[0]->data;
    for (int64_t i = 0; i < call->results[0]->extents[0]; i++)
        to[i] = a[i] + b[i];
    return 0;
}
