// Edges of a photograph, in bands of rows. Each stage is a task with a C++ and an OpenCL version. It also reads rows of
// the neighbouring bands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: edges photo.png [--out edges.png] [--tile rows] [--reps r] [--zoom k]. --zoom enlarges the picture first.
// Standard output is the same for every build of this program; times and file names go to standard error. Exit code 1
// tells that the result differs from a serial run's.
#include "../common/Options.h"
#include "Picture.h"
#include "Stages.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace edges;
using u8 = std::uint8_t;
using u32 = std::uint32_t;

#pragma hsched task in(src[firstRow(y0, BlurHalo) * w : rowCount(y0, rows, BlurHalo, h) * w]) \
    out(dst[y0 * w : rows * w])
void blur(int w, int h, int y0, int rows, const u8 *src, u8 *dst) { blurRows(w, h, y0, y0 + rows, src, dst); }

#pragma hsched implements(blur) device(opencl) kernel("edges.cl", "blur") ndrange(w, rows; 32, 4)
void blur_cl(int w, int h, int y0, int rows, const u8 *src, u8 *dst);

#pragma hsched task in(src[firstRow(y0, SobelHalo) * w : rowCount(y0, rows, SobelHalo, h) * w]) \
    out(strength[y0 * w : rows * w], direction[y0 * w : rows * w])
void sobel(int w, int h, int y0, int rows, const u8 *src, u32 *strength, u8 *direction) {
  sobelRows(w, h, y0, y0 + rows, src, strength, direction);
}

#pragma hsched implements(sobel) device(opencl) kernel("edges.cl", "sobel") ndrange(w, rows; 32, 4)
void sobel_cl(int w, int h, int y0, int rows, const u8 *src, u32 *strength, u8 *direction);

#pragma hsched task in(strength[firstRow(y0, ThinHalo) * w : rowCount(y0, rows, ThinHalo, h) * w]) \
    in(direction[y0 * w : rows * w]) out(kept[y0 * w : rows * w])
void thin(int w, int h, int y0, int rows, const u32 *strength, const u8 *direction, u32 *kept) {
  thinRows(w, h, y0, y0 + rows, strength, direction, kept);
}

#pragma hsched implements(thin) device(opencl) kernel("edges.cl", "thin") ndrange(w, rows; 32, 4)
void thin_cl(int w, int h, int y0, int rows, const u32 *strength, const u8 *direction, u32 *kept);

#pragma hsched task in(kept[y0 * w : rows * w]) out(result[y0 * w : rows * w])
void threshold(int w, int y0, int rows, u32 low, u32 high, const u32 *kept, u8 *result) {
  thresholdRows(w, y0, y0 + rows, low, high, kept, result);
}

#pragma hsched implements(threshold) device(opencl) kernel("edges.cl", "threshold") ndrange(w, rows; 32, 4)
void threshold_cl(int w, int y0, int rows, u32 low, u32 high, const u32 *kept, u8 *result);

namespace {

constexpr u32 Low = 40 * 40, High = 120 * 120; // Squared gradients.

// The planes between the stages.
struct Planes {
  std::vector<u8> blurred, direction, result;
  std::vector<u32> strength, thinned;
  explicit Planes(std::size_t n) : blurred(n), direction(n), result(n), strength(n), thinned(n) {}
};

std::vector<u8> serialEdges(int w, int h, const u8 *src) {
  Planes p(std::size_t(w) * h);
  blurRows(w, h, 0, h, src, p.blurred.data());
  sobelRows(w, h, 0, h, p.blurred.data(), p.strength.data(), p.direction.data());
  thinRows(w, h, 0, h, p.strength.data(), p.direction.data(), p.thinned.data());
  thresholdRows(w, 0, h, Low, High, p.thinned.data(), p.result.data());
  return p.result;
}

// Every stage of one band is submitted as soon as its inputs are: bands move through the stages independently.
void submitAll(int w, int h, int band, const u8 *src, Planes &p) {
  const auto rowsAt = [&](int y0) { return y0 + band < h ? band : h - y0; };
  for (int y0 = 0; y0 < h; y0 += band)
    blur(w, h, y0, rowsAt(y0), src, p.blurred.data());
  for (int y0 = 0; y0 < h; y0 += band)
    sobel(w, h, y0, rowsAt(y0), p.blurred.data(), p.strength.data(), p.direction.data());
  for (int y0 = 0; y0 < h; y0 += band)
    thin(w, h, y0, rowsAt(y0), p.strength.data(), p.direction.data(), p.thinned.data());
  for (int y0 = 0; y0 < h; y0 += band)
    threshold(w, y0, rowsAt(y0), Low, High, p.thinned.data(), p.result.data());
}

} // namespace

int main(int argc, char **argv) {
  samples::Options options(argc, argv, {"out", "tile", "reps", "zoom"});
  const int band = options.number("tile", 64);
  const int reps = options.number("reps", 4);
  const int zoom = options.number("zoom", 1);
  const std::string out = options.text("out", "");
  if (options.operands().size() != 1)
    options.complain("name one PNG file");
  if (!options.ok())
    return 2;

  Picture picture;
  if (!readPng(options.operands()[0], picture))
    return 2;
  if (std::int64_t(picture.width) * picture.height * zoom * zoom > (std::int64_t(1) << 30)) {
    options.complain("the picture is larger than 2^30 pixels");
    return 2;
  }
  if (zoom > 1)
    picture = enlarge(picture, zoom);
  const int w = picture.width, h = picture.height;

  Planes planes(picture.pixels.size());
  const std::vector<u8> expected = serialEdges(w, h, picture.pixels.data());
  for (int r = 0; r < reps; ++r) {
    planes.result.assign(planes.result.size(), 77);
    const auto start = std::chrono::steady_clock::now();
    submitAll(w, h, band, picture.pixels.data(), planes);
#pragma hsched taskwait
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "edges: %d x %d, bands of %d rows, repetition %d: %.2f ms\n", w, h, band, r + 1,
                 took.count() * 1e3);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (planes.result[i] != expected[i]) {
        std::printf("edges: WRONG: pixel (%d, %d) is %d, not %d, in repetition %d\n", int(i % w), int(i / w),
                    planes.result[i], expected[i], r + 1);
        return 1;
      }
  }

  std::size_t strong = 0, weak = 0;
  for (u8 v : planes.result) {
    strong += v == 255;
    weak += v == 128;
  }
  if (!out.empty()) {
    if (!writePng(out, w, h, planes.result.data()))
      return 2;
    std::fprintf(stderr, "edges: wrote %s\n", out.c_str());
  }
  std::printf("edges: %d x %d, %zu strong and %zu weak edge pixels: correct\n", w, h, strong, weak);
  return 0;
}
