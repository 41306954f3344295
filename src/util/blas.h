/* SPDX-License-Identifier: MIT
 * The CBLAS library of this machine, opened the first time that it is asked for.
 */
#ifndef TF_UTIL_BLAS_H
#define TF_UTIL_BLAS_H

#include <tilefoundry/plugin.h>

/* NULL where there is none, or TILEFOUNDRY_BLAS is empty; the same answer every time. */
const struct tf_blas *blas_open(void);

#endif
