// Pictures: point operations, filters, scaling, colours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>

struct Pixel {
  unsigned char r, g, b, a;
};

// expect: inout([w*h]p)
void invert(int w, int h, std::uint8_t *p) {
  for (int i = 0; i < w * h; ++i)
    p[i] = 255 - p[i];
}

// expect: in([w*h]rgb) out([w*h]grey)
void toGrey(int w, int h, const Pixel *rgb, float *grey) {
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const Pixel &p = rgb[y * w + x];
      grey[y * w + x] = 0.3f * p.r + 0.59f * p.g + 0.11f * p.b;
    }
}

// Three of four bytes are written.
// expect: in([n]grey) inout([n]rgb)
void fromGrey(int n, const float *grey, Pixel *rgb) {
  for (int i = 0; i < n; ++i)
    rgb[i].r = rgb[i].g = rgb[i].b = (unsigned char)grey[i];
}

// expect: in([n]grey) out([n]rgb)
void fromGreyWhole(int n, const float *grey, Pixel *rgb) {
  for (int i = 0; i < n; ++i) {
    const unsigned char v = (unsigned char)grey[i];
    rgb[i] = Pixel{v, v, v, 255};
  }
}

// expect: in([3*n]rgb) out([n]grey)
void packedToGrey(int n, const std::uint8_t *rgb, std::uint8_t *grey) {
  for (int i = 0; i < n; ++i)
    grey[i] = (rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2]) / 3;
}

// expect: in([w*h]src) inout([w*h]dst)
void threshold(int w, int h, const float *src, float limit, float *dst) {
  for (int i = 0; i < w * h; ++i)
    if (src[i] > limit)
      dst[i] = src[i];
}

// expect: in([w*h]src) out([w*h]dst)
void thresholdElse(int w, int h, const float *src, float limit, float *dst) {
  for (int i = 0; i < w * h; ++i) {
    if (src[i] > limit)
      dst[i] = 1;
    else
      dst[i] = 0;
  }
}

// expect: in([h][w]src) out(dst<w+1; h-2 x w, w-2>)
void sobel(int w, int h, const float *src, float *dst) {
  for (int y = 1; y < h - 1; ++y)
    for (int x = 1; x < w - 1; ++x) {
      const float *p = &src[y * w + x];
      const float gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
      const float gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
      dst[y * w + x] = gx * gx + gy * gy;
    }
}

// expect: in([h][w]src) in([9]kernel) out(dst<w+1; h-2 x w, w-2>)
void convolve3x3(int w, int h, const float *src, const float *kernel, float *dst) {
  for (int y = 1; y < h - 1; ++y)
    for (int x = 1; x < w - 1; ++x) {
      float s = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          s += src[(y + dy) * w + x + dx] * kernel[(dy + 1) * 3 + dx + 1];
      dst[y * w + x] = s;
    }
}

// expect: in([h][w]src) out([h][w]dst)
void flipRows(int w, int h, const float *src, float *dst) {
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      dst[(h - 1 - y) * w + x] = src[y * w + x];
}

// expect: inout([h][w]p)
void mirror(int w, int h, float *p) {
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w / 2; ++x)
      std::swap(p[y * w + x], p[y * w + w - 1 - x]);
}

// expect: in([2*h][2*w]src) out([h][w]dst)
void halve(int w, int h, const float *src, float *dst) {
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const float *p = src + 2 * y * (2 * w) + 2 * x;
      dst[y * w + x] = (p[0] + p[1] + p[2 * w] + p[2 * w + 1]) / 4;
    }
}

// expect: in([w*h]src) out([w*h]dst)
void clampAll(int w, int h, const float *src, float lo, float hi, float *dst) {
  for (int i = 0; i < w * h; i++)
    dst[i] = std::min(std::max(src[i], lo), hi);
}

// expect: in([w*h]src) in(table[?]) out([w*h]dst)
void lookUp(int w, int h, const std::uint8_t *src, const std::uint8_t *table, std::uint8_t *dst) {
  for (int i = 0; i < w * h; ++i)
    dst[i] = table[src[i]];
}

// A rectangle of a picture.
// expect: inout(p<y0*pitch+x0; rh x pitch, rw>)
void brighten(float *p, int pitch, int x0, int y0, int rw, int rh, float by) {
  for (int y = y0; y < y0 + rh; ++y)
    for (int x = x0; x < x0 + rw; ++x)
      p[y * pitch + x] += by;
}

// expect: out(p<y0*pitch+x0; rh x pitch, rw>)
void fillRectangle(float *p, int pitch, int x0, int y0, int rw, int rh, float v) {
  p += y0 * pitch + x0;
  for (int y = 0; y < rh; ++y, p += pitch)
    for (int x = 0; x < rw; ++x)
      p[x] = v;
}

// expect: in([h][w]src) out([h]sums)
void rowSums(int w, int h, const float *src, float *sums) {
  for (int y = 0; y < h; ++y) {
    float s = 0;
    for (const float *p = src + y * w, *end = p + w; p != end; ++p)
      s += *p;
    sums[y] = s;
  }
}

// expect: in([n]over) inout([n]under)
void blend(int n, const Pixel *over, Pixel *under) {
  for (int i = 0; i < n; ++i) {
    const int a = over[i].a;
    under[i].r = (under[i].r * (255 - a) + over[i].r * a) / 255;
    under[i].g = (under[i].g * (255 - a) + over[i].g * a) / 255;
    under[i].b = (under[i].b * (255 - a) + over[i].b * a) / 255;
  }
}

// expect: in([w*h]src) out([1]lo) out([1]hi)
void range(int w, int h, const float *src, float *lo, float *hi) {
  float a = src[0], b = src[0];
  for (int i = 1; i < w * h; ++i) {
    a = src[i] < a ? src[i] : a;
    b = src[i] > b ? src[i] : b;
  }
  *lo = a;
  *hi = b;
}
