# SPDX-License-Identifier: MIT
# Listing, searching and the index, with a copy of the program that has a plugin directory of its own.
. "${TF_BUILD:-.}/tests/functions.sh"
built=$TF_BUILD/tests/plugin/fixtures/.libs
own=$scratch/own
mkdir -p "$scratch/bin" "$own"
program=$TF_BUILD/.libs/tilefoundry
[ -f "$program" ] || program=$TF_BUILD/tilefoundry
cp "$program" "$scratch/bin/tilefoundry"
echo "plugins=$own" >"$scratch/bin/tilefoundry.buildtree"
TF=$scratch/bin/tilefoundry

# lists NAMES...: plugin list shows exactly these, in this order
lists() {
    run "$TF" plugin list
    [ "$status" = 0 ] || fail "plugin list: exit $status"
    names=$(awk 'NR > 1 {print $1}' "$scratch/out" | tr '\n' ' ')
    [ "$names" = "$*${*:+ }" ] || fail "listed $names, expected $*"
}

lists
[ -s "$scratch/out" ] && fail "an empty directory lists something"
cp "$built/older.so" "$built/newer.so" "$built/whole.so" "$own"
lists newer older whole
grep -q '^whole  *1\.0  *1 op, 1 analyzer, 1 backend, 1 path, 1 predicate, 1 twin  *'"$own/whole.so\$" "$scratch/out" ||
    fail "the line of whole"

# a broken one is a warning, and the rest is listed
cp "$built/null-infer.so" "$built/refuses.so" "$own"
lists newer older whole
grep -q 'warning: .*null-infer.so: op null_infer: infer is NULL.*\[plugin-incomplete\]' "$scratch/err" || fail "no warning"
grep -q 'warning: .*refuses.so: refuses 1.0 refused to start.*\[plugin-start\]' "$scratch/err" || fail "no warning of start"
! grep -q 'error:' "$scratch/err" || fail "a broken plugin that nobody asked for is an error"
expect_status 3 "$TF" --plugin refuses plugin list
[ ! -s "$scratch/out" ] || fail "a refused run prints"
rm "$own/null-infer.so" "$own/refuses.so"

# the index, and a file that is dropped in after it was written
expect_status 0 "$TF" plugin index "$own"
{ head -1 "$own/plugins.index"; sed -n 's/^file \([^ ]*\) .*/\1/p' "$own/plugins.index"; } | tr '\n' ' ' >"$scratch/files"
echo 'tilefoundry-plugin-index 1 newer.so older.so whole.so ' | tr -d '\n' | cmp -s - "$scratch/files" || fail "the index lists other files"
ls -A "$own" | grep -q 'index\..' && fail "a temporary file is left"
cp "$built/null-optional.so" "$own"
lists null-optional newer older whole

# opened NAME...: the modules that the loader opens for `plugin show whole`
LD_DEBUG=files "$TF" plugin show whole >/dev/null 2>"$scratch/loader" || fail "plugin show whole"
opened=$(sed -n "s|.*calling init: $own/||p" "$scratch/loader" | sort -u | tr '\n' ' ')
[ "$opened" = "whole.so " ] || fail "opened $opened for whole alone"

# a file that the index is wrong about is refused once, and not again when the directory is gone through
cp "$own/plugins.index" "$scratch/kept"
cp "$built/null-infer.so" "$own"
{ cat "$scratch/kept"; echo "file null-infer.so $(stat -c '%Y %s' "$own/null-infer.so")"; echo "plugin promised"; } >"$own/plugins.index"
expect_status 1 "$TF" plugin show promised
[ "$(grep -c '\[plugin-incomplete\]' "$scratch/err")" = 1 ] || { cat "$scratch/err"; fail "told twice, or never"; }
rm "$own/null-infer.so"
cp "$scratch/kept" "$own/plugins.index"

# the user's own directory is searched first, and an absolute one in the environment
mkdir "$scratch/mine"
cp "$built/rival.so" "$scratch/mine/whole.so"
expect_status 0 "$TF" --plugin-path "$scratch/mine" plugin show whole
grep -q "^rival 1.0" "$scratch/out" || fail "--plugin-path does not come first"
TILEFOUNDRY_PLUGIN_PATH=$scratch/mine run "$TF" plugin show whole
grep -q "^rival 1.0" "$scratch/out" || fail "\$TILEFOUNDRY_PLUGIN_PATH does not come before the program's own"
TILEFOUNDRY_PLUGIN_PATH=mine run "$TF" plugin show whole
{ [ "$status" = 0 ] && grep -q 'mine (\$TILEFOUNDRY_PLUGIN_PATH): not absolute' "$scratch/err"; } || fail "a relative directory"
chmod 777 "$scratch/mine"
TILEFOUNDRY_PLUGIN_PATH=$scratch/mine run "$TF" plugin show whole
{ [ "$status" = 0 ] && grep -q '\[plugin-unsafe\]' "$scratch/err" && grep -q '^whole' "$scratch/out"; } || fail "an open directory"
chmod 777 "$own"
expect_status 1 "$TF" plugin show whole
grep -q 'error: .*everybody may write.*\[plugin-unsafe\]' "$scratch/err" || fail "the program's own directory is open"
chmod 755 "$own"
expect_status 1 "$TF" --plugin-path "$scratch/none" plugin list
expect_status 1 "$TF" --plugin-path "$own/whole.so" plugin list

# words
expect_status 2 "$TF" plugin shw
expect_status 2 "$TF" plugin show
expect_status 2 "$TF" plugin list all
expect_status 2 "$TF" plugin list --all
expect_status 0 "$TF" plugin --help
expect_status 0 "$TF" plugin
expect_status 0 "$TF" plugin list --help

# a starter
expect_status 0 "$TF" plugin new "$scratch/acme-lut"
[ -f "$scratch/acme-lut/plugin.c" ] && [ -f "$scratch/acme-lut/Makefile" ] || fail "plugin new"
expect_status 1 "$TF" plugin new "$scratch/acme-lut"
expect_status 1 "$TF" plugin new "$scratch/Acme"
if command -v cc >/dev/null 2>&1; then
    printf '#!/bin/sh\necho "-I%s/include"\n' "$TF_SRC" >"$scratch/pkg-config"
    chmod +x "$scratch/pkg-config"
    make -s -C "$scratch/acme-lut" PKG_CONFIG="$scratch/pkg-config" >"$scratch/out" 2>&1 ||
        { cat "$scratch/out"; fail "the starter does not build"; }
    expect_status 0 "$TF" plugin show "$scratch/acme-lut/acme-lut.so"
    grep -q '^op acme_lut: ' "$scratch/out" || fail "the starter's operator"
fi
finish
