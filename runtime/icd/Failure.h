// Errors inside the platform are exceptions with OpenCL's code. API functions turn them into return codes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_FAILURE_H
#define HSCHED_ICD_FAILURE_H

#include "icd/Handle.h"

#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace hsched::icd {

struct Failure {
  cl_int Code;
};

inline void require(bool Holds, cl_int Otherwise) {
  if (!Holds)
    throw Failure{Otherwise};
}
inline void check(cl_int Code) { require(Code >= CL_SUCCESS, Code); }

// The object of a handle. Throws the specification's error for an invalid handle.
template <class T> T &need(const void *Handle, cl_int Otherwise) {
  T *Found = find<T>(Handle);
  require(Found, Otherwise);
  return *Found;
}

// Runs the body of an API function and returns its error code.
template <class Body> cl_int guarded(Body &&Do) noexcept {
  try {
    Do();
    return CL_SUCCESS;
  } catch (const Failure &F) {
    return F.Code;
  } catch (const std::bad_alloc &) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (...) {
    return CL_OUT_OF_RESOURCES;
  }
}

// The same for functions that return a new object.
template <class R, class Body> R guardedMake(cl_int *Error, Body &&Do) noexcept {
  R Made{};
  cl_int Code = guarded([&] { Made = Do(); });
  if (Error)
    *Error = Code;
  return Made;
}

// The result of a clGet...Info function.
class Answer {
public:
  Answer(size_t Size, void *To, size_t *Needed) : Size(Size), To(To), Needed(Needed) {}

  void bytes(const void *From, size_t N) const {
    require(!To || Size >= N, CL_INVALID_VALUE);
    if (To && N)
      std::memcpy(To, From, N);
    if (Needed)
      *Needed = N;
  }
  template <class T> void value(const T &V) const { bytes(&V, sizeof(V)); }
  template <class T> void list(const std::vector<T> &V) const { bytes(V.data(), V.size() * sizeof(T)); }
  void text(const std::string &S) const { bytes(S.c_str(), S.size() + 1); }

  const size_t Size;
  void *const To;
  size_t *const Needed;
};

} // namespace hsched::icd
#endif
