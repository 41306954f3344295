#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual lists every diagnostic code of the program, in the words of src/util/diag.def.
. "${TF_BUILD:?}/tests/functions.sh"
page=$TF_SRC/man/tilefoundry.1
awk '/^X\("/ { s = $0; sub(/^X\("/, "", s); code = s; sub(/".*/, "", code); sub(/^[^"]*", *"?/, "", s); text = s }
    /^ +"/ && open { s = $0; sub(/^ +"/, "", s); text = text s }
    /^X\("/ || open { open = text !~ /"\)$/; if (open) sub(/"$/, "", text); else { sub(/"\)$/, "", text); print code "\t" text } }' \
    "$TF_SRC/src/util/diag.def" | sort >"$scratch/codes"
[ "$(wc -l <"$scratch/codes")" = "$(grep -c '^X(' "$TF_SRC/src/util/diag.def")" ] || fail "diag.def was not read whole"
{
    sed '/^\.\\" codes:/q' "$page"
    echo '.Bl -tag -width Ds -compact'
    awk -F '\t' '{ gsub(/\\/, "\\e", $2); printf ".It Li %s\n", $1
        n = split($2, word, " "); line = ""
        for (i = 1; i <= n; i++) { if (length(line) + length(word[i]) > 76) { print line; line = "" } line = line (line == "" ? "" : " ") word[i] }
        if (line ~ /^[.'"'"']/) line = "\\&" line
        print line }' "$scratch/codes"
    echo '.El'
    sed -n '/^\.\\" end of codes/,$p' "$page"
} >"$scratch/page"
same "$page" "$scratch/page"
finish
