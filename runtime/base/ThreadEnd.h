// Something to do when a thread ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_THREADEND_H
#define HSCHED_BASE_THREADEND_H

namespace hsched::rt {

// Has Function called when the calling thread ends, as the destructor of a thread-local would be. On the main thread
// that is before exit handlers run, also those that drivers have registered meanwhile. Function must not throw. Any
// thread. It takes no thread-local storage, of which a library that is loaded late has little.
void callAtThreadsEnd(void (*Function)());

} // namespace hsched::rt
#endif
