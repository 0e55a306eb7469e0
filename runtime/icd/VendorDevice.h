// A vendor's part of a context as a memory node of the directory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It provides only blocks, and copies between them and the host; commands use another path. The calling thread enqueues
// copies to two in-order vendor queues. A lazy vendor executes each at once.
#ifndef HSCHED_ICD_VENDORDEVICE_H
#define HSCHED_ICD_VENDORDEVICE_H

#include "device/Device.h"
#include "icd/Context.h"

#include <memory>
#include <utility>
#include <vector>

namespace hsched::icd {

class Memory;

// Vendor objects that are views of another one. They are released with it.
class Views {
public:
  ~Views() { clear(); }
  // The view for the memory object with this serial; made by Make at the first call. Any thread.
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
  std::recursive_mutex Lock; // Recursive, because Make may need another view of the same object.
  std::vector<std::pair<uint64_t, cl_mem>> All;
};

// A memory object's place at one vendor: a vendor object.
class VendorBuffer final : public rt::Buffer {
public:
  VendorBuffer(const Memory &Of, cl_mem Made);
  ~VendorBuffer() override;
  size_t bytes() const override;

  const Memory &Of;
  const cl_mem Made;
  const uint64_t Serial; // Unique, from 1.
  const std::shared_ptr<Views> Parts;
};

class VendorDevice final : public rt::Device {
public:
  // Limit: of its memory in bytes; 0: none.
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
  // Makes the queues of copies, which takes some vendors milliseconds. Without it, the first copy of each way does.
  void prepare();
  // Waits until all copies have ended.
  void finish();

  // Memory objects make blocks; no kernel runs here, and host memory is not pinned.
  status allocate(size_t, rt::BufferRef &) override { return refuse(); }
  status wrap(void *, size_t, rt::BufferRef &) override { return refuse(); }
  status kernel(const hsched_kernel_desc &, rt::KernelRef &) override { return refuse(); }
  status copy(const rt::BufferRef &, size_t, const rt::BufferRef &, size_t, size_t, std::span<const rt::EventRef>,
              rt::EventRef &) override {
    return refuse();
  }
  status launch(const rt::KernelRef &, const hsched_ndrange &, std::span<const rt::BoundArg>,
                std::span<const rt::EventRef>, rt::EventRef &, rt::CompletionReport, unsigned) override {
    return refuse();
  }
  status pin(void *, size_t) override { return refuse(); }
  void unpin(void *) override {}
  unsigned computeQueues() const override { return 1; }
  unsigned streamOf(const rt::Event &) const override { return 0; }

private:
  enum Way : unsigned { Up, Down };
  static status refuse() { return status::error(errc::unsupported, "a vendor's memory is used for copies only"); }
  // Copies Rows between Block, from Offset on, and host memory.
  status copyRows(Way W, const rt::Buffer &Block, size_t Offset, void *Host, const rt::RowLayout &Rows,
                  std::span<const rt::EventRef> Wait, rt::EventRef &Done);
  // Throws Failure.
  cl_command_queue queue(Way W);

  Part &P;
  rt::DeviceInfo Info;
  std::mutex Lock; // Guards Queues.
  cl_command_queue Queues[2] = {};
};

// Boxes of an image that together are bytes [Offset, Offset + Bytes) of its host layout. At: a box's distance from
// Offset there.
struct ImageBox {
  size_t Origin[3], Extent[3], At;
};
struct ImageLayout {
  size_t Element, Extent[3], Pitch[2]; // Distances of rows and of slices, on the host.
};
std::vector<ImageBox> boxesOf(const ImageLayout &L, size_t Offset, size_t Bytes);

// The last command of a copy, for which a command of the same device can wait. Null: none.
cl_event commandOf(const rt::EventRef &Copy);

// The OpenCL error code of a status.
cl_int codeOf(const status &S);

} // namespace hsched::icd
#endif
