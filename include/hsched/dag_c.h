/* hsched/dag.h for C, and for what calls C: Python's ctypes, Julia, Fortran.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The library libhsched_dag has these functions. A function that can fail returns 0, or NULL, on failure;
 * hsched_dag_error() says why. One thread uses a graph at a time. */
#ifndef HSCHED_DAG_C_H
#define HSCHED_DAG_C_H

#include <hsched/abi.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded and checked graph. */
typedef struct hsched_dag hsched_dag;

/* As hsched::dag::settings. A null pointer is the default. */
typedef struct hsched_dag_settings {
  size_t struct_bytes;        /* sizeof(hsched_dag_settings) */
  const char *const *symbols; /* "name=value", then NULL. */
  const char *const *devices; /* "gpu=cpu", then NULL. */
  const char *policy;         /* "clustering", "eager", "heft" or "engine". */
  const char *output;         /* A folder for all results. */
  uint64_t most_bytes;        /* Limit of bytes of all data; 0: half of the machine's memory. */
  unsigned repeat;            /* 0: 1 */
  unsigned allow_path;        /* 1: the file may name files outside of its folder. */
  unsigned no_check;          /* 1: hsched-kinfo is not asked. */
} hsched_dag_settings;

/* Strings live as long as the graph. */
typedef struct hsched_dag_datum {
  size_t struct_bytes; /* sizeof(hsched_dag_datum), set by the caller. */
  const char *name;    /* The id of a buffer, or of a kernel followed by a dot and the argument's position. */
  const char *numpy;   /* The type of a number in it, as .npy files have it: "<f4". */
  size_t bytes;        /* Size of its content. */
  unsigned input;      /* 1: its initial content matters. */
  unsigned result;     /* 1: no other kernel reads it. */
} hsched_dag_datum;

/* Reads and checks the file. settings may be NULL. Returns NULL on failure. */
HSCHED_EXPORT hsched_dag *hsched_dag_open(const char *path, const hsched_dag_settings *settings);
/* Releases the graph. NULL has no effect. */
HSCHED_EXPORT void hsched_dag_close(hsched_dag *graph);
/* Number of buffers and results. */
HSCHED_EXPORT size_t hsched_dag_size(const hsched_dag *graph);
/* Describes the buffer or result with that number, from 0. to->struct_bytes must be set. */
HSCHED_EXPORT int hsched_dag_describe(hsched_dag *graph, size_t number, hsched_dag_datum *to);
/* Sets the initial content of a datum. bytes must be its size. hsched_dag_run() reads the memory. */
HSCHED_EXPORT int hsched_dag_input(hsched_dag *graph, const char *name, const void *from, size_t bytes);
/* hsched_dag_run() copies the final content of a datum to that memory. bytes must be its size. */
HSCHED_EXPORT int hsched_dag_output(hsched_dag *graph, const char *name, void *to, size_t bytes);
/* Runs all kernels and waits for them. Writes the seconds of each of the first n runs. */
HSCHED_EXPORT int hsched_dag_run(hsched_dag *graph, double *seconds, size_t n);
/* The greatest error of a result that the file compares, in the last run; negative: it compares no such result. */
HSCHED_EXPORT double hsched_dag_difference(const hsched_dag *graph, const char *name);
/* The last failure of this thread's calls. */
HSCHED_EXPORT const char *hsched_dag_error(void);

#ifdef __cplusplus
}
#endif
#endif
