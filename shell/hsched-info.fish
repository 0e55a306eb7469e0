# Completion of hsched-info for fish. What there is to complete is what the program's own help lists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hsched_info_options
    hsched-info --help 2>/dev/null | string match -r '^  -\S+.*' | while read -l line
        set -l parts (string match -r '^ *(-\S*) *(.*)' -- $line)
        printf '%s\t%s\n' $parts[2] $parts[3]
    end
end
complete -c hsched-info -f -a '(__hsched_info_options)'
