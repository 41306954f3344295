/* SPDX-License-Identifier: MIT
 * Functions of the C mathematics library, opened when a program first needs one: few do, and a library that is linked
 * costs every run.
 */
#ifndef TF_FRONT_MATHLIB_H
#define TF_FRONT_MATHLIB_H

/* By name ("sqrt", "pow"); 1 when *result was computed, 0 when there is no such function. */
int math_one(const char *name, double x, double *result);
int math_two(const char *name, double x, double y, double *result);

#endif
