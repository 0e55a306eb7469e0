// Kernels, their arguments, and samplers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_KERNEL_H
#define HSCHED_ICD_KERNEL_H

#include "icd/Direct.h"
#include "icd/Program.h"

namespace hsched::icd {

struct Sizes;

class Sampler : public Object {
public:
  static constexpr Kind Tag = Kind::Sampler;
  // Properties as for clCreateSamplerWithProperties. Given: by the program, which may ask for them. Throws Failure.
  Sampler(Ref<Context> In, const cl_sampler_properties *Properties, bool Given);
  ~Sampler() override;
  void info(cl_sampler_info What, const Answer &To) const;
  cl_sampler in(const Part &P) const { return Vendors[P.Number]; }

  const Ref<Context> In;

private:
  std::vector<cl_sampler_properties> Properties;
  cl_bool Normalized = CL_TRUE;
  cl_addressing_mode Addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode Filter = CL_FILTER_NEAREST;
  std::vector<cl_sampler> Vendors;
};

// The value of an argument.
struct Argument {
  enum Kind : uint8_t { Unset, Bytes, Local, Null, Object, Sampled, Pointer };
  Kind What = Unset;
  std::vector<std::byte> Data;  // For Bytes.
  size_t LocalBytes = 0;        // For Local.
  const void *Handle = nullptr; // The program's handle of an object, or an SVM pointer's address.
  uint64_t Serial = 0;          // Serial of a memory object.
  uint64_t RefusedBy = 0;       // A bit for each part of the context whose vendor has refused its size.
  cl_int Refusal = CL_SUCCESS;  // The first one's error.
  bool operator==(const Argument &) const = default;
};
using Arguments = std::vector<Argument>;
// What clSetKernelExecInfo has set.
using ExecInfos = std::map<cl_kernel_exec_info, std::vector<std::byte>>;

class Kernel : public Object {
public:
  static constexpr Kind Tag = Kind::Kernel;
  Kernel(Ref<Program> Of, std::string Name);
  Kernel(Kernel &From); // clCloneKernel.
  ~Kernel() override;

  void set(cl_uint Number, size_t Bytes, const void *Value);
  void setPointer(cl_uint Number, const void *Value);
  void setExecInfo(cl_kernel_exec_info What, size_t Bytes, const void *Value);
  void info(cl_kernel_info What, const Answer &To) const;
  void argInfo(cl_uint Number, cl_kernel_arg_info What, const Answer &To) const;
  void workGroupInfo(const Device *D, cl_kernel_work_group_info What, const Answer &To) const;
  void subGroupInfo(const Device *D, cl_kernel_sub_group_info What, size_t InputBytes, const void *Input,
                    const Answer &To) const;

  // The present arguments with references to their objects. Throws CL_INVALID_KERNEL_ARGS if one is missing or
  // stale.
  struct Bound {
    std::shared_ptr<const Arguments> Values;
    std::vector<Ref<Memory>> Objects;   // By argument.
    std::vector<Ref<Sampler>> Samplers; // By argument; empty: there are none.
    std::shared_ptr<const ExecInfos> Infos;
    uint64_t LocalBytes = 0; // Sum over all arguments.
    bool Special = false;    // Some device has sizes of its own (clSetKernelWorkGroupInfo).
    // Throws the error of a vendor that has refused an argument.
    void checkFor(const Part &P) const;
  };
  // Of: the launch; null: any.
  Bound bind(Touch &For, const Device &On, const Sizes *Of = nullptr);
  // Sets the arguments on the vendor's kernel and calls Then with it, atomically against other threads.
  template <class F> cl_int with(Part &P, const Bound &Args, F &&Then) {
    Vendors &V = *Parts[P.Number];
    if (!V.K)
      return CL_INVALID_PROGRAM_EXECUTABLE;
    std::lock_guard Hold(V.Lock);
    cl_int Error = apply(V, P, Args);
    return Error < 0 ? Error : Then(V.K);
  }

  // True if it can run on a vendor's device.
  bool isOn(const Device &D) const;
  // The vendor has refused a launch that another device may accept: scheduled queues leave the device
  // out for some launches, and then ask it again. The reason may have been the launch's size, or memory that is free by
  // then.
  void refusedBy(const Device &D);
  bool isRefusedBy(const Device &D) const;
  // A device has accepted a launch.
  void accepted(const Device &D);
  // Equal for kernels with the same source and name; stable across runs.
  const std::string &key() const { return Key; }

  // Launch configuration for one device, from clSetKernelWorkGroupInfo.
  struct Launch {
    std::vector<size_t> Global, Local;
  };
  void setLaunch(const Device *D, Launch L);
  bool launchOn(const Device *D, Launch &L) const;

  // The size of work-groups that the kernel requires. The first is 0: none.
  const size_t *required() const { return Required; }

  cl_uint count() const { return Count; } // Number of arguments.

  const Ref<Program> Of;
  const std::string Name;

private:
  struct Formal {
    enum Kind : uint8_t { Unknown, Value, Local, Object, Sampler } What = Unknown;
    bool OnlyRead = false;
    // What a memory object must be: its type, if IsTyped, and not of this access. Type 0: any type of image.
    bool IsTyped = false;
    cl_mem_object_type Type = 0;
    cl_mem_flags Never = 0;
    bool MayBeSampler = false;         // A value whose type has a name of the program's own.
    bool IsUnused = false;             // A buffer that the kernel does not access.
    void check(const Memory *M) const; // Throws CL_INVALID_ARG_VALUE. Null: none is given.
  };
  struct Vendors {
    cl_kernel K = nullptr;
    Arguments Applied;
    std::vector<uint64_t> Places; // Places of the memory objects among them.
    std::shared_ptr<const ExecInfos> Infos;
    std::mutex Lock;
  };
  cl_int apply(Vendors &V, Part &P, const Bound &Args);
  // Sets the sizes of local memory on a vendor's kernel, for queries.
  void applyLocal(Vendors &V) const;
  void readFormals();
  // Adds the data of a launch. Known: its extents may be used.
  void touch(Touch &For, const Bound &B, const Sizes *Of, bool Known) const;
  // The vendor's kernel for a device. Null: the only device.
  std::pair<cl_kernel, const Device *> on(const Device *D) const;
  void store(cl_uint Number, Argument A);

  std::string Key;
  std::vector<const Device *> On;
  cl_uint Count = 0;
  size_t Required[3] = {};
  std::vector<Formal> Formals;
  std::shared_ptr<const KernelExtents> Extents; // Null: unknown.
  std::vector<std::unique_ptr<Vendors>> Parts;
  mutable std::mutex Lock; // Guards the fields below.
  std::shared_ptr<Arguments> Values;
  std::map<const Device *, Launch> Launches;
  struct Refusal {
    uint64_t Until = 0; // The number of accepted launches until which the device is left out.
    unsigned Times = 0;
  };
  std::map<const Device *, Refusal> Refusals;
  uint64_t Accepted = 0;                // Launches since the first refusal.
  std::atomic<bool> HasRefusals{false}; // Refusals is not empty.
  static constexpr uint64_t LeastAbsence = 16;
  static constexpr unsigned MostDoublings = 10;
  std::shared_ptr<const ExecInfos> Infos; // Null: none. Otherwise the memory that it accesses is unknown.
};

} // namespace hsched::icd
#endif
