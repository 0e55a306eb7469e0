# Completion of hsched-model for fish. What there is to complete is what the program's own help lists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hsched_model_options
    hsched-model --help 2>/dev/null | string match -r '^  -\S+.*' | while read -l line
        set -l parts (string match -r '^ *(-[^ <\[,]*)(\S*) *(.*)' -- $line)
        printf '%s\t%s\n' $parts[2] $parts[4]
    end
end
function __hsched_model_commands
    hsched-model --help 2>/dev/null | string match -r '^  [a-z]+ .*' | while read -l line
        set -l parts (string match -r '^ *([a-z]+)(.*?)  +(\S.*)' -- $line)
        printf '%s\t%s\n' $parts[2] $parts[4]
    end
end
complete -c hsched-model -n 'string match -q -- "-*" (commandline -ct)' -a '(__hsched_model_options)'
complete -c hsched-model -n '__fish_use_subcommand; and not string match -q -- "-*" (commandline -ct)' -a '(__hsched_model_commands)'
