# Completion of hsched-kinfo for fish. What there is to complete is what the program's own help lists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hsched_kinfo_options
    hsched-kinfo --help 2>/dev/null | string match -r '^  -\S+.*' | while read -l line
        set -l parts (string match -r '^ *(-[^ <\[,]*)(\S*) *(.*)' -- $line)
        printf '%s\t%s\n' $parts[2] $parts[4]
    end
end
function __hsched_kinfo_kernels
    set -l files (commandline -opc | string match -r '.*\.cl$')
    hsched-kinfo $files 2>/dev/null | string match -r -g '^kernel (\S+)' | string replace -r '^' -- --kernel=
end
complete -c hsched-kinfo -n 'string match -q -- "-*" (commandline -ct)' -a '(__hsched_kinfo_options)'
complete -c hsched-kinfo -f -n 'string match -q -- "--kernel=*" (commandline -ct)' -a '(__hsched_kinfo_kernels)'
complete -c hsched-kinfo -f -n 'string match -q -- "-cl-std=*" (commandline -ct)' -a '-cl-std=CL'{1.0,1.1,1.2,2.0,3.0,C++1.0,C++2021}
