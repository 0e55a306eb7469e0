/* Helpers of generated C code, over the C ABI. Not for use by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Generated code includes this before the user's first line, so it includes no header of the C library. Every name
 * begins with hsched_: no macro of the program can change its meaning. gen.h has the same for C++. */
#ifndef HSCHED_GEN_C_H
#define HSCHED_GEN_C_H

#include <hsched/abi.h>

#ifndef __HSCHED__
#define __HSCHED__ 200
#endif

#define HSCHED_C_FN static __inline__ __attribute__((__unused__))
typedef unsigned long long hsched_c_number;

/* Marks a function with statement tasks, which are nested functions. Unoptimised, GCC gives every nested function a
 * static chain and a trampoline on the stack. The task would need the trampoline after the function returns. */
#ifdef __OPTIMIZE__
#define HSCHED_C_NESTS
#else
#define HSCHED_C_NESTS __attribute__((__optimize__("Og")))
#endif

/* Numbers of elements: negative ones count as 0. Inferred expressions are evaluated in signed numbers, so n - 1 does
 * not wrap around for n = 0. */
#define hsched_c_count(hsched_v) ((hsched_v) > 0 ? (size_t)(hsched_v) : (size_t)0)
#define hsched_c_wide(hsched_v) ((__PTRDIFF_TYPE__)(hsched_v))
#define hsched_c_factor(hsched_v) ((hsched_v) > 0 ? (__PTRDIFF_TYPE__)(hsched_v) : (__PTRDIFF_TYPE__)0)

/* Elements low + k0 * stride0 + k1 * stride1 + ..., 0 <= k < count: from the first to the last. */
typedef struct hsched_c_reach {
  __PTRDIFF_TYPE__ hsched_first, hsched_last;
  int hsched_none;
} hsched_c_reach;
HSCHED_C_FN hsched_c_reach hsched_c_from(__PTRDIFF_TYPE__ hsched_v) {
  hsched_c_reach hsched_r;
  hsched_r.hsched_first = hsched_r.hsched_last = hsched_v;
  hsched_r.hsched_none = 0;
  return hsched_r;
}
HSCHED_C_FN hsched_c_reach hsched_c_along(hsched_c_reach hsched_r, __PTRDIFF_TYPE__ hsched_n,
                                          __PTRDIFF_TYPE__ hsched_stride) {
  if (hsched_n <= 0)
    hsched_r.hsched_none = 1;
  else if (hsched_stride < 0)
    hsched_r.hsched_first += (hsched_n - 1) * hsched_stride;
  else
    hsched_r.hsched_last += (hsched_n - 1) * hsched_stride;
  return hsched_r;
}
HSCHED_C_FN __PTRDIFF_TYPE__ hsched_c_part(__PTRDIFF_TYPE__ hsched_v, __PTRDIFF_TYPE__ hsched_per) {
  return hsched_v / hsched_per - (hsched_v % hsched_per < 0);
}
HSCHED_C_FN __PTRDIFF_TYPE__ hsched_c_low(hsched_c_reach hsched_r, __PTRDIFF_TYPE__ hsched_per) {
  return hsched_r.hsched_none ? 0 : hsched_c_part(hsched_r.hsched_first, hsched_per);
}
HSCHED_C_FN __PTRDIFF_TYPE__ hsched_c_reached(hsched_c_reach hsched_r, __PTRDIFF_TYPE__ hsched_per) {
  return hsched_r.hsched_none
             ? 0
             : hsched_c_part(hsched_r.hsched_last, hsched_per) - hsched_c_part(hsched_r.hsched_first, hsched_per) + 1;
}

/* A section: `bytes` bytes, repeated in dims dimensions, outermost first. */
typedef struct hsched_c_box {
  const unsigned char *hsched_base;
  size_t hsched_bytes;
  unsigned hsched_dims;
  size_t hsched_count[9], hsched_stride[9];
} hsched_c_box;
/* The row of `bytes` bytes that begins `skip` bytes behind p. Nothing lies in the first page: a section there is one of
 * a null pointer, or of a member of its object, and so empty. */
HSCHED_C_FN hsched_access hsched_c_access(const volatile void *hsched_p, __PTRDIFF_TYPE__ hsched_skip,
                                          size_t hsched_bytes, unsigned hsched_mode, unsigned hsched_param) {
  hsched_access hsched_a;
  const int hsched_null = (__UINTPTR_TYPE__)hsched_p < 4096;
  hsched_a.base = (const unsigned char *)hsched_p + (hsched_null ? 0 : hsched_skip);
  hsched_a.bytes = hsched_null ? 0 : hsched_bytes;
  hsched_a.rows = 1;
  hsched_a.stride = 0;
  hsched_a.mode = hsched_mode;
  hsched_a.param = hsched_param;
  return hsched_a;
}
HSCHED_C_FN hsched_c_box hsched_c_row(const volatile void *hsched_p, __PTRDIFF_TYPE__ hsched_skip,
                                      size_t hsched_bytes) {
  hsched_c_box hsched_b;
  const int hsched_null = (__UINTPTR_TYPE__)hsched_p < 4096;
  hsched_b.hsched_base = (const unsigned char *)hsched_p + (hsched_null ? 0 : hsched_skip);
  hsched_b.hsched_bytes = hsched_null ? 0 : hsched_bytes;
  hsched_b.hsched_dims = 0;
  return hsched_b;
}
/* Adds an innermost dimension: count elements of size bytes from low on, or all up to the extent if rest. If size is
 * negative, the last element is the first in memory. A section of a null pointer is empty. */
HSCHED_C_FN hsched_c_box hsched_c_cut(hsched_c_box hsched_b, __PTRDIFF_TYPE__ hsched_low, size_t hsched_n,
                                      int hsched_rest, __PTRDIFF_TYPE__ hsched_extent, __PTRDIFF_TYPE__ hsched_size) {
  if (hsched_rest)
    hsched_n = hsched_c_count(hsched_extent - hsched_low);
  if (!hsched_b.hsched_base)
    hsched_n = 0, hsched_low = 0;
  hsched_b.hsched_base += hsched_low * hsched_size;
  if (hsched_size < 0 && hsched_n != 0)
    hsched_b.hsched_base += (__PTRDIFF_TYPE__)(hsched_n - 1) * hsched_size;
  hsched_b.hsched_bytes = (size_t)(hsched_size < 0 ? -hsched_size : hsched_size);
  hsched_b.hsched_count[hsched_b.hsched_dims] = hsched_n;
  hsched_b.hsched_stride[hsched_b.hsched_dims++] = hsched_b.hsched_bytes;
  return hsched_b;
}
/* As few dimensions as there can be; returns the number of accesses that they make. */
HSCHED_C_FN size_t hsched_c_fold(hsched_c_box *hsched_b) {
  size_t hsched_outer[9][2], hsched_n = 1;
  unsigned hsched_left = 0, hsched_d, hsched_most = 0;
  for (hsched_d = 0; hsched_d < hsched_b->hsched_dims; ++hsched_d)
    if (hsched_b->hsched_count[hsched_d] == 0) {
      hsched_b->hsched_bytes = 0;
      hsched_b->hsched_dims = 0;
      return 1;
    }
  for (hsched_d = hsched_b->hsched_dims; hsched_d-- > 0;) {
    const size_t hsched_count = hsched_b->hsched_count[hsched_d], hsched_stride = hsched_b->hsched_stride[hsched_d];
    if (hsched_count == 1 || hsched_stride == 0)
      continue;
    if (hsched_left == 0 && hsched_stride == hsched_b->hsched_bytes)
      hsched_b->hsched_bytes *= hsched_count;
    else if (hsched_left != 0 && hsched_stride == hsched_outer[hsched_left - 1][1] * hsched_outer[hsched_left - 1][0])
      hsched_outer[hsched_left - 1][0] *= hsched_count;
    else {
      hsched_outer[hsched_left][0] = hsched_count;
      hsched_outer[hsched_left++][1] = hsched_stride;
    }
  }
  hsched_b->hsched_dims = hsched_left;
  for (hsched_d = 1; hsched_d < hsched_left; ++hsched_d)
    if (hsched_outer[hsched_d][0] > hsched_outer[hsched_most][0])
      hsched_most = hsched_d;
  for (hsched_d = 0; hsched_d < hsched_left; ++hsched_d) { /* The greatest count is last. */
    const unsigned hsched_from = hsched_d == hsched_most       ? hsched_left - 1
                                 : hsched_d == hsched_left - 1 ? hsched_most
                                                               : hsched_d;
    hsched_b->hsched_count[hsched_d] = hsched_outer[hsched_from][0];
    hsched_b->hsched_stride[hsched_d] = hsched_outer[hsched_from][1];
    if (hsched_d + 1 < hsched_left)
      hsched_n *= hsched_b->hsched_count[hsched_d];
  }
  return hsched_n;
}
/* Bytes from the first to the last of a folded box. */
HSCHED_C_FN size_t hsched_c_hull(const hsched_c_box *hsched_b) {
  size_t hsched_n = hsched_b->hsched_bytes;
  unsigned hsched_d;
  for (hsched_d = 0; hsched_d < hsched_b->hsched_dims; ++hsched_d)
    hsched_n += (hsched_b->hsched_count[hsched_d] - 1) * hsched_b->hsched_stride[hsched_d];
  return hsched_n;
}

/* A list of accesses whose number is known only at run time. */
typedef struct hsched_c_list {
  hsched_access *hsched_all;
  size_t hsched_n, hsched_room;
  hsched_access hsched_few[16];
} hsched_c_list;
HSCHED_C_FN void hsched_c_begin_list(hsched_c_list *hsched_l) {
  hsched_l->hsched_all = hsched_l->hsched_few;
  hsched_l->hsched_n = 0;
  hsched_l->hsched_room = 16;
}
HSCHED_C_FN void hsched_c_end_list(hsched_c_list *hsched_l) {
  if (hsched_l->hsched_all != hsched_l->hsched_few)
    __builtin_free(hsched_l->hsched_all);
}
HSCHED_C_FN void hsched_c_one(hsched_c_list *hsched_l, unsigned hsched_mode, unsigned hsched_param,
                              const void *hsched_base, size_t hsched_bytes, size_t hsched_rows, size_t hsched_stride) {
  hsched_access *hsched_a;
  if (hsched_l->hsched_n == hsched_l->hsched_room) {
    hsched_access *hsched_more = (hsched_access *)__builtin_malloc(2 * hsched_l->hsched_room * sizeof(hsched_access));
    if (!hsched_more)
      __builtin_abort();
    __builtin_memcpy(hsched_more, hsched_l->hsched_all, hsched_l->hsched_n * sizeof(hsched_access));
    hsched_c_end_list(hsched_l);
    hsched_l->hsched_all = hsched_more;
    hsched_l->hsched_room *= 2;
  }
  hsched_a = &hsched_l->hsched_all[hsched_l->hsched_n++];
  hsched_a->base = hsched_base;
  hsched_a->bytes = hsched_bytes;
  hsched_a->rows = hsched_rows;
  hsched_a->stride = hsched_stride;
  hsched_a->mode = hsched_mode;
  hsched_a->param = hsched_param;
}
/* A box of more than 4096 pieces is accessed as its hull; the bytes between the pieces are kept. */
HSCHED_C_FN void hsched_c_add(hsched_c_list *hsched_l, unsigned hsched_mode, unsigned hsched_param,
                              hsched_c_box hsched_b) {
  const size_t hsched_pieces = hsched_c_fold(&hsched_b);
  size_t hsched_i;
  if (hsched_pieces > 4096) {
    hsched_c_one(hsched_l, hsched_mode == HSCHED_OUT ? HSCHED_INOUT : hsched_mode, hsched_param, hsched_b.hsched_base,
                 hsched_c_hull(&hsched_b), 1, 0);
    return;
  }
  for (hsched_i = 0; hsched_i < hsched_pieces; ++hsched_i) {
    const unsigned char *hsched_p = hsched_b.hsched_base;
    size_t hsched_k = hsched_i;
    unsigned hsched_d;
    for (hsched_d = 0; hsched_d + 1 < hsched_b.hsched_dims; ++hsched_d) {
      hsched_p += hsched_k % hsched_b.hsched_count[hsched_d] * hsched_b.hsched_stride[hsched_d];
      hsched_k /= hsched_b.hsched_count[hsched_d];
    }
    if (hsched_b.hsched_dims == 0)
      hsched_c_one(hsched_l, hsched_mode, hsched_param, hsched_p, hsched_b.hsched_bytes, 1, 0);
    else
      hsched_c_one(hsched_l, hsched_mode, hsched_param, hsched_p, hsched_b.hsched_bytes,
                   hsched_b.hsched_count[hsched_b.hsched_dims - 1], hsched_b.hsched_stride[hsched_b.hsched_dims - 1]);
  }
}

#include <hsched/gen_c_tasks.h>
#endif
