/* PySchedCL's select as a shared object, which hsched-run --select=./mine.so loads: which component of a file of
 * kernels goes next, and to which device.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   cc -shared -fPIC mine.c -o mine.so      (with -I for hsched's headers, where they are not installed)
 *
 * The shared object has one function, hsched_select_1 below, and links nothing of hsched. It is called by one thread at
 * a time, of any number, with a lock held: it returns soon, waits for nothing, and calls nothing of hsched's. A device
 * that was chosen belongs to the component until all of its kernels have ended. Kernels that are in no component of the
 * file are one each. */
#ifndef HSCHED_SELECT_H
#define HSCHED_SELECT_H

#include <hsched/abi.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A component all of whose predecessors have ended; of a kernel that is split, one of its parts. */
typedef struct hsched_select_component {
  uint32_t number;            /* The same in all calls of a run. */
  uint32_t n_kernels;         /* In an order that the edges allow. */
  const char *const *kernels; /* Their ids. */
  double rank;                /* The greatest sum of costs on a way from it to an end. */
  uint32_t n_devices;         /* That the file lets it go to. */
  const uint32_t *devices;    /* Their numbers. */
} hsched_select_component;

typedef struct hsched_select_device {
  const char *name;
  unsigned type;     /* HSCHED_TYPE_... */
  int available;     /* No component has it. */
  double busy_since; /* Seconds, as now; of one that is not available. */
} hsched_select_device;

/* A minor version of hsched may append to it. The component and device structures stay as they are. */
typedef struct hsched_select_state {
  size_t struct_bytes;
  double now; /* Seconds, since some moment. */
  uint32_t n_ready, n_devices;
  const hsched_select_component *ready; /* Never empty; by rank, the greatest first, then by when they became ready. */
  const hsched_select_device *devices;  /* At least one is available. */
} hsched_select_state;

/* Writes the place of a component in `ready`, and the number of an available device that it may go to, and returns 1.
 * Or returns 0: nothing now; it is called again when a component has ended. Then one must be running. */
HSCHED_EXPORT int hsched_select_1(const hsched_select_state *state, uint32_t *component, uint32_t *device);
typedef int (*hsched_select_function)(const hsched_select_state *state, uint32_t *component, uint32_t *device);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
