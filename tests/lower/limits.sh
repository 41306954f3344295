#!/bin/sh
# SPDX-License-Identifier: MIT
# Limits of the front end, and programs that are long in each direction: none may cost more than it is long.
. "${TF_BUILD:-.}/tests/functions.sh"

cd "$scratch"
head='from tilefoundry import func, module
from tilefoundry.dsl import Tensor, tf
from tilefoundry.target import CudaTarget'
class='@module(entry="go", target=CudaTarget("nvidia.h200_sxm"))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):'

refused() { # NAME=N CODE: p.py is refused for that limit, and the message says how to raise it
    expect_status 1 "$TF" --limit "$1" analyze p.py:M - --compute-cost
    grep -q "\[limit\]" err || { fail "$1: not refused as a limit"; cat err; }
    grep -q -- "--limit ${1%=*}=N" err || { fail "$1: the message does not name the option"; cat err; }
}
accepted() { expect_status 0 "$TF" analyze p.py:M - --compute-cost; }

printf '%s\nV = [i for i in range(2000)]\n%s\n        return x * V\n' "$head" "$class" >p.py
expect_status 1 "$TF" --limit elements=100 analyze p.py:M - --compute-cost
grep -q -- '--limit elements=N' err || fail 'elements: the message does not name the option'

printf '%s\n%s\n        return tf.reshape(x, (%s32 * 1,))\n' "$head" "$class" "$(awk 'BEGIN{for(i=0;i<200;i++)printf "1 * "}')" >p.py
accepted
refused steps=300

printf '%s\n%s\n        return tf.concat([x for i in range(300)], axis=0)\n' "$head" "$class" >p.py
accepted
refused elements=200

printf 'import b\n%s\n%s\n        return x\n' "$head" "$class" >p.py
echo 'import c' >b.py
echo 'v = 1' >c.py
accepted
refused files=2

{
    echo "$head"
    awk 'BEGIN {
        for (i = 0; i < 40; i++) { printf "%*s@module(%s)\n%*sclass M%s:\n", 4 * i, "", i ? "" : "target=CudaTarget(\"nvidia.h200_sxm\")", 4 * i, "", i ? i : "" }
        printf "%*s@func\n%*sdef go(x: Tensor[(4, 8), \"f32\"]):\n%*sreturn x\n", 160, "", 160, "", 164, ""
    }'
} >p.py
refused depth=30

# 10,000 functions of a Module, each calling the one above
{
    echo "$head"
    echo '@module(entry="f9999", target=CudaTarget("nvidia.h200_sxm"))'
    echo 'class M:'
    awk 'BEGIN { for (i = 0; i < 10000; i++) printf "    @func\n    def f%d(x: Tensor[(4, 8), \"f32\"]):\n        return %s\n\n", i, i ? "f" i - 1 "(x)" : "x + x" }'
} >p.py
accepted
# 10,000 free functions, each calling the one above
{
    echo "$head"
    awk 'BEGIN { for (i = 0; i < 10000; i++) printf "@func\ndef f%d(x: Tensor[(4, 8), \"f32\"]):\n    return %s\n\n", i, i ? "f" i - 1 "(x)" : "x + x" }'
    printf '%s\n        return f9999(x)\n' "$class"
} >p.py
accepted
# a sum of 20,000 terms, and as many statements, constants and subscripts of subscripts
printf '%s\n%s\n        return x%s\n' "$head" "$class" "$(awk 'BEGIN { for (i = 0; i < 20000; i++) printf " + x" }')" >p.py
accepted
{
    printf '%s\nA0 = 4\n' "$head"
    awk 'BEGIN { for (i = 0; i < 20000; i++) printf "A%d = A%d + 0\n", i + 1, i }'
    echo "$class" | sed 's/(4, 8)/(A20000, 8)/'
    awk 'BEGIN { print "        v0 = x"; for (i = 0; i < 20000; i++) printf "        v%d = v%d + x\n", i + 1, i; print "        return v20000" }'
} >p.py
accepted
printf '%s\n%s\n        return x%s\n' "$head" "$class" "$(awk 'BEGIN { for (i = 0; i < 5000; i++) printf "[:, :]" }')" >p.py
accepted
finish
