// Exchanges rows of a tile that lies column by column: see lu.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A work-group moves one column: it reads all elements that move, then writes them. moves[0] is the number of rows that
// move. Their targets begin at element 1, their sources at element 1 + 2 * width.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void permute(int columns, int width, int ld,
                                                                    global const int *moves, global float *a,
                                                                    local float *taken) {
  const int item = get_local_id(0), count = moves[0];
  global const int *to = moves + 1, *from = moves + 1 + 2 * width;
  global float *column = a + (size_t)get_group_id(0) * ld;
  for (int i = item; i < count; i += 64)
    taken[i] = column[from[i]];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < count; i += 64)
    column[to[i]] = taken[i];
}
