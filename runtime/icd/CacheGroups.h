// Groups of cores that share a cache, as sub-devices of PoCL's CPU device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PoCL 3.1 has sub-devices by counts only: each gets the next workers. With POCL_AFFINITY=1 worker N stays on CPU N.
// Then the sub-devices whose counts are those of the caches' cores are the groups. See decision 125.
#ifndef HSCHED_ICD_CACHEGROUPS_H
#define HSCHED_ICD_CACHEGROUPS_H

#include "icd/ClHeader.h"

#include <string>
#include <vector>

namespace hsched::icd {

class Device;

// How many of the CPUs [0, Count) each cache of a level (1 to 4) has, in the order of the CPUs. Empty if there is only
// one cache, if the CPUs of some cache are not neighbours, or if the system says nothing. Prefix: root of the files,
// for tests.
std::vector<unsigned> cacheGroups(unsigned Level, unsigned Count, const std::string &Prefix = "");

// A level of caches as OpenCL names it.
struct CacheDomain {
  cl_device_affinity_domain Domain;
  std::vector<unsigned> Groups; // Numbers of compute units.
};
// The domains that a device can be divided by, which its vendor does not know: outermost caches first. Empty unless it
// is PoCL's CPU device and its workers stay on their CPUs.
std::vector<CacheDomain> cacheDomains(const Device &D);

} // namespace hsched::icd
#endif
