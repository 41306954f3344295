/* SPDX-License-Identifier: MIT
 * Products through the CBLAS library of this machine, for sums that have a bound and not bits.  What this processor's
 * vectors do here is as quick; the library is asked where there are none, or where the user names one.
 */
#include "eval.h"
#include "multiply.h"

#define WORTH 0x1p24 /* products that are worth opening a library for */

static int is_finite(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * 0; /* which is NaN for infinities and NaN: libraries differ in what they make of those */
    return sum == 0;
}

static const struct tf_blas *library(double work)
{
    int has_vectors = multiply_with(MULTIPLY_AVX512, 0) || multiply_with(MULTIPLY_AVX2, 0);
    int is_wanted = work >= WORTH && (!has_vectors || getenv("TILEFOUNDRY_BLAS"));
    return is_wanted ? tf_host->get_interface(TF_BLAS) : NULL;
}

int matmul_by_blas(const struct tf_eval *e, const double *a, const double *b, double *to)
{
    const struct tf_tensor *lhs = e->args[0], *rhs = e->args[1], *result = e->results[0];
    uint32_t a_turned = strcmp(ok_string(e->call, 0), "KM") == 0, b_turned = strcmp(ok_string(e->call, 1), "NK") == 0;
    size_t m = (size_t)result->extents[result->rank - 2], n = (size_t)result->extents[result->rank - 1];
    size_t k = (size_t)lhs->extents[lhs->rank - (a_turned ? 2 : 1)], batches = ek_extent(result, 0, result->rank - 2);
    const struct tf_blas *blas = library((double)m * (double)n * (double)k);
    if (!blas || !is_finite(a, ek_count(lhs)) || !is_finite(b, ek_count(rhs)))
        return TF_E_UNSUPPORTED;
    int rc = TF_OK;
    for (size_t batch = 0; rc == TF_OK && batch < batches; batch++)
        rc = blas->product_f64(m, n, k, a + matmul_matrix_of(lhs, result, batch) * m * k, a_turned,
            b + matmul_matrix_of(rhs, result, batch) * k * n, b_turned, to + batch * m * n);
    return rc;
}
