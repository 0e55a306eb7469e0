// Programs: one vendor program in each part of the context, built concurrently.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_PROGRAM_H
#define HSCHED_ICD_PROGRAM_H

#include "icd/Context.h"
#include "icd/Roles.h"

#include <map>
#include <set>

namespace hsched::icd {

class Program;

// The minikernels of a program (Minikernel.h). Any thread.
class Minikernels {
public:
  // Text: from hsched-kinfo; may be empty. Options: of the program's build.
  Minikernels(Ref<Context> In, std::string Text, std::string Options);
  ~Minikernels();
  // True if the kernel's work-groups do the same in a launch of any size.
  bool isFree(const std::string &Kernel) const { return Free.count(Kernel) != 0; }
  // The program with shortened kernels, built by the first call; null: there is none.
  Program *program();

private:
  const Ref<Context> In;
  const std::string Text, Options;
  std::set<std::string> Free;
  std::once_flag Built;
  Program *Its = nullptr;
};

class Program : public Object {
public:
  static constexpr Kind Tag = Kind::Program;
  using Notify = void(CL_CALLBACK *)(cl_program, void *);

  // All functions throw Failure.
  static Program *fromSource(Ref<Context> In, std::string Source);
  static Program *fromIl(Ref<Context> In, const void *Il, size_t Bytes);
  static Program *fromBuiltIn(Ref<Context> In, const std::vector<Ref<Device>> &For, const char *Names);
  struct Binary {
    Device *For;
    const unsigned char *Data;
    size_t Bytes;
    cl_int Status;
  };
  static Program *fromBinaries(Ref<Context> In, std::vector<Binary> &Binaries);
  static Program *link(Ref<Context> In, const std::vector<Ref<Device>> &For, const char *Options,
                       const std::vector<Ref<Program>> &Inputs, Notify Notified, void *UserData, cl_int &Error);
  ~Program() override;

  // Empty For: all devices. With a callback it returns before the build is done.
  void build(const std::vector<Ref<Device>> &For, const char *Options, Notify Notified, void *UserData);
  struct Header {
    Ref<Program> Text;
    std::string Name;
  };
  void compile(const std::vector<Ref<Device>> &For, const char *Options, const std::vector<Header> &Headers,
               Notify Notified, void *UserData);
  void specialize(cl_uint Id, size_t Bytes, const void *Value);

  void info(cl_program_info What, const Answer &To);
  void buildInfo(const Device &D, cl_program_build_info What, const Answer &To);
  bool isFor(const Device *D) const;
  // The vendor's program of a part, or null.
  cl_program in(const Part &P) const { return Vendors[P.Number]; }
  // True if the vendor has an executable for the device.
  bool isBuiltFor(const Device &D) const;
  void addKernel(int N) { Kernels.fetch_add(N); }
  // True if its commands may have effects besides their arguments: printf, program-scope variables.
  bool hasSideEffects() const { return SideEffects; }
  // The program has asked for information about arguments with its options, or its vendor decides.
  bool hasArgumentInfo() const { return HasArgumentInfo.load(std::memory_order_relaxed); }
  // False: it is a source that nothing has been built from.
  bool hasCode() const { return !FromSource || HasCode.load(std::memory_order_acquire); }
  const std::string &source() const { return Source; }
  std::string options() const; // The options of the last build.
  // True if an analysis of the source shows that the kernel only reads through the pointer. May wait for the analysis.
  bool onlyReads(const std::string &Kernel, cl_uint Argument) const;
  // True if it does not even read.
  bool isUnused(const std::string &Kernel, cl_uint Argument) const;
  // What its launches touch, by the same analysis. Null: unknown.
  std::shared_ptr<const KernelExtents> extents(const std::string &Kernel) const;

  // Null: it was not built from source. May wait for hsched-kinfo.
  std::shared_ptr<Minikernels> minikernels();

  const Ref<Context> In;

private:
  bool allSay(bool (Roles::*What)(const std::string &, unsigned) const, const std::string &Kernel,
              cl_uint Argument) const;
  Program(Ref<Context> In, std::vector<Ref<Device>> For);
  // Calls One concurrently for each part with its devices. Returns the error of the first that fails.
  using Each = std::function<cl_int(const Part &, const std::vector<cl_device_id> &)>;
  cl_int each(const std::vector<Ref<Device>> &For, const Each &One) const;
  void startOrRun(const std::vector<Ref<Device>> &For, Each One, Notify Notified, void *UserData);
  std::vector<unsigned char> binaryOf(const Device &D) const;
  // The vendor's device that represents this one.
  const Device &answering(const Device &D) const;

  std::vector<Ref<Device>> Devices;
  std::vector<cl_program> Vendors;
  std::string Source, Options;
  std::vector<unsigned char> Il;
  bool SideEffects = true, FromSource = false;
  std::atomic<unsigned> Builds{0}; // Builds that run beside the program.
  std::atomic<bool> HasArgumentInfo{true};
  mutable std::atomic<bool> HasCode{false};
  std::atomic<int> Kernels{0};
  mutable std::mutex Lock;                            // Guards Options and the fields below.
  std::vector<std::shared_ptr<const Roles>> Analyses; // One for each set of options.
  std::shared_ptr<Minikernels> Minis;                 // For the present options; null until asked for.
  std::shared_future<std::string> MiniText;           // The same; invalid until hsched-kinfo is asked.
};

// True if kernels of this source, compiled with these options, may use printf or variables that outlive a launch.
bool mayHaveSideEffects(const std::string &Source, const std::string &Options = "");

} // namespace hsched::icd
#endif
