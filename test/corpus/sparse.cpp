// Sparse matrices, transforms, histograms, prefix sums, sorting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

// How far values and columns are used depends on the rows.
// expect: in(rowStart[0:m+1]) in(column[?]) in(value[?]) in(x[?]) out([m]y)
void spmvCsr(int m, const int *rowStart, const int *column, const double *value, const double *x, double *y) {
  for (int i = 0; i < m; ++i) {
    double s = 0;
    for (int k = rowStart[i]; k < rowStart[i + 1]; ++k)
      s += value[k] * x[column[k]];
    y[i] = s;
  }
}

// expect: in([k][m]column) in([k][m]value) in(x[?]) out([m]y)
void spmvEll(int m, int k, const int *column, const float *value, const float *x, float *y) {
  for (int i = 0; i < m; ++i) {
    float s = 0;
    for (int j = 0; j < k; ++j)
      s += value[j * m + i] * x[column[j * m + i]];
    y[i] = s;
  }
}

// expect: in([nnz]row) in([nnz]column) in([nnz]value) in(x[?]) inout(y[?])
void spmvCoo(int nnz, const int *row, const int *column, const double *value, const double *x, double *y) {
  for (int k = 0; k < nnz; ++k)
    y[row[k]] += value[k] * x[column[k]];
}

// expect: in([m]diagonal) in([m]r) out([m]z)
void jacobiPrecondition(int m, const double *diagonal, const double *r, double *z) {
  for (int i = 0; i < m; ++i)
    z[i] = r[i] / diagonal[i];
}

// expect: in([n]index) in(x[?]) out([n]y)
void gather(int n, const int *index, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[index[i]];
}

// expect: in([n]index) in([n]x) inout(y[?])
void scatter(int n, const int *index, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[index[i]] = x[i];
}

// expect: in([n]data) inout(bins[?])
void histogram(int n, const unsigned char *data, int *bins) {
  for (int i = 0; i < n; ++i)
    ++bins[data[i]];
}

// All bins are cleared first, so nothing of before is left; that the subscript stays below 256 follows from the type,
// which is more than is asked for.
// expect: in([n]data) inout(bins[?])
void histogramFresh(int n, const unsigned char *data, int *bins) {
  for (int b = 0; b < 256; ++b)
    bins[b] = 0;
  for (int i = 0; i < n; ++i)
    bins[data[i]]++;
}

// expect: in([n]x) out([n]sum)
void prefixSum(int n, const float *x, float *sum) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    sum[i] = s;
  }
}

// expect: inout([n]x)
void prefixSumInPlace(int n, long *x) {
  for (int i = 1; i < n; ++i)
    x[i] += x[i - 1];
}

// expect: in([n]x) out([n+1]start)
void exclusiveScan(int n, const int *x, int *start) {
  start[0] = 0;
  for (int i = 0; i < n; ++i)
    start[i + 1] = start[i] + x[i];
}

// How many are kept depends on the values.
// expect: in([n]x) inout(kept[?]) out([1]count)
void compact(int n, const float *x, float *kept, int *count) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0)
      kept[k++] = x[i];
  *count = k;
}

// expect: inout([n]x)
void insertionSort(int n, int *x) {
  for (int i = 1; i < n; ++i) {
    const int v = x[i];
    int j = i - 1;
    while (j >= 0 && x[j] > v) {
      x[j + 1] = x[j];
      --j;
    }
    x[j + 1] = v;
  }
}

// expect: in([na]a) in([nb]b) inout!(out[?])
void mergeSorted(int na, const int *a, int nb, const int *b, int *out) {
  int i = 0, j = 0, k = 0;
  while (i < na && j < nb)
    out[k++] = a[i] <= b[j] ? a[i++] : b[j++];
  while (i < na)
    out[k++] = a[i++];
  while (j < nb)
    out[k++] = b[j++];
}

// expect: in(x[?]) out([1]at)
void lowerBound(int n, const double *x, double v, int *at) {
  int lo = 0, hi = n;
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (x[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  *at = lo;
}

// One butterfly: two halves.
// expect: inout([2*half]re) inout([2*half]im) in([half]wr) in([half]wi)
void butterfly(int half, float *re, float *im, const float *wr, const float *wi) {
  for (int k = 0; k < half; ++k) {
    const float tr = re[k + half] * wr[k] - im[k + half] * wi[k];
    const float ti = re[k + half] * wi[k] + im[k + half] * wr[k];
    re[k + half] = re[k] - tr;
    im[k + half] = im[k] - ti;
    re[k] += tr;
    im[k] += ti;
  }
}

// The strides are powers of two: no polynomial says where the last access is.
// expect: inout(re[?]) inout(im[?])
void fftInPlace(int n, double *re, double *im) {
  for (int len = 2; len <= n; len <<= 1) {
    const double angle = -2 * 3.14159265358979 / len;
    for (int i = 0; i < n; i += len)
      for (int k = 0; k < len / 2; ++k) {
        const double c = std::cos(angle * k), s = std::sin(angle * k);
        const int a = i + k, b = i + k + len / 2;
        const double tr = re[b] * c - im[b] * s, ti = re[b] * s + im[b] * c;
        re[b] = re[a] - tr;
        im[b] = im[a] - ti;
        re[a] += tr;
        im[a] += ti;
      }
  }
}

// expect: in([n]re) in([n]im) out([n]outRe) out([n]outIm)
void dft(int n, const double *re, const double *im, double *outRe, double *outIm) {
  for (int k = 0; k < n; ++k) {
    outRe[k] = outIm[k] = 0;
    for (int j = 0; j < n; ++j) {
      const double a = -6.283185307179586 * k * j / n;
      outRe[k] += re[j] * std::cos(a) - im[j] * std::sin(a);
      outIm[k] += re[j] * std::sin(a) + im[j] * std::cos(a);
    }
  }
}

// expect: in([n]x) out([2*n]spectrum)
void interleave(int n, const float *x, float *spectrum) {
  for (int i = 0; i < n; ++i) {
    spectrum[2 * i] = x[i];
    spectrum[2 * i + 1] = 0;
  }
}

// expect: in(src<0; n x 2>) out([n]dst)
void evenElements(int n, const float *src, float *dst) {
  for (int i = 0; i < n; ++i)
    dst[i] = src[i << 1];
}
