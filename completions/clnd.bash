# SPDX-License-Identifier: Apache-2.0
#
# Completion of clnd(1) for bash. What it offers is what `clnd --help`, `clnd COMMAND --help` and
# `clnd devices --list` print; there is no list in here.
#
# shellcheck shell=bash

# _clnd_commands PROGRAM: the subcommands.
_clnd_commands() {
    local line
    while IFS= read -r line; do
        [[ $line =~ ^\ \ ([a-z][a-z-]*)\  ]] && printf '%s\n' "${BASH_REMATCH[1]}"
    done < <("$1" --help 2>/dev/null)
}

# _clnd_options PROGRAM [COMMAND]: lines "--option VALUE" and "-o VALUE".
_clnd_options() {
    local line
    while IFS= read -r line; do
        if [[ $line =~ ^\ \ (-.,\ )?(--[a-z-]+)(\ ([^ ]+))?(\ |$) ]]; then
            printf '%s %s\n' "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]}"
            [[ ${BASH_REMATCH[1]} ]] &&
                printf '%s %s\n' "${BASH_REMATCH[1]%%,*}" "${BASH_REMATCH[4]}"
        fi
    done < <("$@" --help 2>/dev/null)
}

# _clnd_offer PREFIX: those lines of standard input that begin with it.
_clnd_offer() {
    local word
    while IFS= read -r word; do
        [[ $word == "$1"* ]] && COMPREPLY+=("$word")
    done
}

_clnd_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(
        compgen -f -X '!*.npy' -- "$1"
        compgen -d -- "$1"
    )
}

# _clnd_value PROGRAM VALUE PREFIX: by what --help calls the value of an option.
_clnd_value() {
    local i
    case $2 in
    *.npy) _clnd_files "$3" ;;
    SPEC) _clnd_offer "$3" < <("$1" devices --list 2>/dev/null | cut -d ' ' -f 1) ;;
    [[:lower:]]*)
        _clnd_offer "$3" < <(tr '|' '\n' <<<"$2")
        for i in "${!COMPREPLY[@]}"; do
            if [[ ${COMPREPLY[i]} == *=* ]]; then # fill=V: the value is still to come
                COMPREPLY[i]=${COMPREPLY[i]%%=*}=
                [[ ${#COMPREPLY[@]} -eq 1 ]] && compopt -o nospace 2>/dev/null
            fi
        done
        ;;
    esac
}

_clnd() {
    local program=${COMP_WORDS[0]/#\~\//$HOME/} command=${COMP_WORDS[1]-} at=$COMP_CWORD
    local word=${COMP_WORDS[COMP_CWORD]} before='' option value='' name text
    COMPREPLY=()
    # bash takes '=' and ':' for words of their own: --device=0:1 is five, and only the last of
    # them is replaced.
    if [[ $word == : ]]; then
        before=${COMP_WORDS[at - 1]}: word='' at=$((at - 1))
    elif [[ $at -gt 2 && ${COMP_WORDS[at - 1]} == : ]]; then
        before=${COMP_WORDS[at - 2]}: at=$((at - 2))
    fi
    if [[ $word == = ]]; then
        word=''
    elif [[ ${COMP_WORDS[at - 1]} == = ]]; then
        at=$((at - 1))
    fi
    option=${COMP_WORDS[at - 1]}

    if [[ $COMP_CWORD -eq 1 || $command == help && $COMP_CWORD -eq 2 ]]; then
        if [[ $word == -* ]]; then
            _clnd_offer "$word" < <(_clnd_options "$program" | cut -d ' ' -f 1)
        else
            _clnd_offer "$word" < <(_clnd_commands "$program")
        fi
        return
    fi
    if [[ $option == -* ]]; then
        while read -r name text; do
            [[ $name == "$option" ]] && value=$text
        done < <(_clnd_options "$program" "$command")
    fi
    if [[ $value ]]; then
        _clnd_value "$program" "$value" "$before$word"
        COMPREPLY=("${COMPREPLY[@]#"$before"}")
    elif [[ $word == -* ]]; then
        _clnd_offer "$word" < <(_clnd_options "$program" "$command" | grep '^--' | cut -d ' ' -f 1)
    else
        _clnd_files "$before$word"
    fi
}

complete -F _clnd clnd
