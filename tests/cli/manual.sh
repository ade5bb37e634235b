#!/usr/bin/env bash
# Manual pages and completion: of every verb, with every option that its help text has; bash and zsh complete with them.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter manual
expect 0 slipstick help --completion bash
cp "$work/out" slipstick.bash
expect 0 slipstick help --completion zsh
cp "$work/out" _slipstick
expect 1 slipstick help --completion fish
err_has "expected bash or zsh"
expect 0 slipstick help --man
cp "$work/out" slipstick.1
for verb in $verbs; do
    expect 0 slipstick help --man "$verb"
    cp "$work/out" page.1
    grep -q "^slipstick.-$verb " page.1 || fail "the manual page of $verb has no name"
    grep -q "slipstick.-$verb (1)" slipstick.1 || fail "slipstick(1) does not know $verb"
    # Lines that begin with a point are commands of roff; all of them are known ones.
    ! grep '^\.' page.1 | grep -Ev '^\.(TH|SH|PP|TP|nf|fi|BR)( |$)' || fail "the manual page of $verb has an unknown command"
    if command -v groff >/dev/null; then
        [ -z "$(groff -man -ww -z page.1 2>&1)" ] || fail "groff warns of the manual page of $verb"
    fi
    while read -r option; do
        grep -q -- "$(sed 's/-/\\\\-/g' <<<"--$option")" page.1 || fail "the manual page of $verb has no --$option"
        grep -Eq "^    $verb\) .*--$option[ \"]" slipstick.bash || fail "bash does not know --$option of $verb"
        sed -n "/^$verb)/,/;;/p" _slipstick | grep -q -- "--$option" || fail "zsh does not know --$option of $verb"
    done < <(slipstick help "$verb" | sed -nE 's/^  .{4}--([a-z-]+).*/\1/p')
done
expect 0 bash -n slipstick.bash
# complete WORDS...: what bash offers for the last of them
complete_words() {
    bash -c '. ./slipstick.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _slipstick; echo "${COMPREPLY[*]}"' complete "$@"
}
touch a-model.yaml
[ "$(complete_words slipstick rep)" = "reproduce report" ] || [ "$(complete_words slipstick rep)" = "report reproduce" ] || fail "verbs: $(complete_words slipstick rep)"
[ "$(complete_words slipstick run --rep)" = "--report" ] || fail "options: $(complete_words slipstick run --rep)"
[ "$(complete_words slipstick run a-mod)" = "a-model.yaml" ] || fail "files: $(complete_words slipstick run a-mod)"
[ "$(complete_words slipstick help lyap)" = "lyapunov" ] || fail "help: $(complete_words slipstick help lyap)"

# The same as zsh completes them, on a terminal of its own: each text, a tab, and what the line is then.
if command -v zsh >/dev/null; then
    cat >type.zsh <<'END'
zmodload zsh/zpty
zpty z 'TERM=dumb zsh -f -i'
zpty -w z "PROMPT= RPROMPT=; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; show() { print -r -- \"<<\$BUFFER>>\"; BUFFER=; }; zle -N show; bindkey '^I' complete-word '^X' show; print re''ady"
zpty -r z out '*ready*'
for typed in "$@"; do
    zpty -w -n z "$typed"$'\t\x18'
    zpty -r z out '*>>*'
    print -r -- "${${out##*<<}%%>>*}"
done
zpty -d z
END
    found=$(timeout 60 zsh -f type.zsh "slipstick lyap" "slipstick run --rep" "slipstick run a-mo" "slipstick help lyap")
    [ "$found" = $'slipstick lyapunov \nslipstick run --report \nslipstick run a-model.yaml \nslipstick help lyapunov ' ] ||
        fail "zsh completes: $found"
else
    echo "zsh is not installed: its completion was not tried"
fi

finish
