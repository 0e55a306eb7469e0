// The dynamic loader's lock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_LOADER_H
#define HSCHED_BASE_LOADER_H

namespace hsched::rt {

// Any thread. True if a function of the dynamic loader called the calling function: a constructor or destructor of a
// library runs. This thread may then hold the lock without which no other thread loads a library, so it must not wait
// for one that does.
bool mayHoldLoaderLock();

} // namespace hsched::rt
#endif
