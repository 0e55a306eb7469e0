# Completion of hsched-cc, and of hsched-c by its own file, for fish. What there is to complete is what the program's own help lists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hsched_cc_options --argument-names program
    $program --hsched-help 2>/dev/null | string match -r '^  -\S+.*' | while read -l line
        set -l parts (string match -r '^ *(-[^ <\[]*)(\S*) *(.*)' -- $line)
        set -l option $parts[2]
        switch $parts[3]
            case '[no-]*'
                printf '%shsched\t%s\n%sno-hsched\t%s\n' $option $parts[4] $option $parts[4]
            case '[=*'
                printf '%s\t%s\n%s=\t%s\n' $option $parts[4] $option $parts[4]
            case '*'
                printf '%s\t%s\n' $option $parts[4]
        end
    end
    for warning in ($program --hsched-help=warnings 2>/dev/null | string match -r -g -- '-W(hsched-[a-z0-9-]+)')
        printf '%s\n' -W$warning -Wno-$warning -Werror=$warning
    end
end
complete -c hsched-cc -n 'string match -q -- "-*" (commandline -ct)' -a '(__hsched_cc_options hsched-cc)'
