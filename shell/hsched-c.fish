# Completion of hsched-c for fish: as of hsched-cc, with the help of hsched-c.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source (status dirname)/hsched-cc.fish
complete -c hsched-c -n 'string match -q -- "-*" (commandline -ct)' -a '(__hsched_cc_options hsched-c)'
