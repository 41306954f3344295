# SPDX-License-Identifier: MIT
# Sourced after functions.sh by the tests of operator families:  run_cases NAME
# NAME.cases holds small functions, each under a line `== TITLE`; NAME.golden what analyze says of each: the totals and,
# for each statement, type, work and traffic by operand, or the refusal.
case_header='from tilefoundry import func, module
from tilefoundry.dsl import BinaryKind, ConstTensor, DimVar, Mesh, ReduceKind, Tensor, Topology, UnaryKind, tf
from tilefoundry.target import CudaTarget
N = DimVar("N", 1, 65)
@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    @func'

split_cases() {
    awk -v header="$case_header" -v dir="$scratch/cases" '
        /^#/ || /^$/ { next }
        /^== / { n++; file = sprintf("%s/%03d.py", dir, n); print substr($0, 4) > (file ".title"); print header > file; next }
        { print "    " $0 > file }' "$1"
}

run_cases() {
    mkdir -p "$scratch/cases"
    split_cases "$TF_SRC/tests/ops/$1.cases"
    for program in "$scratch/cases"/*.py; do
        cp "$program" "$scratch/case.py"
        flags=${CASE_FLAGS:-}
        [ -n "$flags" ] || ! grep -q '^    def .*(N[, ]' "$program" || flags='--dim N=16'
        run env -C "$scratch" "$TF" analyze case.py:M - --compute-cost --memory --operands $flags
        echo "== $(cat "$program.title")"
        grep '^case.py:.*: error: ' "$scratch/err" | sed 's/^case.py:[0-9]*:\([0-9]*\):/column \1:/' || :
        [ "$status" != 0 ] || sed -n -e '/^# compute-cost/p; /^# traffic/p' -e '/^    [ a-z].*# T/p' "$scratch/out"
    done >"$scratch/golden"
    same "$TF_SRC/tests/ops/$1.golden" "$scratch/golden"
}
