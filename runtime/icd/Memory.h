// Buffers, images and pipes: one replica in each vendor's part of the context, and optionally one on the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With one vendor, the vendor's object is made at once with the program's flags, and nothing is copied. With several,
// replicas are made when a command needs them, and updated through host memory. Sub-buffers, and images made from
// buffers, are views of their root's bytes.
#ifndef HSCHED_ICD_MEMORY_H
#define HSCHED_ICD_MEMORY_H

#include "icd/Context.h"
#include "icd/Replicas.h"

#include <optional>

namespace hsched::icd {

class Command;

class Memory : public Object {
public:
  static constexpr Kind Tag = Kind::Memory;

  // Throws Failure. HostData is the program's pointer, for flags that need one.
  static Memory *buffer(Ref<Context> In, std::vector<cl_mem_properties> Properties, cl_mem_flags Flags, size_t Bytes,
                        void *HostData);
  static Memory *subBuffer(Ref<Memory> Of, cl_mem_flags Flags, size_t First, size_t Bytes);
  static Memory *image(Ref<Context> In, std::vector<cl_mem_properties> Properties, cl_mem_flags Flags,
                       const cl_image_format &Format, const cl_image_desc &Description, void *HostData);
  static Memory *pipe(Ref<Context> In, cl_mem_flags Flags, cl_uint PacketBytes, cl_uint MaxPackets);
  ~Memory() override;

  bool isBuffer() const { return Type == CL_MEM_OBJECT_BUFFER; }
  bool isImage() const { return Type != CL_MEM_OBJECT_BUFFER && Type != CL_MEM_OBJECT_PIPE; }
  void info(cl_mem_info What, const Answer &To) const;
  void imageInfo(cl_image_info What, const Answer &To) const;
  void onDestruction(std::function<void()> Told);

  // The vendor's object in this part, made at the first call. Throws Failure. Any thread.
  cl_mem in(Part &P);
  // The root object, and the offset of this view in it. Bytes of an image are counted without padding.
  Memory &root() { return Parent ? Parent->root() : *this; }
  size_t origin() const { return Parent ? Parent->origin() + First : 0; }
  size_t bytes() const { return Bytes; }

  // For a root in a context of several vendors. Any thread. fetch() waits for the copies and throws Failure. Copy: 0
  // for the host, or copyIn() of a part.
  static unsigned copyIn(const Part &P) { return P.Number + 1; }
  bool isMissing(size_t First, size_t N, unsigned Copy);
  void fetch(size_t First, size_t N, unsigned Copy, const Command &For);
  void written(size_t First, size_t N, Part &P);

  // Host memory of a mapped object: the program's own, if given.
  std::byte *hostBytes();
  bool usesHostPointer() const { return Flags & CL_MEM_USE_HOST_PTR; }
  // Bytes between rows and slices in hostBytes(), of an image.
  size_t rowPitch() const { return Description.image_row_pitch; }
  size_t slicePitch() const { return Description.image_slice_pitch; }
  size_t elementBytes() const { return Element; }
  // Extents for copies: missing rows and slices count 1.
  void region(size_t (&Extent)[3]) const;
  // Throws CL_INVALID_VALUE if the region is not inside the image.
  void checkRegion(const size_t *Origin, const size_t *Extent) const;
  bool canRead() const { return !(Flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)); }
  bool canWrite() const { return !(Flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)); }

  struct Mapping {
    void *At;
    cl_map_flags Flags;
    bool Vendors;                // The vendor mapped it; otherwise it is hostBytes().
    size_t Origin[3], Extent[3]; // For a buffer: element 0 of each.
  };
  void mapped(const Mapping &M);
  // Removes a mapping. Throws CL_INVALID_VALUE if there is none.
  Mapping unmapped(void *At);

  const Ref<Context> In;
  const cl_mem_object_type Type;
  const cl_mem_flags Flags;
  const Ref<Memory> Parent;
  const size_t First;    // Offset in the parent.
  const uint64_t Serial; // Unique.
  cl_image_format Format{};
  cl_image_desc Description{};

protected:
  void abandoned() override {}

private:
  Memory(Ref<Context> In, cl_mem_object_type Type, cl_mem_flags Flags, size_t Bytes, void *HostData, Ref<Memory> Parent,
         size_t First);
  cl_mem make(Part &P);
  void start(void *HostData, bool Views);
  void copyFrom(Part &P, size_t First, size_t N);
  void copyTo(Part &P, size_t First, size_t N);
  std::byte *hostBytesLocked();

  size_t Bytes, Element = 1;
  void *const HostPointer;
  std::vector<cl_mem_properties> Properties;
  cl_uint PacketBytes = 0, MaxPackets = 0;

  mutable std::mutex Lock; // Never taken while another object's lock is held, except a parent's.
  std::unique_ptr<std::atomic<cl_mem>[]> Vendors;
  std::optional<Replicas> Valid;
  std::unique_ptr<std::byte, void (*)(void *)> Host;
  std::vector<Mapping> Mappings;
  std::vector<std::function<void()>> Destructors;
};

// Bytes of one element of an image. 0: unknown format.
size_t elementBytes(const cl_image_format &Format);

} // namespace hsched::icd
#endif
