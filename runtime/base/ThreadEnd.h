// Something to do when the main thread ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_THREADEND_H
#define HSCHED_BASE_THREADEND_H

namespace hsched::rt {

// Calls Function when the main thread ends, before exit handlers run, also those that drivers have registered
// meanwhile. It does nothing on another thread than the main one. Function must not throw. The destructor of a
// thread-local would do the same, but a library that is loaded late has little room for thread-locals.
void callAtMainThreadsEnd(void (*Function)());

} // namespace hsched::rt
#endif
