# Completion of hsched-port for fish. What there is to complete is what the program's own help lists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hsched_port_options
    hsched-port --help 2>/dev/null | string match -r '^  -\S+.*' | while read -l line
        set -l parts (string match -r '^ *(-[^ <\[,]*)(\S*) *(.*)' -- $line)
        printf '%s\t%s\n' $parts[2] $parts[4]
    end
end
complete -c hsched-port -n 'string match -q -- "-*" (commandline -ct)' -a '(__hsched_port_options)'
complete -c hsched-port -l from -x -a 'openmp ompss'
