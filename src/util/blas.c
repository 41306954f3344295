/* SPDX-License-Identifier: MIT */
#include "util/blas.h"

#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Of CBLAS's own header, which need not be there. */
enum { ROW_MAJOR = 101, NOT_TURNED = 111, TURNED = 112 };
typedef void dgemm_fn(int order, int turned_a, int turned_b, int m, int n, int k, double alpha, const double *a,
    int lda, const double *b, int ldb, double beta, double *c, int ldc);

static dgemm_fn *dgemm;

static int is_int(size_t n)
{
    return n > 0 && n <= INT_MAX;
}

static int product_f64(
    size_t m, size_t n, size_t k, const double *a, uint32_t a_turned, const double *b, uint32_t b_turned, double *c)
{
    if (!is_int(m) || !is_int(n) || !is_int(k))
        return TF_E_UNSUPPORTED;
    dgemm(ROW_MAJOR, a_turned ? TURNED : NOT_TURNED, b_turned ? TURNED : NOT_TURNED, (int)m, (int)n, (int)k, 1, a,
        (int)(a_turned ? m : k), b, (int)(b_turned ? k : n), 0, c, (int)n);
    return TF_OK;
}

/* Threads that the library starts leave signals to the first one, whose handlers tidy up. */
static void *open_quietly(const char *name)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return library;
}

static int find_in(const char *name)
{
    void *library = *name ? open_quietly(name) : NULL;
    void *symbol = library ? dlsym(library, "cblas_dgemm") : NULL;
    memcpy(&dgemm, &symbol, sizeof(symbol)); /* ISO C has no cast from an object's pointer to a function's */
    return symbol != NULL;
}

const struct tf_blas *blas_open(void)
{
    static struct tf_blas blas = {.struct_size = sizeof(blas), .product_f64 = product_f64};
    static int is_known, is_there;
    if (!is_known) {
        const char *named = getenv("TILEFOUNDRY_BLAS");
        blas.library = named ? named : BLAS_LIBRARY;
        is_there = find_in(blas.library);
        is_known = 1;
    }
    return is_there ? &blas : NULL;
}
