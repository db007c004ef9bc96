# SPDX-License-Identifier: Apache-2.0
#
# Completion of clnd(1) for fish. What it offers is what `clnd --help`, `clnd COMMAND --help` and
# `clnd devices --list` print; there is no list in here.

# Lines of --help that are options, as "LETTER NAME VALUE HELP", separated by tabs.
function __clnd_options
    set -l text ($argv --help 2>/dev/null | string collect)
    string replace -ra '\n {24}' '  ' -- $text | string split \n |
        string replace -rf '^  (?:-(.), )?--([a-z-]+)(?: ([^ ]+))?(?: +(.*))?$' '$1\t$2\t$3\t$4' |
        string replace -ra '  +' ' '
end

function __clnd_value --argument-names program value
    if string match -q '*.npy' $value
        __fish_complete_suffix .npy
    else if test $value = SPEC
        $program devices --list 2>/dev/null | string replace -r '  ' \t
    else if string match -qr '^[a-z]' $value
        string split '|' $value | string replace -r '=.*' =
    end
end

function __clnd_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program $words[1]
    if test (count $words) -eq 1; or test (count $words) -eq 2 -a "$words[2]" = help
        $program --help 2>/dev/null | string replace -rf '^  ([a-z][a-z-]*) +(.*)$' '$1\t$2'
        if test (count $words) -eq 1
            __clnd_options $program | string replace -r -- '^.*?\t(.*?)\t.*?\t' '--$1\t'
        end
        return
    end
    set -l options (__clnd_options $program $words[2])
    for option in $options
        set -l part (string split \t -- $option)
        test -n "$part[3]"; or continue
        if test "$words[-1]" = --$part[2]; or test "$words[-1]" = "-$part[1]"
            __clnd_value $program $part[3]
            return
        end
        if string match -q -- "--$part[2]=*" $word
            __clnd_value $program $part[3] | string replace -r '^' -- "--$part[2]="
            return
        end
    end
    if string match -q -- '-*' $word
        for option in $options
            set -l part (string split \t -- $option)
            printf '%s\t%s\n' --$part[2] $part[4]
        end
    else
        __fish_complete_suffix .npy
    end
end

complete -c clnd -f -a '(__clnd_complete)'
