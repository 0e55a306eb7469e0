// Writes grey pictures as PNG files without a library: the data are stored, not compressed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_COMMON_PNG_H
#define HSCHED_SAMPLES_COMMON_PNG_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace samples {

class Png {
public:
  // False where the file cannot be written. Pixels are row-major, one byte each.
  static bool write(const std::string &path, int width, int height, const std::vector<std::uint8_t> &pixels) {
    Png png;
    png.bytes_ = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    png.begin("IHDR", 13);
    png.number(static_cast<std::uint32_t>(width));
    png.number(static_cast<std::uint32_t>(height));
    for (std::uint8_t b : {8, 0, 0, 0, 0}) // Bits a channel, grey, and the only methods there are.
      png.byte(b);
    png.end();
    png.data(width, height, pixels);
    png.begin("IEND", 0);
    png.end();
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file)
      return false;
    bool good = std::fwrite(png.bytes_.data(), 1, png.bytes_.size(), file) == png.bytes_.size();
    return std::fclose(file) == 0 && good;
  }

private:
  void byte(std::uint8_t b) { bytes_.push_back(b); }
  void number(std::uint32_t n) {
    for (int shift = 24; shift >= 0; shift -= 8)
      byte(static_cast<std::uint8_t>(n >> shift));
  }
  void begin(const char *type, std::uint32_t length) {
    number(length);
    chunk_ = bytes_.size();
    for (int i = 0; i < 4; ++i)
      byte(static_cast<std::uint8_t>(type[i]));
  }
  // The chunk's check sum: CRC-32 of type and data.
  void end() {
    static const std::array<std::uint32_t, 256> table = [] {
      std::array<std::uint32_t, 256> t{};
      for (std::uint32_t n = 0; n < 256; ++n) {
        std::uint32_t c = n;
        for (int k = 0; k < 8; ++k)
          c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        t[n] = c;
      }
      return t;
    }();
    std::uint32_t crc = 0xffffffffu;
    for (std::size_t i = chunk_; i < bytes_.size(); ++i)
      crc = table[(crc ^ bytes_[i]) & 0xff] ^ (crc >> 8);
    number(~crc);
  }
  // A zlib stream of stored blocks, each row behind a byte that says that it is not filtered.
  void data(int width, int height, const std::vector<std::uint8_t> &pixels) {
    std::vector<std::uint8_t> raw;
    raw.reserve(static_cast<std::size_t>(height) * (width + 1));
    for (int y = 0; y < height; ++y) {
      raw.push_back(0);
      const auto row = pixels.begin() + static_cast<std::ptrdiff_t>(y) * width;
      raw.insert(raw.end(), row, row + width);
    }
    constexpr std::size_t Most = 65535;
    const std::size_t blocks = (raw.size() + Most - 1) / Most;
    begin("IDAT", static_cast<std::uint32_t>(2 + raw.size() + 5 * blocks + 4));
    byte(0x78);
    byte(0x01);
    std::uint32_t a = 1, b = 0; // Adler-32
    for (std::size_t at = 0; at < raw.size(); at += Most) {
      const std::size_t length = std::min(Most, raw.size() - at);
      byte(at + length == raw.size());
      for (std::size_t n : {length, ~length}) {
        byte(static_cast<std::uint8_t>(n));
        byte(static_cast<std::uint8_t>(n >> 8));
      }
      for (std::size_t i = at; i < at + length; ++i) {
        byte(raw[i]);
        a = (a + raw[i]) % 65521;
        b = (b + a) % 65521;
      }
    }
    number(b << 16 | a);
    end();
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t chunk_ = 0; // Where the current chunk's type is.
};

} // namespace samples
#endif
