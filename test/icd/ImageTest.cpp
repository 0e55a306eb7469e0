// Images, on each device that has them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <numeric>

namespace icdtest {
namespace {

class ImageTest : public Platform {
protected:
  static constexpr size_t W = 16, H = 8;
  cl_mem image(const std::vector<unsigned> &Pixels) {
    cl_image_format F{CL_R, CL_UNSIGNED_INT32};
    cl_image_desc D{};
    D.image_type = CL_MEM_OBJECT_IMAGE2D;
    D.image_width = W;
    D.image_height = H;
    cl_int Error;
    Made.push_back(clCreateImage(Context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &F, &D,
                                 const_cast<unsigned *>(Pixels.data()), &Error));
    EXPECT_EQ(Error, CL_SUCCESS);
    return Made.back();
  }
  std::vector<unsigned> pixels(cl_command_queue Q, cl_mem M) {
    std::vector<unsigned> P(W * H);
    size_t Zero[3] = {}, All[3] = {W, H, 1};
    EXPECT_EQ(clEnqueueReadImage(Q, M, CL_TRUE, Zero, All, 0, 0, P.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return P;
  }
};

TEST_F(ImageTest, TravelBetweenDevices) {
  std::vector<unsigned> P(W * H);
  std::iota(P.begin(), P.end(), 0u);
  cl_mem M = image(P);
  EXPECT_EQ(info<size_t>(clGetImageInfo, M, cl_image_info(CL_IMAGE_WIDTH)), W);
  EXPECT_EQ(info<size_t>(clGetImageInfo, M, cl_image_info(CL_IMAGE_ELEMENT_SIZE)), 4u);
  for (size_t D = 0; D != Queues.size(); ++D) {
    size_t At[3] = {D, 2, 0}, Extent[3] = {4, 2, 1};
    std::vector<unsigned> Patch(8, 1000 + static_cast<unsigned>(D));
    ok(clEnqueueWriteImage(Queues[D], M, CL_TRUE, At, Extent, 0, 0, Patch.data(), 0, nullptr, nullptr));
    for (size_t Row = 2; Row != 4; ++Row)
      std::fill_n(P.begin() + static_cast<long>(Row * W + D), 4, 1000 + static_cast<unsigned>(D));
  }
  for (cl_command_queue Q : Queues)
    EXPECT_EQ(pixels(Q, M), P);
}

TEST_F(ImageTest, MapFillAndCopy) {
  std::vector<unsigned> P(W * H, 1);
  cl_mem A = image(P), B = image(P);
  for (cl_command_queue Q : Queues) {
    cl_int Error;
    size_t At[3] = {1, 1, 0}, Extent[3] = {3, 2, 1}, Row = 0, Zero[3] = {}, All[3] = {W, H, 1};
    auto *Pixel = static_cast<unsigned char *>(clEnqueueMapImage(Q, A, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, At, Extent,
                                                                 &Row, nullptr, 0, nullptr, nullptr, &Error));
    ok(Error);
    ASSERT_GE(Row, 3 * sizeof(unsigned));
    for (size_t Y = 0; Y != 2; ++Y)
      for (size_t X = 0; X != 3; ++X) {
        auto &Value = reinterpret_cast<unsigned *>(Pixel + Y * Row)[X];
        ASSERT_EQ(Value, P[(Y + 1) * W + X + 1]);
        P[(Y + 1) * W + X + 1] = ++Value;
      }
    ok(clEnqueueUnmapMemObject(Q, A, Pixel, 0, nullptr, nullptr));
    unsigned Color[4] = {77, 0, 0, 0};
    size_t Corner[3] = {8, 4, 0};
    ok(clEnqueueFillImage(Q, A, Color, Corner, Extent, 0, nullptr, nullptr));
    for (size_t Y = 4; Y != 6; ++Y)
      std::fill_n(P.begin() + static_cast<long>(Y * W + 8), 3, 77u);
    ok(clEnqueueCopyImage(Q, A, B, Zero, Zero, All, 0, nullptr, nullptr));
    ok(clFinish(Q));
    EXPECT_EQ(pixels(Queues[0], B), P);
    EXPECT_EQ(pixels(Queues.back(), A), P);
  }
}

} // namespace
} // namespace icdtest
