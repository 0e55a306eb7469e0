// A vendor's part of a context, as the directory of data sees it: a memory node.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only blocks and copies between them and the host are asked of it; commands go another way. Copies are handed to two
// queues of the vendor's, in order, by the thread that asks for them. A lazy vendor carries each out at once.
#ifndef HSCHED_ICD_VENDORDEVICE_H
#define HSCHED_ICD_VENDORDEVICE_H

#include "device/Device.h"
#include "icd/Context.h"

#include <memory>
#include <utility>
#include <vector>

namespace hsched::icd {

class Memory;

// Objects of a vendor's that are parts of another one. They go with it.
class Views {
public:
  ~Views() { clear(); }
  // The one of the memory object with this number, made by Make if it is not there. Any thread.
  template <class F> cl_mem get(uint64_t Serial, F Make) {
    std::lock_guard Hold(Lock);
    for (const auto &[Its, Made] : All)
      if (Its == Serial)
        return Made;
    cl_mem Made = Make();
    All.emplace_back(Serial, Made);
    return Made;
  }
  void remove(uint64_t Serial);
  void clear();

private:
  std::recursive_mutex Lock; // Make may need another view of the same object.
  std::vector<std::pair<uint64_t, cl_mem>> All;
};

// A memory object's place at one vendor: an object of the vendor's.
class VendorBuffer final : public rt::Buffer {
public:
  VendorBuffer(const Memory &Of, cl_mem Made);
  ~VendorBuffer() override;
  size_t bytes() const override;

  const Memory &Of;
  const cl_mem Made;
  const uint64_t Serial; // From 1; no other one has had it.
  const std::shared_ptr<Views> Parts;
};

class VendorDevice final : public rt::Device {
public:
  // Limit: of its memory, 0 if there is none.
  VendorDevice(Part &P, uint64_t Limit);
  ~VendorDevice() override;

  const rt::DeviceInfo &info() const override { return Info; }
  status write(const rt::BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes,
               std::span<const rt::EventRef> Wait, rt::EventRef &Done) override;
  status read(const rt::BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const rt::EventRef> Wait,
              rt::EventRef &Done) override;
  status writeRows(const rt::BufferRef &Dst, size_t DstOffset, const void *Src, const rt::RowLayout &Rows,
                   std::span<const rt::EventRef> Wait, rt::EventRef &Done) override;
  status readRows(const rt::BufferRef &Src, size_t SrcOffset, void *Dst, const rt::RowLayout &Rows,
                  std::span<const rt::EventRef> Wait, rt::EventRef &Done) override;
  void flush() override;

  // Blocks are made by the memory objects; nothing runs here, and host memory is not pinned.
  status allocate(size_t, rt::BufferRef &) override { return refuse(); }
  status wrap(void *, size_t, rt::BufferRef &) override { return refuse(); }
  status kernel(const hsched_kernel_desc &, rt::KernelRef &) override { return refuse(); }
  status copy(const rt::BufferRef &, size_t, const rt::BufferRef &, size_t, size_t, std::span<const rt::EventRef>,
              rt::EventRef &) override {
    return refuse();
  }
  status launch(const rt::KernelRef &, const hsched_ndrange &, std::span<const rt::BoundArg>,
                std::span<const rt::EventRef>, rt::EventRef &, rt::Telling, unsigned) override {
    return refuse();
  }
  status pin(void *, size_t) override { return refuse(); }
  void unpin(void *) override {}
  unsigned computeQueues() const override { return 1; }
  unsigned streamOf(const rt::Event &) const override { return 0; }

private:
  enum Way : unsigned { Up, Down };
  static status refuse() { return status::error(errc::unsupported, "a vendor's memory is used for copies only"); }
  // Block's bytes from Offset on, Rows of them, from or to host memory.
  status copyRows(Way W, const rt::Buffer &Block, size_t Offset, void *Host, const rt::RowLayout &Rows,
                  std::span<const rt::EventRef> Wait, rt::EventRef &Done);
  // Throws Failure.
  cl_command_queue queue(Way W);

  Part &P;
  rt::DeviceInfo Info;
  std::mutex Lock; // Of Queues.
  cl_command_queue Queues[2] = {};
};

// Boxes of an image that together are bytes [Offset, Offset + Bytes) of it as it lies on the host. At: a box's distance
// from Offset there.
struct ImageBox {
  size_t Origin[3], Extent[3], At;
};
struct ImageLayout {
  size_t Element, Extent[3], Pitch[2]; // Of rows and of slices, on the host.
};
std::vector<ImageBox> boxesOf(const ImageLayout &L, size_t Offset, size_t Bytes);

// A copy's last command, which a command of the same device can be made to wait for; null where there is none.
cl_event commandOf(const rt::EventRef &Copy);

// What the program is told of a status.
cl_int codeOf(const status &S);

} // namespace hsched::icd
#endif
