# SPDX-License-Identifier: MIT
# The outside plugin: copied away from the tree, built with pkg-config against an installation under DESTDIR, and used there.
. "${TF_BUILD:-.}/tests/functions.sh"
requires make
requires pkg-config
command -v cc >/dev/null 2>&1 || skip "there is no compiler"
unset MAKEFLAGS MFLAGS MAKELEVEL
root=$scratch/root

make -s -C "$TF_BUILD" install DESTDIR="$root" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "make install DESTDIR"; finish; }
pc=$(find "$root" -name tilefoundry.pc)
[ -n "$pc" ] || { fail "no tilefoundry.pc is installed"; finish; }
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
[ -z "$(pkg-config --libs tilefoundry | tr -d ' ')" ] || fail "pkg-config gives something to link to"
# pkg-config puts the root before variables too; what is installed says where it is without it
plugindir=$(env -u PKG_CONFIG_SYSROOT_DIR pkg-config --variable=plugindir tilefoundry)
for variable in plugindir targetdir schemadir; do
    [ -d "$root$(env -u PKG_CONFIG_SYSROOT_DIR pkg-config --variable=$variable tilefoundry)" ] || fail "$variable is no folder"
done
TF=$(find "$root" -path '*/bin/tilefoundry')

# the installed program finds its own plugins in place
run "$TF" plugin show cuda-h200
grep -q "^file: $root$plugindir/cuda-h200.so" "$scratch/out" || { cat "$scratch/out" "$scratch/err"; fail "an installed plugin is not found in place"; }
[ -f "$root$plugindir/plugins.index" ] || fail "make install writes no index"

cp -R "$TF_SRC/examples/plugin-scale" "$scratch/plugin-scale"
chmod -R u+w "$scratch/plugin-scale"
cd "$scratch/plugin-scale"
make -s CFLAGS="-O2 -Wall -Wextra -Werror" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "the plugin does not build"; finish; }
[ "$(nm -D --defined-only plugin-scale.so | awk '{print $NF}')" = tilefoundry_plugin_v1 ] || fail "it exports more than the entry"

# used with --plugin, by its path
expect_status 0 "$TF" --plugin ./plugin-scale.so plugin show ./plugin-scale.so
expect_status 0 "$TF" --plugin ./plugin-scale.so analyze scaled.py --compute-cost --census
cp "$scratch/out" "$scratch/by-path"
grep -q '^# census calls=3 runs=6$' "$scratch/out" || { cat "$scratch/out"; fail "the analyzer's line"; }
grep -q 'f32:49152' "$scratch/out" || { cat "$scratch/out"; fail "the operator's work: 6 x 8192"; }
expect_status 1 "$TF" analyze scaled.py
grep -q 'scale' "$scratch/err" || fail "without the plugin the operator is known"

# dropped into the directory by hand, after the index was written
env -u PKG_CONFIG_SYSROOT_DIR make -s install DESTDIR="$root" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "the plugin's make install"; }
expect_status 0 "$TF" analyze scaled.py --compute-cost --census
cmp -s "$scratch/by-path" "$scratch/out" || fail "found in the directory it says something else"
expect_status 0 "$TF" plugin list
grep -q '^plugin-scale  *1.0  *1 op, 1 analyzer  ' "$scratch/out" || fail "plugin list"

make -s -C "$TF_BUILD" uninstall DESTDIR="$root" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "make uninstall"; }
left=$(find "$root" -type f ! -name plugin-scale.so)
[ -z "$left" ] || fail "uninstall leaves $left"
finish
