# Completion of hsched-model for fish. What there is to complete is what the program's own help lists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hsched_model_help
    hsched-model --help 2>/dev/null | string match -r "^  $argv[1].*" | while read -l line
        set -l parts (string match -r '^ *(\S+)(?: [A-Z\[].*?)?  +(.*)' -- $line)
        printf '%s\t%s\n' $parts[2] $parts[3]
    end
end
complete -c hsched-model -a '(__hsched_model_help "--")'
complete -c hsched-model -n __fish_use_subcommand -a '(__hsched_model_help "[a-z]")'
