# Completion of hsched-sim for fish. What there is to complete is what the program's own help lists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hsched_sim_options
    hsched-sim --help 2>/dev/null | string match -r '^  -\S+.*' | while read -l line
        set -l parts (string match -r '^ *(-[^ <\[,]*)(\S*) *(.*)' -- $line)
        printf '%s\t%s\n' $parts[2] $parts[4]
    end
end
function __hsched_sim_platforms
    hsched-sim --list 2>/dev/null | string replace -r -f '^platforms: ' '' | string split ', '
end
complete -c hsched-sim -n 'string match -q -- "-*" (commandline -ct)' -a '(__hsched_sim_options)'
complete -c hsched-sim -n 'not string match -q -- "-*" (commandline -ct)' -a '(__hsched_sim_platforms)'
