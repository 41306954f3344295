#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the examples of the manual pages and of README: between `.\" test` and `.\" end` (in README, in ```console fences),
# lines that begin with `$ ` are commands and what follows is what they print.  A line `...` stands for any lines.
. "${TF_BUILD:?}/tests/functions.sh"
requires awk

cp "$TF_SRC"/examples/*.py "$scratch/"
mkdir "$scratch/bin"
ln -s "$TF" "$scratch/bin/tilefoundry"
# the program finds its build tree from where it really lies
PATH=$scratch/bin:$PATH
export PATH XDG_DATA_HOME="$scratch/data"
cd "$scratch"

# extract PAGE: one file a command in cases/, NNN.cmd and NNN.want
extract() {
    rm -rf cases && mkdir cases
    awk -v readme="$2" '
        function plain(s) { gsub(/\\&/, "", s); gsub(/\\-/, "-", s); gsub(/\\(e|\(rs)/, "\\", s); gsub(/\\\(ti/, "~", s); gsub(/\\\(dq/, "\"", s); return s }
        readme && /^```console$/ { on = 1; next }
        readme && /^```$/ { on = 0; next }
        !readme && /^\.\\" test$/ { on = 1; next }
        !readme && /^\.\\" end$/ { on = 0; next }
        !on || (!readme && /^\./) { next }
        heredoc { print plain($0) > (name ".cmd"); if ($0 == heredoc) heredoc = ""; next }
        /^\$ / { n++; heredoc = match($0, /<<.[A-Z]+.$/) ? substr($0, RSTART + 3, RLENGTH - 4) : ""; name = sprintf("cases/%03d", n); print plain(substr($0, 3)) > (name ".cmd"); printf "" > (name ".want"); next }
        n { print plain($0) > (name ".want") }' "$1"
}

# matches WANT GOT: GOT is WANT, where a line `...` stands for any number of lines
matches() {
    awk 'NR == FNR { want[++n] = $0; next } { got[++m] = $0 }
        END {
            while (n && want[n] == "") n--
            while (m && got[m] == "") m--
            i = j = 1; star = 0
            while (j <= m) {
                if (i <= n && want[i] == "...") { star = i++; mark = j; continue }
                if (i <= n && want[i] == got[j]) { i++; j++; continue }
                if (star) { i = star + 1; j = ++mark; continue }
                exit 1
            }
            while (i <= n && want[i] == "...") i++
            exit i <= n
        }' "$1" "$2"
}

total=0
for page in "$TF_SRC"/man/*.[1-9] "$TF_SRC"/README.md; do
    [ -f "$page" ] || continue
    case $page in *.md) extract "$page" 1 ;; *) extract "$page" 0 ;; esac
    for command in cases/*.cmd; do
        [ -f "$command" ] || continue
        total=$((total + 1))
        sh "$command" >got 2>&1 </dev/null || :
        if ! matches "${command%.cmd}.want" got; then
            fail "$(basename "$page"): $(cat "$command")"
            diff -u "${command%.cmd}.want" got || :
        fi
    done
done
[ "$total" -ge 10 ] || fail "only $total examples were found"
echo "$total examples"
finish
