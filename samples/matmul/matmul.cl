// C += A * B for square row-major tiles of n * n floats.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A work-group computes TM * TN elements of C from slices of A and B in local memory, TK deep. Each of its
// (TN / 8) * (TM / 8) work-items holds 8 * 8 elements in registers, as four blocks of 4 * 4. So neighbouring work-items
// read neighbouring float4s. While one slice is used, the next one is loaded into registers.
#define WORK_ITEMS ((TM / 8) * (TN / 8))
#define LOADS_A (TM * TK / 4 / WORK_ITEMS)
#define LOADS_B (TK * TN / 4 / WORK_ITEMS)

// Four floats of row `row` from column `column` on; what lies outside the tile is 0.
static float4 fetch(global const float *m, int n, bool whole, int row, int column) {
  if (whole)
    return vload4(0, m + (size_t)row * n + column);
  float4 v = (float4)(0.0f);
  if (row < n) {
    global const float *r = m + (size_t)row * n;
    v.x = column < n ? r[column] : 0.0f;
    v.y = column + 1 < n ? r[column + 1] : 0.0f;
    v.z = column + 2 < n ? r[column + 2] : 0.0f;
    v.w = column + 3 < n ? r[column + 3] : 0.0f;
  }
  return v;
}

static void add(global float *c, int n, bool whole, int row, int column, float4 v) {
  global float *to = c + (size_t)row * n + column;
  if (whole) {
    vstore4(vload4(0, to) + v, 0, to);
  } else if (row < n) {
    if (column < n)
      to[0] += v.x;
    if (column + 1 < n)
      to[1] += v.y;
    if (column + 2 < n)
      to[2] += v.z;
    if (column + 3 < n)
      to[3] += v.w;
  }
}

kernel __attribute__((reqd_work_group_size(TN / 8, TM / 8, 1))) void gemm(int n, global const float *a,
                                                                          global const float *b, global float *c) {
  local float4 sliceA[TK][TM / 4]; // Transposed: four rows of A side by side.
  local float4 sliceB[TK][TN / 4];

  const int tx = get_local_id(0), ty = get_local_id(1);
  const int item = ty * (TN / 8) + tx;
  const int row0 = get_group_id(1) * TM, column0 = get_group_id(0) * TN;
  const bool whole = n % TM == 0 && n % TN == 0 && n % TK == 0;

  float4 sum[8][2];
  for (int i = 0; i < 8; ++i)
    sum[i][0] = sum[i][1] = (float4)(0.0f);

  // Work-item `item` brings the float4s item, item + WORK_ITEMS, ... of each slice.
  float4 nextA[LOADS_A], nextB[LOADS_B];
#pragma unroll
  for (int l = 0; l < LOADS_A; ++l) {
    const int i = item + l * WORK_ITEMS;
    nextA[l] = fetch(a, n, whole, row0 + i / (TK / 4), i % (TK / 4) * 4);
  }
#pragma unroll
  for (int l = 0; l < LOADS_B; ++l) {
    const int i = item + l * WORK_ITEMS;
    nextB[l] = fetch(b, n, whole, i / (TN / 4), column0 + i % (TN / 4) * 4);
  }

  for (int k0 = 0; k0 < n; k0 += TK) {
#pragma unroll
    for (int l = 0; l < LOADS_A; ++l) {
      const int i = item + l * WORK_ITEMS, row = i / (TK / 4), k = i % (TK / 4) * 4;
      local float *column = (local float *)&sliceA[k][0] + row;
      column[0 * TM] = nextA[l].x;
      column[1 * TM] = nextA[l].y;
      column[2 * TM] = nextA[l].z;
      column[3 * TM] = nextA[l].w;
    }
#pragma unroll
    for (int l = 0; l < LOADS_B; ++l) {
      const int i = item + l * WORK_ITEMS;
      sliceB[i / (TN / 4)][i % (TN / 4)] = nextB[l];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (k0 + TK < n) {
#pragma unroll
      for (int l = 0; l < LOADS_A; ++l) {
        const int i = item + l * WORK_ITEMS;
        nextA[l] = fetch(a, n, whole, row0 + i / (TK / 4), k0 + TK + i % (TK / 4) * 4);
      }
#pragma unroll
      for (int l = 0; l < LOADS_B; ++l) {
        const int i = item + l * WORK_ITEMS;
        nextB[l] = fetch(b, n, whole, k0 + TK + i / (TN / 4), column0 + i % (TN / 4) * 4);
      }
    }

#pragma unroll
    for (int k = 0; k < TK; ++k) {
      const float4 a0 = sliceA[k][ty], a1 = sliceA[k][TM / 8 + ty];
      const float4 b0 = sliceB[k][tx], b1 = sliceB[k][TN / 8 + tx];
#define ROW(i, x)                                                                                                      \
  sum[i][0] = fma((float4)(x), b0, sum[i][0]);                                                                         \
  sum[i][1] = fma((float4)(x), b1, sum[i][1]);
      ROW(0, a0.x)
      ROW(1, a0.y)
      ROW(2, a0.z)
      ROW(3, a0.w)
      ROW(4, a1.x)
      ROW(5, a1.y)
      ROW(6, a1.z)
      ROW(7, a1.w)
#undef ROW
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = row0 + i / 4 * (TM / 2) + ty * 4 + i % 4;
    add(c, n, whole, row, column0 + tx * 4, sum[i][0]);
    add(c, n, whole, row, column0 + TN / 2 + tx * 4, sum[i][1]);
  }
}
