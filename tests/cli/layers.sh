#!/bin/sh
# SPDX-License-Identifier: MIT
# The house stands: a folder includes headers of the folders before it only, plugins include the public header alone, and
# the core names no operator, analyzer or backend.
. "${TF_BUILD:?}/tests/functions.sh"
cd "$TF_SRC/src"
order="util type target ir front plugin eval check report bench cli"
interfaces='plugin/registry\.h|plugin/records\.h'
above=
for folder in $order; do
    [ -d "$folder" ] || continue
    above="$above $folder"
    allowed=$(echo "$above" | sed 's/^ //; s/ /|/g')
    wrong=$(grep -HnE '^#include "[a-z]+/' "$folder"/*.[ch] 2>/dev/null | grep -vE "#include \"(($allowed)/|$interfaces)" || :)
    [ -z "$wrong" ] || fail "$folder includes a folder that stands after it: $wrong"
done
wrong=$(find "$TF_SRC/plugins" -name '*.[ch]' -exec grep -HnE '#include "(util|type|target|ir|front|plugin|eval|check|report|bench|cli)/' {} + || :)
[ -z "$wrong" ] || fail "a plugin includes the core: $wrong"

# no string literal of the core is the name of something that a plugin provides
"$TF" plugin list 2>/dev/null | awk 'NR > 1 { print $1 }' | sort -u >"$scratch/names"
for name in $(cat "$scratch/names"); do
    "$TF" plugin show "$name" | awk '/^ *(analyzer|backend|predicate|path|twin)/ { sub(/:.*/, "", $2); print $2 }'
done | sort -u >"$scratch/provided"
[ -s "$scratch/provided" ] || fail "nothing is provided"
for name in $(cat "$scratch/provided"); do
    # <memory> is an element of target documents, and a key of check's report, too; "derived" an origin of facts
    wrong=$(grep -HnE "[(,={] *\"$name\" *[]),;}]" ./*/*.c | grep -vE '^\./(target/.*|check/json\.c:.*)"(memory|derived)"' || :)
    [ -z "$wrong" ] || fail "the core names $name: $wrong"
done
finish
