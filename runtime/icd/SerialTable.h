// A vendor whose functions are not thread-safe: one thread at a time calls them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_SERIALTABLE_H
#define HSCHED_ICD_SERIALTABLE_H

#include "icd/ClHeader.h"

#include <atomic>

namespace hsched::icd {

struct SerialTable {
  // The table of that vendor's objects. Null: there is no such vendor. Set before its first object is used.
  static std::atomic<const cl_icd_dispatch *> Vendors;
  // Its functions, each under a lock that all of them share. A function that the vendor's version of OpenCL does not
  // have must not be called, as in its own table.
  static const cl_icd_dispatch &get();
};

// Every vendor object begins with a pointer to its dispatch table.
template <class H> const cl_icd_dispatch &table(H Handle) {
  const cl_icd_dispatch *Its = *reinterpret_cast<const cl_icd_dispatch *const *>(Handle);
  return Its == SerialTable::Vendors.load(std::memory_order_relaxed) ? SerialTable::get() : *Its;
}

} // namespace hsched::icd
#endif
