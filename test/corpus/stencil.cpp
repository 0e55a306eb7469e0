// Stencils on grids, with and without halos.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

// expect: in(x[0:n]) out(y[1:n-2])
void smooth(int n, const float *x, float *y) {
  for (int i = 1; i < n - 1; ++i)
    y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

// expect: in(x[lo-1:len+2]) out(y[lo:len])
void smoothPart(const double *x, double *y, int lo, int len) {
  for (int i = lo; i < lo + len; ++i)
    y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

// expect: in(x[-2:n+4]) out([n]y)
void fivePoints(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = -x[i - 2] + 16 * x[i - 1] - 30 * x[i] + 16 * x[i + 1] - x[i + 2];
}

// The corners of the grid are not touched, which a section of rows and columns cannot say.
// expect: in([h][w]in) out(out<w+1; h-2 x w, w-2>)
void jacobi(int h, int w, const double *in, double *out) {
  for (int i = 1; i < h - 1; ++i)
    for (int j = 1; j < w - 1; ++j)
      out[i * w + j] = 0.25 * (in[(i - 1) * w + j] + in[(i + 1) * w + j] + in[i * w + j - 1] + in[i * w + j + 1]);
}

// expect: inout([h][w]u)
void gaussSeidel(int h, int w, double *u) {
  for (int i = 1; i < h - 1; ++i)
    for (int j = 1; j < w - 1; ++j) {
      const double old = u[i * w + j];
      const double now = 0.25 * (u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1]);
      u[i * w + j] = old + 1.5 * (now - old);
    }
}

// Rows [first, last) of a band with a halo row on either side.
// expect: in(src[(first-1)*w : (last-first+2)*w]) out(dst<first*w+1; last-first x w, w-2>)
void band(const float *src, float *dst, int w, int first, int last) {
  for (int i = first; i < last; ++i) {
    const float *up = src + (i - 1) * w, *here = src + i * w, *down = src + (i + 1) * w;
    float *to = dst + i * w;
    for (int j = 1; j < w - 1; ++j)
      to[j] = here[j] + 0.1f * (up[j] + down[j] + here[j - 1] + here[j + 1] - 4 * here[j]);
  }
}

// expect: in([n]u) out([n]v)
void periodic(int n, const double *u, double *v) {
  for (int i = 0; i < n; ++i) {
    const double left = i == 0 ? u[n - 1] : u[i - 1];
    const double right = i == n - 1 ? u[0] : u[i + 1];
    v[i] = u[i] + 0.5 * (left - 2 * u[i] + right);
  }
}

// expect: in([n]x) out([n]y)
void clampedEnds(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    const int l = i > 0 ? i - 1 : 0;
    const int r = i < n - 1 ? i + 1 : n - 1;
    y[i] = (x[l] + x[i] + x[r]) / 3;
  }
}

// expect: in([n]x) out([n]y)
void clampedByMinMax(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[std::max(i - 1, 0)] + x[i] + x[std::min(i + 1, n - 1)];
}

// Ends apart from the middle, together the whole.
// expect: in([n]x) out([n]y)
void derivative(int n, const double *x, double *y) {
  y[0] = x[1] - x[0];
  for (int i = 1; i < n - 1; ++i)
    y[i] = 0.5 * (x[i + 1] - x[i - 1]);
  y[n - 1] = x[n - 1] - x[n - 2];
}

// expect: in([nz*ny*nx]a) out(b<(ny+1)*nx+1; nz-2 x ny*nx, ny-2 x nx, nx-2>)
void sevenPoints(int nx, int ny, int nz, const float *a, float *b) {
  for (int k = 1; k < nz - 1; k++)
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
        const int at = (k * ny + j) * nx + i;
        b[at] = a[at - 1] + a[at + 1] + a[at - nx] + a[at + nx] + a[at - nx * ny] + a[at + nx * ny] - 6 * a[at];
      }
}

// expect: in([64*64]in) out(out<65; 62 x 64, 62>)
void fixedSize(const float (&in)[64][64], float (&out)[64][64]) {
  for (int i = 1; i < 63; ++i)
    for (int j = 1; j < 63; ++j)
      out[i][j] = in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1];
}

// One step of a wave: three fields.
// expect: in(u[0:n]) in(prev[1:n-2]) out(next[1:n-2])
void wave(int n, const double *u, const double *prev, double *next, double c) {
  for (int i = 1; i < n - 1; ++i)
    next[i] = 2 * u[i] - prev[i] + c * (u[i - 1] - 2 * u[i] + u[i + 1]);
}

// expect: inout([n]u)
void redPoints(int n, double *u) {
  for (int i = 0; i < n; i += 2)
    u[i] = std::sqrt(u[i]);
}

// Only the border: four loops.
// expect: inout([h][w]u)
void border(int h, int w, float *u, float value) {
  for (int j = 0; j < w; ++j) {
    u[j] = value;
    u[(h - 1) * w + j] = value;
  }
  for (int i = 0; i < h; ++i) {
    u[i * w] = value;
    u[i * w + w - 1] = value;
  }
}

// expect: in([h][w]a) in([h][w]b) out([1]largest)
void residual(int h, int w, const double *a, const double *b, double *largest) {
  double m = 0;
  for (int i = 0; i < h * w; ++i)
    m = std::max(m, std::fabs(a[i] - b[i]));
  *largest = m;
}

// expect: in(x[0:n+k-1]) in([k]w) out([n]y)
void convolve(int n, int k, const float *x, const float *w, float *y) {
  for (int i = 0; i < n; ++i) {
    y[i] = 0;
    for (int j = 0; j < k; ++j)
      y[i] += x[i + j] * w[j];
  }
}

// expect: in(x[-r:n+2*r]) out([n]y)
void boxFilter(int n, int r, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = -r; j <= r; ++j)
      s += x[i + j];
    y[i] = s / (2 * r + 1);
  }
}
