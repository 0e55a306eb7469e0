// Sections of a taskloop that only rise or only fall with its variable: a chunk touches all from the first to the last.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -O1 --hsched-explain -Werror %s -o %t 2>&1 | FileCheck %s
// RUN: env HSCHED_OPENCL=0 HSCHED_NCPU=3 %t
// RUN: %hsched-cc -O1 -g --hsched-check %s -o %t.checked && env HSCHED_OPENCL=0 %t.checked
// RUN: %hsched-c -x c -std=c11 -O1 -Werror %s -o %t.c && env HSCHED_OPENCL=0 HSCHED_NCPU=3 %t.c
#define CELL (i / 4)
#define ROWS 20
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
struct Pair {
  unsigned odd[2], even;
};
double a[ROWS][28];
unsigned cells[16], blocks[64], heads[12 * 8], tail[61], parts[40];
struct Pair pairs[24];

int main(void) {
  int n = ROWS, m = 28, per = 3;
  double(*rows)[28] = a;
  for (int round = 0; round < 3; ++round) {
    // CHECK: remark: task '{{.*}}': inout(rows[k / 28:n]) is inferred
#pragma hsched taskloop grainsize(5)
    for (int k = 0; k < m; ++k)
      for (int i = 0; i < n; ++i)
        rows[i][k] = rows[i][k] * 2 + i;
#pragma hsched taskloop grainsize(3) inout(cells[i / 4 : 1])
    for (int i = 0; i < 64; ++i)
      cells[i / 4] = cells[i / 4] * 3 + i;
#pragma hsched taskloop grainsize(7) inout(cells[CELL : 1])
    for (int i = 63; i >= 0; --i)
      cells[CELL] = cells[CELL] * 5 + i;
    // Empty in the first iteration and in the last.
#pragma hsched taskloop grainsize(5) inout(blocks[i / 4 * 4 : (i + 3) / 4 * 4 - i / 4 * 4])
    for (int i = 0; i < 61; ++i)
      for (int k = i / 4 * 4; k < (i + 3) / 4 * 4; ++k)
        blocks[k] = blocks[k] * 3 + i;
#pragma hsched taskloop grainsize(2) inout(([8][12] heads)[0 : 8][3 * (i / per) : 3])
    for (int i = 0; i < 12; ++i)
      for (int t = 0; t < 8; ++t)
        for (int k = 0; k < 3; ++k)
          heads[t * 12 + 3 * (i / per) + k] = heads[t * 12 + 3 * (i / per) + k] * 3 + i;
#pragma hsched taskloop grainsize(2) inout(tail[i : LESSER(8, 61 - i)])
    for (int i = 0; i < 61; i += 8)
      for (int k = i; k < LESSER(i + 8, 61); ++k)
        tail[k] = tail[k] * 3 + i;
#pragma hsched taskloop grainsize(1) inout(tail[60 - i : i + 4 < 61 ? 4 : 61 - i])
    for (int i = 0; i < 58; i += 3)
      for (int k = 60 - i; k < 60 - i + LESSER(4, 61 - i) && k < 61; ++k)
        tail[k] = tail[k] * 5 + i;
#pragma hsched taskloop grainsize(4) inout((parts + i / 2)[0 : 3])
    for (int i = 0; i < 70; ++i)
      for (int k = 0; k < 3; ++k)
        parts[i / 2 + k] = parts[i / 2 + k] * 3 + i;
#pragma hsched taskloop grainsize(3) inout(pairs[i / 2].odd[0 : 2]) in(pairs[i / 2 + 1].even)
    for (int i = 0; i < 40; ++i)
      pairs[i / 2].odd[i % 2] = pairs[i / 2].odd[1 - i % 2] * 3 + pairs[i / 2 + 1].even + i;
#pragma hsched taskloop grainsize(5) inout(pairs[i].even) in(pairs[i].odd[1])
    for (int i = 0; i < 24; ++i)
      pairs[i].even = pairs[i].even * 3 + pairs[i].odd[1];
  }
#pragma hsched taskwait
  struct Pair pair[24] = {{{0}, 0}};
  unsigned last[61] = {0}, part[40] = {0};
  unsigned wrong = 0, cell[16] = {0}, block[64] = {0}, head[96] = {0};
  double b[ROWS][28] = {{0}};
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < m; ++k)
      for (int i = 0; i < n; ++i)
        b[i][k] = b[i][k] * 2 + i;
    for (int i = 0; i < 64; ++i)
      cell[i / 4] = cell[i / 4] * 3 + i;
    for (int i = 63; i >= 0; --i)
      cell[CELL] = cell[CELL] * 5 + i;
    for (int i = 0; i < 61; ++i)
      for (int k = i / 4 * 4; k < (i + 3) / 4 * 4; ++k)
        block[k] = block[k] * 3 + i;
    for (int i = 0; i < 12; ++i)
      for (int t = 0; t < 8; ++t)
        for (int k = 0; k < 3; ++k)
          head[t * 12 + 3 * (i / per) + k] = head[t * 12 + 3 * (i / per) + k] * 3 + i;
    for (int i = 0; i < 61; i += 8)
      for (int k = i; k < LESSER(i + 8, 61); ++k)
        last[k] = last[k] * 3 + i;
    for (int i = 0; i < 58; i += 3)
      for (int k = 60 - i; k < 60 - i + LESSER(4, 61 - i) && k < 61; ++k)
        last[k] = last[k] * 5 + i;
    for (int i = 0; i < 70; ++i)
      for (int k = 0; k < 3; ++k)
        part[i / 2 + k] = part[i / 2 + k] * 3 + i;
    for (int i = 0; i < 40; ++i)
      pair[i / 2].odd[i % 2] = pair[i / 2].odd[1 - i % 2] * 3 + pair[i / 2 + 1].even + i;
    for (int i = 0; i < 24; ++i)
      pair[i].even = pair[i].even * 3 + pair[i].odd[1];
  }
  for (int i = 0; i < 16; ++i)
    wrong += cells[i] != cell[i];
  for (int i = 0; i < 64; ++i)
    wrong += blocks[i] != block[i];
  for (int i = 0; i < 61; ++i)
    wrong += tail[i] != last[i];
  for (int i = 0; i < 40; ++i)
    wrong += parts[i] != part[i];
  for (int i = 0; i < 24; ++i)
    wrong += pairs[i].even != pair[i].even || pairs[i].odd[0] != pair[i].odd[0] || pairs[i].odd[1] != pair[i].odd[1];
  for (int i = 0; i < 96; ++i)
    wrong += heads[i] != head[i];
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k)
      wrong += a[i][k] != b[i][k];
  return wrong != 0;
}
