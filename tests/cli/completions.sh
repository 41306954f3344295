#!/bin/sh
# SPDX-License-Identifier: MIT
# The completions know every command, and every option that --help tells of; what an option's value is, they know of each
# that has one.
. "${TF_BUILD:?}/tests/functions.sh"
requires bash
cd "$scratch"
ln -s "$TF" tilefoundry
PATH=$scratch:$PATH
export PATH
commands=$("$TF" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || fail "--help lists no commands"
options() { "$TF" $1 --help | grep -oE -- '^ +(-[a-zA-Z], )?(-o|--[a-z0-9-]+)' | sed 's/.* //' | sort -u; }

# complete WORD...: what bash offers for the last word
cat >ask.bash <<'END'
_init_completion() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword - 1]}; }
_filedir() { COMPREPLY+=("<files $*>"); }
compopt() { :; }
. "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_tilefoundry "$1"
printf '%s\n' "${COMPREPLY[@]}"
END
complete() { bash ask.bash "$TF_SRC/completions/tilefoundry" tilefoundry "$@"; }

complete "" >offered
for command in $commands; do
    grep -qx -- "$command" offered || fail "bash does not offer the command $command"
    case $command in target | plugin) continue ;; esac
    options $command >wanted
    grep -qx -- --help wanted || fail "$command --help: $(cat wanted)"
    { complete $command step.py --; complete $command step.py -o; } | sort -u >offered_options
    for option in $(cat wanted); do
        [ $option = -o ] || grep -qx -- "$option" offered_options || fail "bash does not offer $command $option"
    done
    # NAME after an option: something that is no program, or nothing at all
    for option in $("$TF" $command --help | sed -n 's/^  \(--[a-z0-9-]*\) [A-Za-z].*/\1/p' | sort -u); do
        "$TF" $command --help | grep -qE -- "^  $option (  |[a-z].* [a-z].* [a-z])" && continue
        complete $command $option "" >value
        grep -q '<files py>' value && fail "bash offers programs as the value of $command $option"
    done
done
complete bench step.py --backend "" | grep -qx cpu-c || fail "bash knows no backend"
complete check step.py --fn "" | grep -qx equal || fail "bash knows no comparison"
complete target "" | grep -qx calibrate || fail "bash does not offer target calibrate"

# zsh, by the lines of the file alone where there is no zsh
zsh=$TF_SRC/completions/_tilefoundry
for command in $commands; do
    grep -q "compadd -- .*\\b$command\\b" "$zsh" || fail "zsh does not offer the command $command"
done
if command -v zsh >/dev/null 2>&1; then
    cat >ask.zsh <<'END'
_files() { print -r -- "<files $*>" }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- "$@" }
file=$1; shift
words=("$@") CURRENT=$#
source $file
END
    for command in $commands; do
        case $command in target | plugin) continue ;; esac
        options $command >wanted
        zsh -f ask.zsh "$zsh" tilefoundry $command step.py -- >offered
        for option in $(cat wanted); do
            grep -qx -- "$option" offered || fail "zsh does not offer $command $option"
        done
    done
    zsh -f ask.zsh "$zsh" tilefoundry bench step.py --backend "" | grep -qx cpu-c || fail "zsh knows no backend"
    zsh -f ask.zsh "$zsh" tilefoundry check step.py --fn "" | grep -qx equal || fail "zsh knows no comparison"
fi
finish
