/* SPDX-License-Identifier: MIT */
#include "front/mathlib.h"

#include <dlfcn.h>
#include <string.h>

/* The address of a function; dlopen counts, and a library is never closed, so asking again is cheap. */
static void *function(const char *name)
{
    void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

int math_one(const char *name, double x, double *result)
{
    double (*f)(double);
    void *address = function(name);
    if (!address)
        return 0;
    memcpy(&f, &address, sizeof(f));
    *result = f(x);
    return 1;
}

int math_two(const char *name, double x, double y, double *result)
{
    double (*f)(double, double);
    void *address = function(name);
    if (!address)
        return 0;
    memcpy(&f, &address, sizeof(f));
    *result = f(x, y);
    return 1;
}
