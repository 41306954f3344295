#!/bin/sh
# SPDX-License-Identifier: MIT
# Diagnostics that no other test shows, and that every code is shown by some test.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC/tests/cli/codes.py" "$TF_SRC/tests/backend/outside.py" "$scratch"
cp "$TF_SRC/tests/python/step.py" "$TF_SRC/tests/python/twins.py" "$TF_SRC/examples/rms_norm_quant.py" "$scratch"
requires cc
cd "$scratch"
mkdir -p open/tilefoundry
chmod 777 open/tilefoundry
printf '#!/bin/sh\nfor word; do [ "$last" != -o ] || echo none >"$word"; last=$word; done\n' >no-compiler
chmod +x no-compiler
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
set -f
while IFS= read -r line; do
    case $line in '' | '#'*) echo "$line" >>got; continue ;; esac
    # shellcheck disable=SC2046
    set -- $(echo "$line" | sed "s|HERE|$scratch|g")
    environment=
    while [ "${1#[A-Z]*=}" != "$1" ]; do environment="$environment $1"; shift; done
    # shellcheck disable=SC2086
    run env $environment "$TF" "$@"
    { echo "\$ tilefoundry $line"; cat out; sed "s|$scratch|...|; s|\.\.\./cache/[^ :]*|...|" err; echo "exit $status"; } >>got
done <"$TF_SRC/tests/cli/codes.cases"
set +f
same "$TF_SRC/tests/cli/codes.golden" got

# a code is shown where a test has it as it is printed, or compares it
sed -n 's/^X("\([a-z0-9-]*\)".*/\1/p' "$TF_SRC/src/util/diag.def" >codes
for plugin in $("$TF" plugin list | awk 'NR > 1 { print $1 }'); do
    "$TF" plugin show "$plugin" | sed -n 's/^code \([a-z0-9-]*\):.*/\1/p' >>codes
done
[ "$(wc -l <codes)" -gt 150 ] || fail "only $(wc -l <codes) codes were found"
find "$TF_SRC/tests" -type f ! -name codes.untested -exec grep -aho "[[\"'][a-z][a-z0-9-]*[]\"']" {} + | tr -d "[]\"'" | sort -u >shown
sed -n 's/^\([a-z0-9*-]*\)	.*/\1/p' "$TF_SRC/tests/cli/codes.untested" >untested
for code in $(sort -u codes); do
    is_excused=
    while read -r excused; do
        # shellcheck disable=SC2254
        case $code in $excused) is_excused=$excused ;; esac
    done <untested
    if [ -n "$is_excused" ]; then
        ! grep -qxF "$is_excused" shown || fail "$code is shown by a test: codes.untested need not have it"
    else
        grep -qxF "$code" shown || fail "no test shows the diagnostic $code"
    fi
done
finish
