# SPDX-License-Identifier: MIT
# The forms of a report: text, with operands, JSON, the program alone; each family alone.
. "${TF_BUILD:-.}/tests/functions.sh"
here="$TF_SRC/tests/report"
cp "$here/staged.py" "$scratch/staged.py"
all="--compute-cost --memory --roofline --performance"

analyze() { expect_status 0 env -C "$scratch" "$TF" analyze staged.py "$@"; }

analyze - $all --operands
same "$here/staged.txt" "$scratch/out"
analyze - $all --json
# versions of plugins change; nothing else may
sed 's/^\(    "[a-z-]*": "[a-z-]*\) [0-9.]*"/\1 VERSION"/' "$scratch/out" >"$scratch/json"
same "$here/staged.json" "$scratch/json"
if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import json, sys
text = open(sys.argv[1]).read()
assert json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n" == text, "the form of json.dumps"' "$scratch/out" ||
        fail "the JSON's form"
fi

# OUT and stdout are the same text; families alone print their own lines.
analyze out.txt $all
[ ! -s "$scratch/out" ] || fail "wrote to stdout beside OUT"
analyze - $all
cmp -s "$scratch/out" "$scratch/out.txt" || fail "OUT and stdout differ"
for family in $all; do
    analyze - "$family"
    echo "== $family"
    sed -n '/^# /p; /^$/q' "$scratch/out"
    grep -c '# T' "$scratch/out"
done >"$scratch/families"
same "$here/families.golden" "$scratch/families"

# A refused run writes nothing.
expect_status 1 env -C "$scratch" "$TF" analyze staged.py refused.txt --performance --topology thread
[ ! -e "$scratch/refused.txt" ] || fail "a refused run left its OUT"
expect_status 1 env -C "$scratch" "$TF" analyze staged.py - --performance --topology thread --json
[ ! -s "$scratch/out" ] || fail "a refused run wrote to stdout"
finish
