/* Tasks, kernels, reductions and loops in generated C: a part of gen_c.h. Not for use by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HSCHED_GEN_C_TASKS_H
#define HSCHED_GEN_C_TASKS_H

/* Adds the sections of n iterations of a loop: the first touches x, the last touches y, equal distances between. */
HSCHED_C_FN void hsched_c_over(hsched_c_list *hsched_l, unsigned hsched_mode, unsigned hsched_param,
                               hsched_c_box hsched_x, hsched_c_box hsched_y, hsched_c_number hsched_n) {
  int hsched_alike = hsched_x.hsched_dims == hsched_y.hsched_dims && hsched_x.hsched_bytes == hsched_y.hsched_bytes;
  unsigned hsched_d;
  size_t hsched_far, hsched_end, hsched_other;
  for (hsched_d = 0; hsched_alike && hsched_d < hsched_x.hsched_dims; ++hsched_d)
    hsched_alike = hsched_x.hsched_count[hsched_d] == hsched_y.hsched_count[hsched_d] &&
                   hsched_x.hsched_stride[hsched_d] == hsched_y.hsched_stride[hsched_d];
  if (hsched_n < 2 || (hsched_alike && hsched_x.hsched_base == hsched_y.hsched_base)) {
    hsched_c_add(hsched_l, hsched_mode, hsched_param, hsched_x);
    return;
  }
  if (hsched_alike && hsched_x.hsched_dims == 0 && !hsched_x.hsched_bytes) { /* Nothing, wherever it is. */
    hsched_c_add(hsched_l, hsched_mode, hsched_param, hsched_x);
    return;
  }
  if (hsched_y.hsched_base < hsched_x.hsched_base) {
    const hsched_c_box hsched_z = hsched_x;
    hsched_x = hsched_y;
    hsched_y = hsched_z;
  }
  hsched_far = (size_t)(hsched_y.hsched_base - hsched_x.hsched_base);
  if (hsched_alike && hsched_x.hsched_dims == 0 && hsched_x.hsched_bytes) {
    if (hsched_far / (size_t)(hsched_n - 1) <= hsched_x.hsched_bytes) /* Side by side, or overlapping. */
      hsched_x.hsched_bytes += hsched_far;
    else {
      hsched_x.hsched_dims = 1;
      hsched_x.hsched_count[0] = (size_t)hsched_n;
      hsched_x.hsched_stride[0] = hsched_far / (size_t)(hsched_n - 1);
    }
    hsched_c_add(hsched_l, hsched_mode, hsched_param, hsched_x);
    return;
  }
  if (hsched_alike && hsched_x.hsched_dims && hsched_x.hsched_dims < 9) {
    for (hsched_d = hsched_x.hsched_dims++; hsched_d > 0; --hsched_d) {
      hsched_x.hsched_count[hsched_d] = hsched_x.hsched_count[hsched_d - 1];
      hsched_x.hsched_stride[hsched_d] = hsched_x.hsched_stride[hsched_d - 1];
    }
    hsched_x.hsched_count[0] = (size_t)hsched_n;
    hsched_x.hsched_stride[0] = hsched_far / (size_t)(hsched_n - 1);
    hsched_c_add(hsched_l, hsched_mode, hsched_param, hsched_x);
    return;
  }
  /* From the first byte to the last: what lies between is kept. */
  hsched_c_fold(&hsched_x);
  hsched_c_fold(&hsched_y);
  hsched_end = hsched_c_hull(&hsched_x);
  hsched_other = hsched_far + hsched_c_hull(&hsched_y);
  hsched_c_one(hsched_l, hsched_mode == HSCHED_OUT ? HSCHED_INOUT : hsched_mode, hsched_param, hsched_x.hsched_base,
               hsched_end > hsched_other ? hsched_end : hsched_other, 1, 0);
}

/* The same where the sections between are unevenly spaced: each begins and ends between the ends of the first and the
 * last. */
HSCHED_C_FN void hsched_c_over_hull(hsched_c_list *hsched_l, unsigned hsched_mode, unsigned hsched_param,
                                    hsched_c_box hsched_x, hsched_c_box hsched_y, hsched_c_number hsched_n) {
  hsched_c_box hsched_a = hsched_x, hsched_b = hsched_y;
  const unsigned char *hsched_low, *hsched_high;
  size_t hsched_i, hsched_j;
  hsched_c_fold(&hsched_a);
  hsched_c_fold(&hsched_b);
  hsched_i = hsched_c_hull(&hsched_a);
  hsched_j = hsched_c_hull(&hsched_b);
  if (hsched_n < 2 || (hsched_n == 2 && hsched_j == 0) ||
      (hsched_a.hsched_base == hsched_b.hsched_base && hsched_i == hsched_j)) {
    hsched_c_add(hsched_l, hsched_mode, hsched_param, hsched_x);
    return;
  }
  hsched_low = hsched_a.hsched_base < hsched_b.hsched_base ? hsched_a.hsched_base : hsched_b.hsched_base;
  hsched_high = hsched_a.hsched_base + hsched_i;
  if (hsched_high < hsched_b.hsched_base + hsched_j)
    hsched_high = hsched_b.hsched_base + hsched_j;
  hsched_c_one(hsched_l, hsched_mode == HSCHED_OUT ? HSCHED_INOUT : hsched_mode, hsched_param, hsched_low,
               (size_t)(hsched_high - hsched_low), 1, 0);
}

/* Registers a task with its versions once; *kept is null before. If hsched_run is not null, it is a nested function:
 * its address is not constant, so it is set here. */
/* Of a box: its bytes from the first to the last, and where it begins, in bytes behind p. */
HSCHED_C_FN size_t hsched_c_reach_bytes(hsched_c_box hsched_b) {
  (void)hsched_c_fold(&hsched_b);
  return hsched_c_hull(&hsched_b);
}
HSCHED_C_FN __PTRDIFF_TYPE__ hsched_c_reach_at(hsched_c_box hsched_b, const volatile void *hsched_p) {
  return hsched_b.hsched_base ? hsched_b.hsched_base - (const unsigned char *)hsched_p : 0;
}

/* Copies of arrays of variable length, which are in no struct of arguments: a list that begins at its first member. */
HSCHED_C_FN const volatile void *hsched_c_copied(void **hsched_list, const volatile void *hsched_p, size_t hsched_n) {
  enum { hsched_head = 64 };
  char *hsched_c = (char *)__builtin_malloc(hsched_n + hsched_head);
  if (!hsched_c)
    __builtin_abort();
  __builtin_memcpy(hsched_c, hsched_list, sizeof *hsched_list);
  *hsched_list = hsched_c;
  __builtin_memcpy(hsched_c + hsched_head, (const void *)hsched_p, hsched_n);
  return hsched_c + hsched_head;
}
HSCHED_C_FN void hsched_c_forget(void *hsched_args) {
  void *hsched_next = *(void **)hsched_args;
  while (hsched_next) {
    void *hsched_c = hsched_next;
    __builtin_memcpy(&hsched_next, hsched_c, sizeof hsched_next);
    __builtin_free(hsched_c);
  }
}

HSCHED_C_FN hsched_task_type *hsched_c_enroll(hsched_task_type **hsched_kept, hsched_task_desc *hsched_d,
                                              hsched_version_desc *hsched_v, unsigned hsched_n,
                                              void (*hsched_run)(void *)) {
  static char hsched_busy;
  hsched_task_type *hsched_t = __atomic_load_n(hsched_kept, __ATOMIC_ACQUIRE);
  unsigned hsched_i;
  if (__builtin_expect(hsched_t != 0, 1))
    return hsched_t;
  while (__atomic_test_and_set(&hsched_busy, __ATOMIC_ACQUIRE)) {
  }
  hsched_t = *hsched_kept;
  if (!hsched_t) {
    if (hsched_run)
      hsched_d->run = hsched_run;
    hsched_t = hsched_register_task(hsched_d);
    for (hsched_i = 0; hsched_i < hsched_n; ++hsched_i) {
      if (hsched_run)
        hsched_v[hsched_i].run = hsched_run;
      hsched_register_version(hsched_d->linker_name, &hsched_v[hsched_i]);
    }
    __atomic_store_n(hsched_kept, hsched_t, __ATOMIC_RELEASE);
  }
  __atomic_clear(&hsched_busy, __ATOMIC_RELEASE);
  return hsched_t;
}

/* Kernel arguments. */
HSCHED_C_FN void hsched_c_argument(hsched_kernel_arg *hsched_o, unsigned hsched_kind, unsigned hsched_param,
                                   size_t hsched_bytes, const void *hsched_value, const volatile void *hsched_p) {
  hsched_o->kind = hsched_kind;
  hsched_o->param = hsched_param;
  hsched_o->bytes = hsched_bytes;
  hsched_o->value = hsched_value;
  hsched_o->pointer = (const void *)hsched_p;
}
#define hsched_c_computed(hsched_o, hsched_type, hsched_v)                                                             \
  do {                                                                                                                 \
    const hsched_type hsched_x = (hsched_v);                                                                           \
    __builtin_memcpy((hsched_o)->storage, &hsched_x, sizeof hsched_x);                                                 \
    hsched_c_argument((hsched_o), HSCHED_ARG_VALUE, HSCHED_NO_PARAM, sizeof hsched_x, (hsched_o)->storage, 0);         \
  } while (0)
HSCHED_C_FN void hsched_c_geometry(hsched_ndrange *hsched_r, unsigned hsched_dims, unsigned hsched_dim,
                                   size_t hsched_global, size_t hsched_local) {
  hsched_r->dims = hsched_dims;
  hsched_r->global[hsched_dim] = hsched_global;
  hsched_r->local[hsched_dim] = hsched_local;
}

/* Reductions: hsched_name_NAME begins a private copy, combines two. */
#define HSCHED_C_REDUCTION(hsched_name, hsched_type, hsched_sign, hsched_begin, hsched_result)                         \
  static __attribute__((__unused__)) void hsched_name##_make(void *hsched_c, const void *hsched_o, size_t hsched_n) {  \
    size_t hsched_i;                                                                                                   \
    (void)hsched_o;                                                                                                    \
    for (hsched_i = 0; hsched_i < hsched_n; ++hsched_i)                                                                \
      ((hsched_type *)hsched_c)[hsched_i] = (hsched_type)(hsched_begin);                                               \
  }                                                                                                                    \
  static __attribute__((__unused__)) void hsched_name##_join(void *hsched_p, const void *hsched_q, size_t hsched_n) {  \
    size_t hsched_i;                                                                                                   \
    for (hsched_i = 0; hsched_i < hsched_n; ++hsched_i) {                                                              \
      const hsched_type hsched_a = ((hsched_type *)hsched_p)[hsched_i],                                                \
                        hsched_b = ((const hsched_type *)hsched_q)[hsched_i];                                          \
      ((hsched_type *)hsched_p)[hsched_i] = (hsched_type)(hsched_result);                                              \
    }                                                                                                                  \
  }                                                                                                                    \
  static const hsched_reduction_op hsched_name __attribute__((__unused__)) = {sizeof(hsched_reduction_op),             \
                                                                              hsched_sign,                             \
                                                                              sizeof(hsched_type),                     \
                                                                              __alignof__(hsched_type),                \
                                                                              &hsched_name##_make,                     \
                                                                              &hsched_name##_join,                     \
                                                                              0,                                       \
                                                                              0};
/* The least and the greatest number of a type. */
#define HSCHED_C_WHOLE(hsched_type) ((hsched_type)0.5 == 0 || (hsched_type)2 == 1) /* _Bool is 1 of both. */
#define HSCHED_C_HIGH(hsched_type)                                                                                     \
  (!HSCHED_C_WHOLE(hsched_type) ? (hsched_type)__builtin_huge_val()                                                    \
   : (hsched_type) - 1 > 0      ? (hsched_type) - 1                                                                    \
                                : (hsched_type)(~0ull >> (65 - 8 * sizeof(hsched_type))))
#define HSCHED_C_LOW(hsched_type)                                                                                      \
  (!HSCHED_C_WHOLE(hsched_type) ? (hsched_type) - __builtin_huge_val()                                                 \
   : (hsched_type) - 1 > 0      ? (hsched_type)0                                                                       \
                                : (hsched_type)(-(long long)(~0ull >> (65 - 8 * sizeof(hsched_type))) - 1))

/* Loops. Values of the loop's variable are computed as 64-bit numbers; unit is 1, of a pointer what it points to. */
typedef struct hsched_c_loop {
  hsched_c_number hsched_first, hsched_step, hsched_unit, hsched_count;
  int hsched_relation; /* 0 <, 1 <=, 2 >, 3 >=, 4 != */
} hsched_c_loop;
HSCHED_C_FN hsched_c_loop hsched_c_loop_of(hsched_c_number hsched_first, hsched_c_number hsched_last, int hsched_goes,
                                           long long hsched_step, hsched_c_number hsched_unit, int hsched_relation) {
  hsched_c_loop hsched_l;
  const int hsched_up = hsched_relation < 2 || (hsched_relation == 4 && hsched_step > 0);
  const hsched_c_number hsched_far = (hsched_up ? hsched_last - hsched_first : hsched_first - hsched_last),
                        hsched_by =
                            (hsched_step < 0 ? 0 - (hsched_c_number)hsched_step : (hsched_c_number)hsched_step) *
                            hsched_unit;
  hsched_l.hsched_first = hsched_first;
  hsched_l.hsched_step = (hsched_c_number)hsched_step * hsched_unit;
  hsched_l.hsched_unit = hsched_up ? hsched_unit : 0 - hsched_unit;
  hsched_l.hsched_relation = hsched_relation;
  if (hsched_goes && (hsched_by == 0 || (hsched_relation != 4 && hsched_up != (hsched_step > 0)))) {
    hsched_l.hsched_count = 1; /* Does not end by counting: one chunk. */
    return hsched_l;
  }
  hsched_l.hsched_count = !hsched_goes                                   ? 0
                          : hsched_relation == 1 || hsched_relation == 3 ? hsched_far / hsched_by + 1
                                                                         : (hsched_far - 1) / hsched_by + 1;
  return hsched_l;
}
HSCHED_C_FN hsched_c_number hsched_c_value(hsched_c_loop hsched_l, hsched_c_number hsched_k) {
  return hsched_l.hsched_first + hsched_k * hsched_l.hsched_step;
}
/* What the loop's variable is compared with where iterations end before number k. */
HSCHED_C_FN hsched_c_number hsched_c_last(hsched_c_loop hsched_l, hsched_c_number hsched_k) {
  const hsched_c_number hsched_v = hsched_c_value(hsched_l, hsched_k - 1);
  return hsched_l.hsched_relation == 1 || hsched_l.hsched_relation == 3 ? hsched_v : hsched_v + hsched_l.hsched_unit;
}
HSCHED_C_FN hsched_c_number hsched_c_least(hsched_c_number hsched_a, hsched_c_number hsched_b) {
  return hsched_a < hsched_b ? hsched_a : hsched_b;
}
/* Loops in each other that are divided as one. Iterations of all of them are counted; each[d] are those of one value of
 * loop d's variable. A chunk is the iterations from low to high. */
typedef struct hsched_c_nest {
  hsched_c_loop hsched_loops[8];
  hsched_c_number hsched_each[8], hsched_low, hsched_high;
  hsched_c_number hsched_next[8], hsched_last[8]; /* Where loop d begins next; where it ends. */
} hsched_c_nest;
/* Loop d begins; returns its first value. */
HSCHED_C_FN hsched_c_number hsched_c_enter(hsched_c_nest *hsched_x, unsigned hsched_d, unsigned hsched_n) {
  const hsched_c_number hsched_row = hsched_x->hsched_next[hsched_d],
                        hsched_all = hsched_x->hsched_each[hsched_d] * hsched_x->hsched_loops[hsched_d].hsched_count,
                        hsched_each = hsched_x->hsched_each[hsched_d],
                        hsched_from = hsched_x->hsched_low > hsched_row ? hsched_x->hsched_low - hsched_row : 0,
                        hsched_to = hsched_c_least(hsched_x->hsched_high - hsched_row, hsched_all),
                        hsched_i = hsched_from / hsched_each;
  hsched_x->hsched_next[hsched_d] += hsched_all;
  hsched_x->hsched_last[hsched_d] = hsched_c_last(hsched_x->hsched_loops[hsched_d], (hsched_to - 1) / hsched_each + 1);
  if (hsched_d + 1 < hsched_n)
    hsched_x->hsched_next[hsched_d + 1] = hsched_row + hsched_i * hsched_each;
  return hsched_c_value(hsched_x->hsched_loops[hsched_d], hsched_i);
}
HSCHED_C_FN hsched_c_nest hsched_c_chunk(hsched_c_nest hsched_x, hsched_c_number hsched_k, hsched_c_number hsched_n) {
  hsched_x.hsched_low = hsched_k;
  hsched_x.hsched_high = hsched_k + hsched_n;
  hsched_x.hsched_next[0] = 0;
  return hsched_x;
}
/* One thread at a time combines its copies. */
HSCHED_C_FN void hsched_c_lock(char *hsched_p) {
  while (__atomic_test_and_set(hsched_p, __ATOMIC_ACQUIRE)) {
  }
}
HSCHED_C_FN void hsched_c_unlock(char *hsched_p) { __atomic_clear(hsched_p, __ATOMIC_RELEASE); }

#endif
