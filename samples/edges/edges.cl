// The stages of Stages.h, one pixel a work-item, for a band of `rows` rows from row y0 on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planes are addressed as on the host, from the whole picture's first pixel.
static int clampTo(int v, int end) { return clamp(v, 0, end - 1); }

kernel void blur(int w, int h, int y0, int rows, global const uchar *src, global uchar *dst) {
  const int weight[5] = {1, 4, 6, 4, 1};
  int x = get_global_id(0), y = y0 + get_global_id(1);
  if (x >= w || y >= y0 + rows)
    return;
  int sum = 128;
  for (int dy = -2; dy <= 2; ++dy) {
    global const uchar *row = src + (size_t)clampTo(y + dy, h) * w;
    int across = 0;
    for (int dx = -2; dx <= 2; ++dx)
      across += weight[dx + 2] * row[clampTo(x + dx, w)];
    sum += weight[dy + 2] * across;
  }
  dst[(size_t)y * w + x] = sum >> 8;
}

static uchar sector(int gx, int gy) {
  int ax = abs(gx), ay = abs(gy);
  if (ay * 32768 < ax * 13573)
    return 0;
  if (ax * 32768 < ay * 13573)
    return 2;
  return (gx < 0) == (gy < 0) ? 1 : 3;
}

kernel void sobel(int w, int h, int y0, int rows, global const uchar *src, global uint *strength,
                  global uchar *direction) {
  int x = get_global_id(0), y = y0 + get_global_id(1);
  if (x >= w || y >= y0 + rows)
    return;
  global const uchar *up = src + (size_t)clampTo(y - 1, h) * w;
  global const uchar *at = src + (size_t)y * w;
  global const uchar *down = src + (size_t)clampTo(y + 1, h) * w;
  int l = clampTo(x - 1, w), r = clampTo(x + 1, w);
  int gx = up[r] + 2 * at[r] + down[r] - up[l] - 2 * at[l] - down[l];
  int gy = down[l] + 2 * down[x] + down[r] - up[l] - 2 * up[x] - up[r];
  strength[(size_t)y * w + x] = gx * gx + gy * gy;
  direction[(size_t)y * w + x] = sector(gx, gy);
}

kernel void thin(int w, int h, int y0, int rows, global const uint *strength, global const uchar *direction,
                 global uint *kept) {
  const int dxs[4] = {1, 1, 0, -1}, dys[4] = {0, 1, 1, 1};
  int x = get_global_id(0), y = y0 + get_global_id(1);
  if (x >= w || y >= y0 + rows)
    return;
  size_t i = (size_t)y * w + x;
  int dx = dxs[direction[i]], dy = dys[direction[i]];
  uint s = strength[i];
  uint p = strength[(size_t)clampTo(y + dy, h) * w + clampTo(x + dx, w)];
  uint q = strength[(size_t)clampTo(y - dy, h) * w + clampTo(x - dx, w)];
  kept[i] = s >= p && s >= q ? s : 0;
}

kernel void threshold(int w, int y0, int rows, uint low, uint high, global const uint *kept, global uchar *result) {
  int x = get_global_id(0), y = y0 + get_global_id(1);
  if (x >= w || y >= y0 + rows)
    return;
  uint s = kept[(size_t)y * w + x];
  result[(size_t)y * w + x] = s >= high ? 255 : s >= low ? 128 : 0;
}
