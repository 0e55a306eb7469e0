// Pictures, image objects, atomics, particles, and what kernels do that is hard to tell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// ndrange: w, h
// expect: in(src) inout!(dst)
kernel void blurImage(int w, int h, read_only image2d_t src, write_only image2d_t dst) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 s = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      s += read_imagef(src, nearest, at + (int2)(dx, dy));
  write_imagef(dst, at, s / 9);
}

// ndrange: w, h
// expect: in(src) out([h][w]dst)
kernel void imageToBuffer(int w, int h, read_only image2d_t src, global float4 *dst) {
  int x = get_global_id(0), y = get_global_id(1);
  dst[y * w + x] = read_imagef(src, nearest, (int2)(x, y));
}

// ndrange: w, h
// expect: in([h][w]src) inout!(dst)
kernel void bufferToImage(int w, int h, global const uint4 *src, write_only image2d_t dst) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imageui(dst, (int2)(x, y), src[y * w + x]);
}

// ndrange: n
// expect: in([n]data) inout(bins[?])
kernel void histogram(int n, global const uchar *data, global uint *bins) { atomic_inc(&bins[data[get_global_id(0)]]); }

// ndrange: n; 256
// expect: in([n]data) inout([256]bins)
kernel void histogramLocal(int n, global const uchar *data, global uint *bins) {
  local uint mine[256];
  int l = get_local_id(0), i = get_global_id(0);
  mine[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n)
    atomic_inc(&mine[data[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], mine[l]);
}

// ndrange: n
// expect: in([n]p) out([n]f)
kernel void nbody(int n, global const float4 *p, global float4 *f) {
  int i = get_global_id(0);
  float4 me = p[i], sum = 0;
  for (int j = 0; j < n; ++j) {
    float4 d = p[j] - me;
    d.w = 0;
    float r2 = dot(d, d) + 1e-6f;
    sum += d * (p[j].w * rsqrt(r2 * r2 * r2));
  }
  f[i] = sum;
}

// ndrange: n
// expect: in([n]f) inout([n]p) inout([n]v)
kernel void integrate(int n, float dt, global const float4 *f, global float4 *p, global float4 *v) {
  int i = get_global_id(0);
  v[i] += dt * f[i];
  p[i] += dt * v[i];
}

// ndrange: w, h
// expect: out([h][w]picture)
kernel void mandelbrot(int w, int h, float x0, float y0, float step, int most, global int *picture) {
  int px = get_global_id(0), py = get_global_id(1);
  float cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;
  int k = 0;
  while (k < most && x * x + y * y < 4) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++k;
  }
  picture[py * w + px] = k;
}

// ndrange: w, h
// expect: in([h][w]src) in([9]k) out([h][w]dst)
kernel void convolveClamped(int w, int h, global const float *src, constant float *k, global float *dst) {
  int x = get_global_id(0), y = get_global_id(1);
  float s = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int sx = clamp(x + dx, 0, w - 1), sy = clamp(y + dy, 0, h - 1);
      s += src[sy * w + sx] * k[(dy + 1) * 3 + dx + 1];
    }
  dst[y * w + x] = s;
}

// ndrange: w, h, d
// expect: in([d][h][w]src) out([d][h][w]dst)
kernel void scaleVolume(int w, int h, int d, float a, global const float *src, global float *dst) {
  int at = (get_global_id(2) * h + get_global_id(1)) * w + get_global_id(0);
  dst[at] = a * src[at];
}

// ndrange: w, h
// expect: in([3*w*h]rgb) out([w*h]yuv)
kernel void toYuv(int w, int h, global const uchar *rgb, global uchar4 *yuv) {
  int at = get_global_id(1) * w + get_global_id(0);
  int r = rgb[3 * at], g = rgb[3 * at + 1], b = rgb[3 * at + 2];
  yuv[at] = (uchar4)((66 * r + 129 * g + 25 * b) >> 8, (112 * b - 38 * r - 74 * g) >> 8, (112 * r - 94 * g) >> 8, 0);
}

// ndrange: n
// expect: in([n]key) inout(slots[?]) inout([1]used)
kernel void append(int n, global const int *key, global int *slots, global int *used) {
  int i = get_global_id(0);
  if (key[i] >= 0)
    slots[atomic_inc(used)] = key[i];
}

// ndrange: n
// expect: inout(table[?]) in([n]key)
kernel void insertKeys(int n, int size, global const int *key, volatile global int *table) {
  int i = get_global_id(0), k = key[i], at = k % size;
  while (atomic_cmpxchg(&table[at], -1, k) != -1)
    at = (at + 1) % size;
}

// ndrange: n
// expect: inout([n]seed) out([n]x)
kernel void uniform(int n, global uint *seed, global float *x) {
  int i = get_global_id(0);
  uint s = seed[i];
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  seed[i] = s;
  x[i] = s * 2.3283064365386963e-10f;
}

// Work-items write what they all share: the same value.
// ndrange: n
// expect: in([n]x) inout([1]any_)
kernel void anyNegative(int n, global const float *x, global int *any_) {
  if (x[get_global_id(0)] < 0)
    *any_ = 1;
}

// One work-item alone.
// ndrange: n
// expect: inout([1]counter) out([n]y)
kernel void firstCounts(int n, global int *counter, global float *y) {
  int i = get_global_id(0);
  if (i == 0)
    ++*counter;
  y[i] = 0;
}

// ndrange: 1
// expect: in([n]x) out([1]sum)
kernel void serialSum(int n, global const float *x, global float *sum) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  *sum = s;
}

// ndrange: n
// expect: in(x[offset:n]) out(y[offset:n])
kernel void withOffset(int n, int offset, global const float *x, global float *y) {
  int i = get_global_id(0) + offset;
  y[i] = x[i];
}

// ndrange: n
// expect: in(x<0; n x stride>) out(y<0; n x stride>)
kernel void strided(int n, int stride, global const float *x, global float *y) {
  int i = get_global_id(0) * stride;
  y[i] = -x[i];
}

// ndrange: n
// expect: none(unused) out([n]y)
kernel void ignores(int n, global const float *unused, global int *y) { y[get_global_id(0)] = get_local_id(0); }

// ndrange: n
// expect: in([n]x) inout([n]y)
kernel void until(int n, global const int *x, global int *y) {
  int i = get_global_id(0);
  switch (x[i]) {
  case 0:
    y[i] = 1;
    break;
  case 1:
    y[i] = 2;
    break;
  }
}

// ndrange: n; 64
// expect: in([n]x) out([n]y)
kernel void throughLocal(int n, global const float *x, global float *y) {
  local float t[64];
  int i = get_global_id(0), l = get_local_id(0);
  if (i < n)
    t[l] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n)
    y[i] = t[l] + (l > 0 ? t[l - 1] : 0);
}
