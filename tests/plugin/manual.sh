# SPDX-License-Identifier: MIT
# tilefoundry-plugin(3) documents every member of every public struct, prints the example's files as they are, and lists the
# codes that loading a plugin may give.
. "${TF_BUILD:-.}/tests/functions.sh"
page=$TF_SRC/man/tilefoundry-plugin.3

awk '/^abi/ { next }
    /^[a-z]/ { type = $1; next }
    { print type, $1 }' "$TF_SRC/tests/plugin/layout.expected" | sort >"$scratch/members"
awk '/^\.Ss struct / { type = $3; next }
    /^\.S[sh] / { type = "" }
    type == "" { next }
    /^\.It Fn / { print type, $3; pending[type " " $3] = 1 }
    /^\.It Fa / { for (i = 3; i <= NF; i++) if ($i != "," && $i != "Fa") { print type, $i; pending[type " " $i] = 1 } }
    /^Since [0-9]+\.[0-9]+\.$/ { for (k in pending) delete pending[k] }
    END { for (k in pending) print k, "without a version" }' "$page" | sort >"$scratch/documented"
diff -u "$scratch/members" "$scratch/documented" || fail "members and manual differ"

for file in $(sed -n 's/^\.\\" file //p' "$page"); do
    awk -v file="$file" '$0 == ".\\\" file " file { on = 1; next }
        $0 == ".\\\" end file" { on = 0 }
        on && !/^\.(Bd|Ed)/ { sub(/^\\&/, ""); gsub(/\\e/, "\\"); print }' "$page" >"$scratch/printed"
    diff -u "$TF_SRC/$file" "$scratch/printed" || fail "$file and manual differ"
done
[ "$(grep -c '^\.\\" file ' "$page")" = 5 ] || fail "the example has other files"

sed -n 's/^X("\(plugin-[a-z-]*\)".*/\1/p' "$TF_SRC/src/util/diag.def" | grep -v plugin-fault | sort >"$scratch/codes"
sed -n 's/^\.It Cm \(plugin-.*\)/\1/p' "$page" | sort >"$scratch/listed"
diff -u "$scratch/codes" "$scratch/listed" || fail "codes and manual differ"
finish
