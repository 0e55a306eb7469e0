// Kernels of one and two dimensions: guards, halos, vectors of OpenCL C, work-group arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ndrange: n
// expect: in([n]x) inout([n]y)
kernel void saxpy(int n, float a, global const float *x, global float *y) {
  int i = get_global_id(0);
  y[i] += a * x[i];
}

// ndrange: n; 64
// expect: in([n]x) inout([n]y)
kernel void saxpyGuarded(int n, float a, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] += a * x[i];
}

// ndrange: n; 64
// expect: in([n]x) out([n]y)
kernel void copyGuarded(int n, global const float *x, global float *y) {
  const size_t i = get_global_id(0);
  if (i >= n)
    return;
  y[i] = x[i];
}

// ndrange: n
// expect: out([n]x)
kernel void fill(int n, float v, global float *x) { x[get_global_id(0)] = v; }

// ndrange: w, h; 16, 16
// expect: in([h][w]a) in([h][w]b) out([h][w]c)
kernel void add2d(int w, int h, global const float *a, global const float *b, global float *c) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    c[y * w + x] = a[y * w + x] + b[y * w + x];
}

// ndrange: w, h
// expect: in([h][w]src) out([w][h]dst)
kernel void transpose(int w, int h, global const float *src, global float *dst) {
  int x = get_global_id(0), y = get_global_id(1);
  dst[x * h + y] = src[y * w + x];
}

// ndrange: n
// expect: in(x[0:n+2]) out(y[1:n])
kernel void smooth(int n, global const float *x, global float *y) {
  int i = get_global_id(0) + 1;
  y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

// ndrange: n
// expect: in([n]x) out(y[1:n-2])
kernel void smoothInside(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i > 0 && i < n - 1)
    y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

// ndrange: w, h
// expect: in([h][w]u) out(v<w+1; h-2 x w, w-2>)
kernel void heat(int w, int h, global const float *u, global float *v) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1)
    return;
  v[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);
}

// The border is copied, so all is written.
// ndrange: w, h
// expect: in([h][w]u) out([h][w]v)
kernel void heatWithBorder(int w, int h, global const float *u, global float *v) {
  int x = get_global_id(0), y = get_global_id(1);
  int at = y * w + x;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
    v[at] = u[at];
  else
    v[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - w] + u[at + w]);
}

// ndrange: n
// expect: in([n]x) inout([n]y)
kernel void keepPositive(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (x[i] > 0)
    y[i] = x[i];
}

// ndrange: n
// expect: in([n]x) out([n]y)
kernel void relu(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  y[i] = x[i] > 0 ? x[i] : 0;
}

// The length is no argument: the range tells it.
// expect: in(x[0:get_global_size(0)]) out(y[0:get_global_size(0)])
kernel void squareAll(global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] = x[i] * x[i];
}

// A stride of the whole range: all of n, whatever the range is.
// ndrange: threads
// expect: in([n]x) out([n]y)
kernel void gridStride(int n, int threads, global const float *x, global float *y) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    y[i] = 2 * x[i];
}

// ndrange: n
// expect: in([4*n]x) out([4*n]y)
kernel void fourEach(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  for (int k = 0; k < 4; ++k)
    y[4 * i + k] = x[4 * i + k] + 1;
}

// ndrange: n
// expect: in([n]x) out([n]y)
kernel void scaleVectors(int n, float a, global const float4 *x, global float4 *y) {
  int i = get_global_id(0);
  y[i] = a * x[i];
}

// Three of four components.
// ndrange: n
// expect: in([n]x) inout([n]y)
kernel void setColour(int n, global const float4 *x, global float4 *y) {
  int i = get_global_id(0);
  y[i].xyz = x[i].zyx;
}

// ndrange: n
// expect: in([4*n]x) out([4*n]y)
kernel void loadAndStore(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  float4 v = vload4(i, x);
  vstore4(v * v, i, y);
}

// ndrange: n
// expect: in([3*n]rgb) out([n]grey)
kernel void greyOfThree(int n, global const uchar *rgb, global uchar *grey) {
  int i = get_global_id(0);
  float3 v = convert_float3(vload3(i, rgb));
  grey[i] = convert_uchar_sat(dot(v, (float3)(0.3f, 0.59f, 0.11f)));
}

// ndrange: n
// expect: in([n]h) out([n]f)
kernel void fromHalf(int n, global const half *h, global float *f) {
  int i = get_global_id(0);
  f[i] = vload_half(i, h);
}

// ndrange: n
// expect: in([n]f) out([n]h)
kernel void toHalf(int n, global const float *f, global half *h) {
  int i = get_global_id(0);
  vstore_half(f[i], i, h);
}

// ndrange: n
// expect: in([n]x) out([n]s) out([n]c)
kernel void sineAndCosine(int n, global const float *x, global float *s, global float *c) {
  int i = get_global_id(0);
  s[i] = sincos(x[i], &c[i]);
}

// ndrange: n
// expect: in([n]x) out([n]whole) out([n]part)
kernel void splitNumbers(int n, global const float *x, global float *whole, global float *part) {
  int i = get_global_id(0);
  part[i] = modf(x[i], whole + i);
}

// ndrange: n
// expect: in([n]x) out([n]y)
kernel void mixAndSelect(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  float a = mix(x[i], 1.0f, 0.5f);
  y[i] = select(a, -a, (int)(a < 0));
}

// ndrange: n
// expect: inout([n]x)
kernel void inPlace(int n, global float *x) {
  global float *p = x + get_global_id(0);
  *p = native_sin(*p);
}

// ndrange: n
// expect: in([n]bits) out([n]f)
kernel void sameBits(int n, global const uint *bits, global float *f) {
  int i = get_global_id(0);
  f[i] = as_float(bits[i]);
}

// ndrange: n/2
// expect: inout([n]x)
kernel void swapNeighbours(int n, global int *x) {
  int i = 2 * get_global_id(0);
  int t = x[i];
  x[i] = x[i + 1];
  x[i + 1] = t;
}

typedef struct {
  float x, y, z;
  int kind;
} Body;

// ndrange: n
// expect: in([n]v) inout([n]b)
kernel void moveBodies(int n, float dt, global const float4 *v, global Body *b) {
  int i = get_global_id(0);
  b[i].x += dt * v[i].x;
  b[i].y += dt * v[i].y;
  b[i].z += dt * v[i].z;
}

constant float weights[3] = {0.25f, 0.5f, 0.25f};

// ndrange: n
// expect: in(x[0:n+2]) out([n]y)
kernel void weighted(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < 3; ++k)
    s += weights[k] * x[i + k];
  y[i] = s;
}

float lengthOf(float4 v) { return sqrt(dot(v, v)); }

void storeAt(global float *y, int i, float v) { y[i] = v; }

// ndrange: n
// expect: in([n]x) out([n]y)
kernel void callsFunctions(int n, global const float4 *x, global float *y) {
  int i = get_global_id(0);
  storeAt(y, i, lengthOf(x[i]));
}

// ndrange: n
// expect: in([n]x) out([n]y)
kernel void reversed(int n, global const int *x, global int *y) {
  int i = get_global_id(0);
  y[n - 1 - i] = x[i];
}

// ndrange: n
// expect: in([n]index) in(x[?]) out([n]y)
kernel void gather(int n, global const int *index, global const float *x, global float *y) {
  int i = get_global_id(0);
  y[i] = x[index[i]];
}

// ndrange: n
// expect: in([n]index) in([n]x) inout(y[?])
kernel void scatter(int n, global const int *index, global const float *x, global float *y) {
  int i = get_global_id(0);
  y[index[i]] = x[i];
}
