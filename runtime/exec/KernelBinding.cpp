// Translation of kernel arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/KernelBinding.h"

#include <algorithm>

namespace hsched::rt {

// The smallest page size of any machine: memory inside one page is mapped as a whole.
static constexpr uintptr_t PageBytes = 4096;

bool KernelBinding::empty() const {
  return std::any_of(Range.global, Range.global + Range.dims, [](size_t N) { return N == 0; });
}

status KernelBinding::bind(const Task &T, const hsched_kernel_desc &Desc, const Acquisition &Acquired, Device &Dev,
                           bool InPlace) {
  Args.clear();
  Range = {};
  Filled.assign(Desc.n_args, hsched_kernel_arg{});
  if (status Done = fill(T, Desc, Acquired, InPlace); !Done.ok())
    return Done;
  if (Range.dims < 1 || Range.dims > 3)
    return status::error(errc::invalid_argument, "an ndrange of " + std::to_string(Range.dims) + " dimensions");
  if (empty())
    return {};

  Args.reserve(Filled.size()); // The backend passes the offsets on.
  for (const hsched_kernel_arg &Arg : Filled) {
    BoundArg Bound;
    switch (Arg.kind) {
    case HSCHED_ARG_VALUE:
      Bound.K = BoundArg::Kind::Value;
      Bound.Value = Arg.value;
      Bound.Bytes = Arg.bytes;
      break;
    case HSCHED_ARG_LOCAL:
      Bound.K = BoundArg::Kind::Local;
      Bound.Bytes = Arg.bytes;
      break;
    case HSCHED_ARG_BUFFER:
      if (status Placed = place(T, Desc, Arg, Acquired, Dev, InPlace, Bound); !Placed.ok())
        return Placed;
      break;
    default:
      return status::error(errc::invalid_argument, "a kernel argument of kind " + std::to_string(Arg.kind));
    }
    Args.push_back(std::move(Bound));
  }
  return {};
}

status KernelBinding::fill(const Task &T, const hsched_kernel_desc &Desc, const Acquisition &Acquired, bool InPlace) {
  const PackedParams Packed = packedOf(&Desc);
  if (Packed.empty()) {
    Desc.fill(T.Args, &Range, Filled.data());
    return {};
  }
  if (status Known = findPacked(T, Packed, Acquired, InPlace, Places); !Known.ok())
    return Known;
  Leading.clear();
  for (const hsched_packed_place &P : Places)
    Leading.push_back(P.leading);
  Desc.fill_packed(T.Args, Leading.data(), &Range, Filled.data());
  return {};
}

status KernelBinding::place(const Task &T, const hsched_kernel_desc &Desc, const hsched_kernel_arg &Arg,
                            const Acquisition &Acquired, Device &Dev, bool InPlace, BoundArg &Out) {
  Out.K = BoundArg::Kind::Buffer;
  if (!Arg.pointer)
    return {};
  auto Address = reinterpret_cast<uintptr_t>(Arg.pointer);

  // The sections of the argument: all of its parameter's, or the one that contains the address.
  uintptr_t Begin = UINTPTR_MAX, End = 0;
  const Placement *Where = nullptr;
  const Access *Tile = nullptr; // The access of Where.
  for (size_t I = 0; I < T.NumAccesses; ++I) {
    const Access &A = T.AccessList[I];
    bool Holds = beginOf(A) <= Address && Address < endOf(A);
    if (Arg.param == HSCHED_NO_PARAM ? !Holds : A.param != Arg.param)
      continue;
    if (beginOf(A) == endOf(A))
      continue;
    Begin = std::min(Begin, beginOf(A));
    End = std::max(End, endOf(A));
    if (InPlace)
      continue;
    const Placement &P = Acquired.Placements[I];
    if (Where && Where->Mem != P.Mem)
      return status::error(errc::unsupported, "sections of one parameter lie in different places on the device");
    if (!Where || P.Stride) { // The tile's placement takes precedence over that of a row in it.
      Where = &P;
      Tile = &A;
    }
  }
  if (Begin > End) {
    // Data of no bytes: the kernel gets no buffer, as for a null pointer.
    bool Named = std::ranges::any_of(T.accesses(), [&](const Access &A) { return A.param == Arg.param; });
    if (Arg.param != HSCHED_NO_PARAM && Named)
      return {};
    return status::error(errc::invalid_argument, "a buffer argument that no section of the task covers");
  }
  if (InPlace) {
    // Small data in one page share a buffer, because a driver handles every known buffer at each launch.
    if ((Desc.flags & HSCHED_KERNEL_OFFSETS) && End - Begin < PageBytes) {
      Begin = Begin / PageBytes * PageBytes;
      End = (End + PageBytes - 1) / PageBytes * PageBytes;
    }
    Out.Offset = Address - Begin;
    Out.Bytes = End - std::min(End, Address);
    return Dev.wrap(reinterpret_cast<void *>(Begin), End - Begin, Out.Mem);
  }
  Out.Mem = Where->Mem;
  Out.Offset = Address - Where->HostBegin;
  if (!Where->Stride)
    Out.Bytes = End - std::min(End, Address);
  else {
    // The distance to the tile's first element, in rows and bytes, as on the host.
    const auto Ahead = static_cast<int64_t>(beginOf(*Tile) - Address), Stride = static_cast<int64_t>(Tile->stride);
    Out.Offset = (beginOf(*Tile) - Where->HostBegin) -
                 static_cast<uint64_t>(Ahead / Stride * static_cast<int64_t>(Where->Stride) + Ahead % Stride);
  }
  return {};
}

} // namespace hsched::rt
