# SPDX-License-Identifier: MIT
# What the analyzers say of small programs, one for each rule.
. "${TF_BUILD:-.}/tests/functions.sh"
cp "$TF_SRC/tests/analysis/rules.py" "$scratch/rules.py"

# What of a report is asked for here: the totals, what loops reach, when calls run.
figures() {
    sed -n -e '/^# analysis/d; /^# selection/d; /^# [a-z]/p' \
        -e 's/^ *\(for .*:\)  # .*; \(loop-footprint .*\)/\1 \2/p' \
        -e 's/^ *\([a-z0-9_]* =\).*; performance\(=.*\)/\1 performance\2/p' "$1"
}

# show MODULE FLAG...
show() {
    module=$1; shift
    echo "== $module $*"
    run env -C "$scratch" "$TF" analyze "rules.py:$module" - "$@"
    [ "$status" = 0 ] || { echo "status $status"; sed -n 's/^rules.py/rules.py/p' "$scratch/err"; }
    [ "$status" = 0 ] || [ ! -s "$scratch/out" ] || fail "$module: refused, and wrote to stdout"
    figures "$scratch/out"
}

all="--compute-cost --memory --roofline --performance"
{
    for module in CarriedThroughBoth InnerOnly LaterTrips NoTrips RaggedTrips Invariant Views Results Sum TooLarge \
        RaggedTile EachUnit Overlap Diagonal ByData CarriedView Huge Timeline AtLeastTheBound Pipes Unrated NoFacts NoUnits \
        Levels NoLevels; do
        show $module $all
    done
    show Unrated --roofline
    show NoFacts --compute-cost
    for family in --memory --roofline --performance; do show NoFacts $family; done
    show NoUnits --roofline
    show Levels --compute-cost --memory --roofline --topology thread
    show Levels --performance --topology thread
    show NoLevels --compute-cost --memory --roofline
} >"$scratch/golden"
same "$TF_SRC/tests/analysis/rules.golden" "$scratch/golden"

# Whatever order they are asked for in, families come in theirs, and each once.
expect_status 0 env -C "$scratch" "$TF" analyze rules.py:Invariant - --performance --memory --performance
grep -q '^# selection requested=memory,performance executed=memory,compute-cost,performance$' "$scratch/out" ||
    fail "the order of families"
finish
