// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Minikernel.h"

#include "icd/Queue.h"

#include <algorithm>
#include <cmath>

namespace hsched::icd {
namespace {

constexpr double LongEnough = 300e-6; // Against the start of a kernel and the resolution of a device's clock.
constexpr double Long = 2e-3;         // A run of so many seconds is not repeated.
constexpr size_t MostCopied = size_t(256) << 20;

// Destroys an object that the platform made for itself.
struct Abandon {
  void operator()(Object *O) const { O->releaseUser(); }
};
template <class T> using Own = std::unique_ptr<T, Abandon>;

// Runs a kernel on one device with copies of what it writes.
class Trial {
public:
  Trial(Own<Kernel> Its, const Kernel::Bound &Args, const Command &C, Device &D)
      : Its(std::move(Its)), Q(new Queue(C.In, &D, CL_QUEUE_PROFILING_ENABLE, {}, 0)), Args(Args) {
    Values = *Args.Values;
    for (size_t I = 0; I != Values.size(); ++I) {
      Memory *M = Args.Objects[I].get();
      if (!M)
        continue;
      if (!isWritten(C, *M)) {
        Uses.uses(*M, true, false);
        continue;
      }
      require(M->isBuffer() && isOnly(I), CL_INVALID_OPERATION);
      Copied += M->bytes();
      require(Copied <= MostCopied, CL_OUT_OF_RESOURCES);
      Copy X{M, isRead(C, *M), Own<Memory>(Memory::buffer(C.In, {}, CL_MEM_READ_WRITE, M->bytes(), nullptr))};
      replace(I, *X.To);
      Copies.push_back(std::move(X));
    }
  }

  // One more argument, behind the kernel's own.
  void addValue(cl_uint Value) {
    Argument A;
    A.What = Argument::Bytes;
    A.Data.resize(sizeof(Value));
    std::memcpy(A.Data.data(), &Value, sizeof(Value));
    Values.push_back(std::move(A));
    Args.Objects.emplace_back();
    Args.Samplers.emplace_back();
  }
  void addObject(Memory &M) {
    Values.emplace_back();
    Args.Objects.emplace_back();
    Args.Samplers.emplace_back();
    replace(Values.size() - 1, M);
    Uses.uses(M, false, true);
  }
  void setValue(size_t Number, cl_uint Value) { std::memcpy(Values[Number].Data.data(), &Value, sizeof(Value)); }

  // Seconds on the device.
  double run(const Sizes &S) {
    for (const Copy &X : Copies) {
      if (!X.Reads) // Its old contents do not matter.
        continue;
      Touch T;
      T.uses(*X.From, true, false);
      T.uses(*X.To, false, true);
      (void)await(CL_COMMAND_COPY_BUFFER, std::move(T),
                  [&](const Target &To, cl_uint N, const cl_event *Waits, cl_event *Out) {
                    return To.cl().clEnqueueCopyBuffer(To.Queue, X.From->in(*To.In), X.To->in(*To.In), 0, 0,
                                                       X.From->bytes(), N, Waits, Out);
                  });
    }
    Kernel::Bound B = Args;
    B.Values = std::make_shared<const Arguments>(Values);
    Touch T = Uses;
    for (const Copy &X : Copies)
      T.uses(*X.To, true, true);
    return await(CL_COMMAND_NDRANGE_KERNEL, std::move(T),
                 [&](const Target &To, cl_uint N, const cl_event *Waits, cl_event *Out) {
                   return Its->with(*To.In, B, [&](cl_kernel K) {
                     return To.cl().clEnqueueNDRangeKernel(To.Queue, K, S.Dimensions, S.Offset, S.Global,
                                                           S.HasLocal ? S.Local : nullptr, N, Waits, Out);
                   });
                 });
  }

  void read(Memory &M, void *Into) {
    Touch T;
    T.uses(M, true, false);
    (void)await(
        CL_COMMAND_READ_BUFFER, std::move(T), [&](const Target &To, cl_uint N, const cl_event *Waits, cl_event *Out) {
          return To.cl().clEnqueueReadBuffer(To.Queue, M.in(*To.In), CL_FALSE, 0, M.bytes(), Into, N, Waits, Out);
        });
  }

private:
  struct Copy {
    Ref<Memory> From;
    bool Reads;
    Own<Memory> To;
  };

  static bool isWritten(const Command &C, Memory &M) {
    return std::any_of(C.Uses.begin(), C.Uses.end(),
                       [&](const Use &U) { return U.Root.get() == &M.root() && U.Writes; });
  }
  static bool isRead(const Command &C, Memory &M) {
    return std::any_of(C.Uses.begin(), C.Uses.end(),
                       [&](const Use &U) { return U.Root.get() == &M.root() && U.Reads; });
  }
  // True if no other argument is of the same object.
  bool isOnly(size_t I) const {
    for (size_t J = 0; J != Args.Objects.size(); ++J)
      if (J != I && Args.Objects[J] && &Args.Objects[J]->root() == &Args.Objects[I]->root())
        return false;
    return true;
  }
  void replace(size_t I, Memory &By) {
    Values[I].What = Argument::Object;
    Values[I].Handle = By.handle<cl_mem>();
    Values[I].Serial = By.Serial;
    Args.Objects[I] = &By;
  }
  double await(cl_command_type Type, Touch &&T, Command::Starts Start) {
    Ref<Command> C(new Command(Q->In, Q.get(), Type));
    C->uses(std::move(T));
    C->Start = std::move(Start);
    Q->enqueue(C, {}, true, nullptr);
    return static_cast<double>(C->runTime()) * 1e-9;
  }

  const Own<Kernel> Its;
  const Own<Queue> Q;
  Kernel::Bound Args;
  Arguments Values;
  std::vector<Copy> Copies;
  size_t Copied = 0;
  Touch Uses;
};

size_t groupsIn(const Sizes &S, const size_t *Local, size_t (&By)[3]) {
  size_t All = 1;
  for (cl_uint I = 0; I != 3; ++I) {
    By[I] = I < S.Dimensions && Local[I] ? (S.Global[I] + Local[I] - 1) / Local[I] : 1;
    All *= By[I];
  }
  return All;
}

// A launch of the first groups, N or a little more. Sets N.
Sizes firstGroups(const Sizes &S, size_t &N) {
  size_t By[3];
  (void)groupsIn(S, S.Local, By);
  Sizes Its = S;
  size_t Left = N, Product = 1;
  for (cl_uint I = 0; I != S.Dimensions; ++I) {
    size_t Here = std::min(By[I], std::max<size_t>(Left, 1));
    Left = (Left + Here - 1) / Here;
    Its.Global[I] = std::min(S.Global[I], Here * S.Local[I]);
    Product *= Here;
  }
  N = Product;
  return Its;
}

} // namespace

Sizes Sizes::on(const Kernel &K, const Device *D) const {
  Kernel::Launch Special;
  if (!K.launchOn(D, Special))
    return *this;
  Sizes Its = *this;
  Its.Dimensions = static_cast<cl_uint>(Special.Global.size());
  std::copy(Special.Global.begin(), Special.Global.end(), Its.Global);
  std::copy(Special.Local.begin(), Special.Local.end(), Its.Local);
  Its.HasLocal = !Special.Local.empty();
  return Its;
}

double extrapolate(size_t All, double Base, size_t Parallel, bool MayShare,
                   const std::function<double(size_t &)> &Run) {
  double Before = 0;
  size_t Fewer = 0;
  for (size_t N = std::clamp<size_t>(Parallel, 1, All);; N = std::min(All, N * 4)) {
    double Its = Run(N);
    if (Its < Long) // The first one may have had cold caches.
      Its = std::min(Its, Run(N));
    if (N >= All)
      return Its;
    const double More = Its - Base;
    if (More >= LongEnough && !MayShare)
      return Base + More / static_cast<double>(N) * static_cast<double>(All);
    if (More >= LongEnough && Fewer && More >= 3 * Before) // Four times the groups: the device is full.
      return Its + (More - Before) / static_cast<double>(N - Fewer) * static_cast<double>(All - N);
    Before = More;
    Fewer = N;
  }
}

double Minikernel::seconds(const Command &C, Device &D) const {
  double Its = -1;
  (void)guarded([&] {
    const auto Minis = Of->Of->minikernels();
    if (!Minis || C.Fence || !Of->isOn(D))
      return;
    const Sizes S = Whole.on(*Of, &D);
    const size_t Parallel = D.limits().Units;
    const bool MayShare = !(D.Type & CL_DEVICE_TYPE_CPU);
    size_t By[3];
    if (S.HasLocal && Minis->isFree(Of->Name)) { // The kernel itself, with fewer groups.
      Trial T(Own<Kernel>(new Kernel(*Of)), Args, C, D);
      Its = extrapolate(groupsIn(S, S.Local, By), 0, Parallel, MayShare, [&](size_t &N) {
        const Sizes Few = firstGroups(S, N);
        return T.run(Few);
      });
      return;
    }
    Program *Shortened = Minis->program();
    if (!Shortened || !Shortened->isBuiltFor(D))
      return;
    Own<Kernel> K(new Kernel(Shortened, Of->Name));
    const size_t Count = Args.Values->size();
    if (K->count() != Count + 2) // It could not be shortened.
      return;
    Trial T(std::move(K), Args, C, D);
    cl_uint Local[3] = {1, 1, 1};
    Own<Memory> Notified(Memory::buffer(C.In, {}, CL_MEM_READ_WRITE, sizeof(Local), nullptr));
    T.addValue(0);
    T.addObject(*Notified);
    double Base = T.run(S);
    Base = std::min(Base, T.run(S)); // The first one may have been compiled then.
    T.read(*Notified, Local);
    const size_t Group[3] = {Local[0], Local[1], Local[2]};
    Its = extrapolate(groupsIn(S, Group, By), Base, Parallel, MayShare, [&](size_t &N) {
      T.setValue(Count, static_cast<cl_uint>(std::min<size_t>(N, UINT32_MAX)));
      return T.run(S);
    });
  });
  return Its;
}

} // namespace hsched::icd
