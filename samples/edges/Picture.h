// Grey pictures from and to PNG files, through libpng's simplified interface.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_EDGES_PICTURE_H
#define HSCHED_SAMPLES_EDGES_PICTURE_H

#include <png.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace edges {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels; // row-major
};

// False, with one line on standard error, where the file cannot be read. Colours become grey.
inline bool readPng(const std::string &path, Picture &out) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str())) {
    image.format = PNG_FORMAT_GRAY;
    out.width = static_cast<int>(image.width);
    out.height = static_cast<int>(image.height);
    out.pixels.resize(PNG_IMAGE_SIZE(image));
    if (png_image_finish_read(&image, nullptr, out.pixels.data(), 0, nullptr))
      return true;
  }
  std::fprintf(stderr, "edges: cannot read '%s': %s\n", path.c_str(), image.message);
  png_image_free(&image);
  return false;
}

inline bool writePng(const std::string &path, int width, int height, const std::uint8_t *pixels) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_GRAY;
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels, 0, nullptr))
    return true;
  std::fprintf(stderr, "edges: cannot write '%s': %s\n", path.c_str(), image.message);
  return false;
}

// The picture `factor` times as wide and high, bilinear, in integers.
inline Picture enlarge(const Picture &in, int factor) {
  Picture out;
  out.width = in.width * factor;
  out.height = in.height * factor;
  out.pixels.resize(std::size_t(out.width) * out.height);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const int x0 = x / factor, y0 = y / factor, fx = x % factor, fy = y % factor;
      const int x1 = x0 + 1 < in.width ? x0 + 1 : x0, y1 = y0 + 1 < in.height ? y0 + 1 : y0;
      const auto at = [&](int px, int py) { return int(in.pixels[std::size_t(py) * in.width + px]); };
      const int top = at(x0, y0) * (factor - fx) + at(x1, y0) * fx;
      const int bottom = at(x0, y1) * (factor - fx) + at(x1, y1) * fx;
      out.pixels[std::size_t(y) * out.width + x] =
          static_cast<std::uint8_t>((top * (factor - fy) + bottom * fy) / (factor * factor));
    }
  return out;
}

} // namespace edges
#endif
