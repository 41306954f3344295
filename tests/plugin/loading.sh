# SPDX-License-Identifier: MIT
# What loading each fixture says, with its exit status: tests/plugin/fixtures/NAME.expected.
. "${TF_BUILD:-.}/tests/functions.sh"
here=$TF_SRC/tests/plugin/fixtures
built=$TF_BUILD/tests/plugin/fixtures/.libs

# golden NAME ARGS...: the program's output, messages and status against _NAME or NAME
golden() {
    name=$1; shift
    run "$TF" "$@"
    { cat "$scratch/out" "$scratch/err"; echo "exit $status"; } |
        sed -e "s|$built|FIXTURES|g" -e "s|$scratch|SCRATCH|g" -e "s|$TF_BUILD|BUILD|g" >"$scratch/said"
    [ "$status" = 0 ] || ! [ -s "$scratch/out" ] || fail "$name: refused, and printed something"
    same "$here/$name.expected" "$scratch/said"
}

for source in "$here"/*.c; do
    name=$(basename "$source" .c)
    golden "$name" plugin show "$built/$name.so"
done

# files that are no plugins
mkdir "$scratch/folder.so"
golden _directory plugin show "$scratch/folder.so"
golden _missing plugin show "$scratch/missing.so"
mkfifo "$scratch/fifo.so"
golden _fifo plugin show "$scratch/fifo.so"
echo 'int main(void);' >"$scratch/text.so"
golden _text plugin show "$scratch/text.so"
head -c 40 "$built/whole.so" >"$scratch/truncated.so"
golden _truncated plugin show "$scratch/truncated.so"
golden _name plugin show Whole.so

# whom a file or a directory belongs to
mkdir "$scratch/open"
cp "$built/whole.so" "$scratch/open/"
chmod 777 "$scratch/open"
golden _unsafe-directory --plugin-path "$scratch/open" plugin list
run "$TF" plugin show "$scratch/open/whole.so"
[ "$status" = 1 ] && grep -q 'plugin-unsafe' "$scratch/err" || fail "a file in a directory that everybody may write to"
chmod 1777 "$scratch/open"
expect_status 0 "$TF" plugin show "$scratch/open/whole.so"
cp "$built/whole.so" "$scratch/writable.so"
chmod 666 "$scratch/writable.so"
golden _unsafe-file plugin show "$scratch/writable.so"

# two plugins
golden _pair --plugin "$built/whole.so" --plugin "$built/rival.so" plugin list
golden _same-name --plugin "$built/whole.so" --plugin "$built/namesake.so" plugin list
ln -s "$built/whole.so" "$scratch/link.so"
golden _same-file --plugin "$built/whole.so" --plugin "$built/whole.so" --plugin "$scratch/link.so" plugin show "$scratch/link.so"
finish
