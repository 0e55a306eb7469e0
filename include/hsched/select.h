/* PySchedCL's select as a shared object, which hsched-run --select=./mine.so loads: which component of a file of
 * kernels goes next, and to which device.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   cc -shared -fPIC mine.c -o mine.so      (with -I for hsched's headers, where they are not installed)
 *
 * The shared object has one function, hsched_select_1 below, and links nothing of hsched. Any thread calls it, one at a
 * time, with a lock held. It must return soon, wait for nothing, and call no function of hsched. A device that was
 * chosen belongs to the component until all of its kernels have ended. Kernels that are in no component of the file are
 * one each. */
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
  double rank;                /* The greatest sum of costs on a path from it to the end. */
  uint32_t n_devices;         /* Number of devices that the file allows for it. */
  const uint32_t *devices;    /* Their numbers. */
} hsched_select_component;

/* A device, and whether it is free. */
typedef struct hsched_select_device {
  const char *name;  /* As the driver reports it. Lives as long as the program. */
  unsigned type;     /* HSCHED_TYPE_... */
  int available;     /* Non-zero if no component occupies it. */
  double busy_since; /* Time in seconds, on the clock of `now`, since when an unavailable device is busy. */
} hsched_select_device;

/* A minor version of hsched may append to it. The component and device structures stay as they are. */
typedef struct hsched_select_state {
  size_t struct_bytes; /* Size of the structure that the caller filled. */
  double now;          /* Seconds since a fixed moment. */
  uint32_t n_ready;    /* Number of components in `ready`. */
  uint32_t n_devices;  /* Number of devices in `devices`, available or not. */
  const hsched_select_component
      *ready; /* Never empty. Ordered by decreasing rank, then by the time at which they became ready. */
  const hsched_select_device *devices; /* At least one is available. */
} hsched_select_state;

/* Writes the index of a component in `ready` and the number of an available device for it, and returns 1. Or returns 0
 * to choose none now; it is called again when a component has ended. A component must then be running. */
HSCHED_EXPORT int hsched_select_1(const hsched_select_state *state, uint32_t *component, uint32_t *device);
/* The type of hsched_select_1. */
typedef int (*hsched_select_function)(const hsched_select_state *state, uint32_t *component, uint32_t *device);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
