// Buffers, images and pipes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a context of one vendor an object is plain: the vendor's object is created at once, with the program's flags, and
// nothing is copied. With several vendors, or if memory is short, it is a datum of the context's directory without a
// home. It is at a vendor, as a whole, while a command needs it, and on the host while it is mapped or evicted.
// Sub-buffers, and images made from buffers, are views: their bytes are those of their root.
#ifndef HSCHED_ICD_MEMORY_H
#define HSCHED_ICD_MEMORY_H

#include "data/Directory.h"
#include "icd/VendorDevice.h"

namespace hsched::icd {

class Memory : public Object, public rt::DatumOwner {
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
  void onDestruction(std::function<void()> Notified);

  // The vendor's object in this part. If it is not plain: for a command that holds it. Throws Failure. Any
  // thread.
  cl_mem in(Part &P);
  // The root object, and the offset of this view in it. Bytes of an image are counted without padding.
  Memory &root() { return Parent ? Parent->root() : *this; }
  size_t origin() const { return Parent ? Parent->origin() + First : 0; }
  size_t bytes() const { return Bytes; }

  // For a root: its first address in the directory; null if it is plain.
  std::byte *datum() const { return Datum; }
  bool isPlain() const { return IsPlain; }
  // Changes whenever in() changes; 0 for a plain object.
  uint64_t placeIn(const Part &P) { return IsPlain ? 0 : placeOf(P); }
  // For a root: its place at a vendor, for a command that holds it.
  void setPlace(size_t PartNumber, VendorBuffer *B) { Places[PartNumber].store(B, std::memory_order_release); }
  status allocate(rt::MemoryNode Node, rt::BufferRef &Out) override;
  // Translates an address of the datum to host memory. Other addresses are returned unchanged.
  std::byte *onHost(std::byte *At) const {
    bool Elsewhere = HostPointer && Datum <= At && At < Datum + Bytes;
    return Elsewhere ? static_cast<std::byte *>(HostPointer) + (At - Datum) : At;
  }
  ImageLayout layout() const;

  // Host memory of a mapped object: the program's own, if given.
  std::byte *hostBytes();
  bool usesHostPointer() const { return Flags & CL_MEM_USE_HOST_PTR; }
  // Bytes between rows and slices in hostBytes(), of an image.
  size_t rowPitch() const { return Description.image_row_pitch; }
  size_t slicePitch() const { return Description.image_slice_pitch; }
  size_t elementBytes() const { return Element; }
  // It has slices, or is an array.
  bool isLayered() const {
    return Type == CL_MEM_OBJECT_IMAGE3D || Type == CL_MEM_OBJECT_IMAGE1D_ARRAY || Type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  }
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
  // Makes a vendor's object. Throws Failure.
  cl_mem make(Part &P) const;
  uint64_t placeOf(const Part &P);
  // The vendor copies shared virtual memory and pipes.
  bool isVendors() const { return Type == CL_MEM_OBJECT_PIPE || (HostPointer && In->isSvm(HostPointer)); }
  void start(void *HostData);
  // Makes the vendor's object at once, so that its errors are reported here. False: the vendor has no memory for it
  // now, so it becomes data. Throws Failure.
  bool startPlain(void *HostData);
  void startData(void *HostData);

  size_t Bytes, Element = 1;
  void *const HostPointer;
  bool IsCounted; // Counted as a plain root. Constant once the object has been made, like IsPlain.
  bool IsPlain;
  std::vector<cl_mem_properties> Properties;
  cl_uint PacketBytes = 0, MaxPackets = 0;

  mutable std::mutex Lock; // Guards the mutable fields; no other object's lock is taken under it.
  cl_mem Plain = nullptr;  // Constant once it has been made, like Datum.
  std::byte *Datum = nullptr;
  std::unique_ptr<std::atomic<VendorBuffer *>[]> Places; // For a root, by part.
  std::vector<std::weak_ptr<Views>> Seen;                // For a view, by part: cached lookups.
  std::unique_ptr<std::byte, void (*)(void *)> Host;
  std::vector<Mapping> Mappings;
  std::vector<std::function<void()>> Destructors;
};

// Throws CL_INVALID_VALUE, CL_INVALID_HOST_PTR.
void checkFlags(cl_mem_flags Flags, const void *HostData);
bool isImageType(cl_mem_object_type T);
// Bytes of one element of an image. 0: unknown format.
size_t elementBytes(const cl_image_format &Format);

} // namespace hsched::icd
#endif
