# SPDX-License-Identifier: MIT
# Analysing the annotated program that a report prints gives the same report, names and lines aside.
. "${TF_BUILD:-.}/tests/functions.sh"
all="--compute-cost --memory --roofline --performance"

# Totals, and for each statement its records; buffers of loops without their names.
essence() {
    sed -n -e '/^# analysis/d' -e '/^# [a-z]/p' -e 's/^ *[^#]*  # T[^;]*; \(.*\)/\1/p' "$1" |
        sed -e 's/[a-z_0-9]*\(:[0-9]*\)\{0,1\}@\([a-z]\)/@\2/g' |
        awk '/^loop-footprint/ { n = split($2, part, /[=,]/); for (i = 2; i <= n; i++) print part[i] | "sort"; close("sort"); next }
             { print }'
}

again() { # FILE MODULE FLAG...
    source=$1:$2; shift 2
    run "$TF" analyze "$source" "$scratch/first.py" "$@"
    [ "$status" = 0 ] || return 0
    expect_status 0 "$TF" analyze "$scratch/first.py" "$scratch/second.py" "$@"
    essence "$scratch/first.py" >"$scratch/a"
    essence "$scratch/second.py" >"$scratch/b"
    [ -s "$scratch/a" ] || fail "$source: nothing to compare"
    cmp -s "$scratch/a" "$scratch/b" || { fail "$source says something else when analysed again"; diff "$scratch/a" "$scratch/b" | head -5; }
    n=$((n + 1))
}

n=0
for file in analysis/rules.py report/staged.py print/cases/parts.py print/cases/endings.py; do
    for module in $(sed -n 's/^class \([A-Za-z]*\):.*/\1/p' "$TF_SRC/tests/$file"); do
        again "$TF_SRC/tests/$file" "$module" $all
    done
done
for module in Naive Fused; do
    again "$TF_SRC/examples/rms_norm_quant.py" "$module" $all
done
[ "$n" -ge 20 ] || fail "only $n programs were analysed"
finish
