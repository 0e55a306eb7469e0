/* The C ABI between generated code and the runtime.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Generated code uses only this interface. A runtime accepts code of the same major version and of a minor version that
 * is not newer than its own. Structures that generated code fills begin with their size where they may grow; fields are
 * only ever appended.
 *
 * This header includes nothing that reads feature-test macros, because generated code includes it before the first line
 * of the user's source.
 *
 * Units are bytes unless a name says otherwise. Strings are NUL-terminated, UTF-8, and live as long as the program. */
#ifndef HSCHED_ABI_H
#define HSCHED_ABI_H

#include <stddef.h>

/* The version of the ABI that this header describes: code of another major version is refused. */
#define HSCHED_ABI_MAJOR 1
/* A runtime accepts code of this minor version or an older one. */
#define HSCHED_ABI_MINOR 10

/* Marks the functions that the library exports. */
#if defined(__GNUC__)
#define HSCHED_EXPORT __attribute__((visibility("default")))
#else
#define HSCHED_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a task does with a section of memory. The numbers are part of the ABI. */
enum {
  HSCHED_IN = 1,          /* Read. */
  HSCHED_OUT = 2,         /* Every byte overwritten, none read first. */
  HSCHED_INOUT = 3,       /* Read and written. */
  HSCHED_CONCURRENT = 4,  /* Updated, in any order and at the same time. */
  HSCHED_COMMUTATIVE = 5, /* Updated, in any order but one at a time. */
  HSCHED_REDUCTION = 6    /* Updated through private copies. */
};

/* Kinds of device that a version runs on. */
enum {
  HSCHED_DEVICE_CPU = 0,    /* A core. */
  HSCHED_DEVICE_OPENCL = 1, /* A device of OpenCL. */
  HSCHED_DEVICE_CUDA = 2    /* Accepted; no backend has such a device. */
};

/* Types of device that a version is confined to. */
enum {
  HSCHED_TYPE_ANY = 0,        /* Any type. */
  HSCHED_TYPE_CPU = 1,        /* CPUs. */
  HSCHED_TYPE_GPU = 2,        /* GPUs. */
  HSCHED_TYPE_ACCELERATOR = 3 /* Accelerators. */
};

/* `param` of an access or a kernel argument that belongs to no one parameter. */
#define HSCHED_NO_PARAM 0xffffffffu

/* One section of memory that a task touches: `rows` rows of `bytes` bytes, their beginnings `stride` bytes apart.
 * A contiguous section has rows == 1, and its stride is ignored. A section of no bytes is legal and names nothing. */
typedef struct hsched_access {
  const void *base; /* First byte, in host memory. */
  size_t bytes;     /* Extent of one row. */
  size_t rows;      /* Number of rows. */
  size_t stride;    /* Bytes from the beginning of a row to the beginning of the next one. */
  unsigned mode;    /* HSCHED_IN, ... */
  unsigned param;   /* Index of the parameter through which versions reach it, or HSCHED_NO_PARAM. */
} hsched_access;

/* Launch geometry. `local[0] == 0` leaves the work-group size to the runtime. Where local sizes are given, the runtime
 * rounds global sizes up to them. */
typedef struct hsched_ndrange {
  unsigned dims;    /* 1 to 3. */
  size_t global[3]; /* Number of work-items in each dimension. */
  size_t local[3];  /* Work-items of a work-group in each dimension. */
  size_t offset[3]; /* Global id of the first work-item. Since minor 9: all 0 if not set. */
} hsched_ndrange;

/* Kinds of a kernel's argument. */
enum {
  HSCHED_ARG_VALUE = 0,  /* `bytes` bytes at `value`, copied when set. */
  HSCHED_ARG_BUFFER = 1, /* `pointer` is an address in host memory, to be translated to the device's. */
  HSCHED_ARG_LOCAL = 2   /* `bytes` bytes of local memory. */
};

/* One argument of a kernel, in the order of the kernel's own parameters. */
typedef struct hsched_kernel_arg {
  unsigned kind;       /* HSCHED_ARG_... */
  unsigned param;      /* BUFFER: the parameter whose section holds the data, or HSCHED_NO_PARAM: found by address. */
  size_t bytes;        /* VALUE, LOCAL. */
  const void *value;   /* VALUE: points into the task's arguments or at `storage`. */
  const void *pointer; /* BUFFER. */
  unsigned char storage[64] __attribute__((aligned(16))); /* Storage of a computed value. */
} hsched_kernel_arg;

/* Flags of a kernel. */
enum {
  /* After its own arguments, the entry takes one 64-bit unsigned byte offset per BUFFER argument, in order. The
   * buffer's address plus the offset is the pointer that the user's kernel gets. Offsets wrap, so that a section that
   * begins inside its object can lie at the start of a device buffer. An entry without it can only be given data whose
   * host address is at a multiple of what the device asks of sub-buffers (PoCL 128, NVIDIA 512). */
  HSCHED_KERNEL_OFFSETS = 1
};

/* A parameter through which a version takes the task's one tile in packed form: its rows are contiguous. Since minor 2.
 * */
typedef struct hsched_packed {
  unsigned param;         /* Index of the parameter. */
  unsigned element_bytes; /* Bytes of one element of the tile. */
} hsched_packed;

/* A version that is an OpenCL kernel. */
typedef struct hsched_kernel_desc {
  size_t struct_bytes; /* Size of the structure that the caller was compiled with. */
  const char *file;    /* As the user named it: for messages. */
  const char *name;    /* The kernel as the user named it: for messages, traces. */
  const char *entry;   /* The kernel to create. */
  const char *source;  /* OpenCL C, embedded. */
  size_t source_bytes; /* Length of `source`, without a NUL. */
  const char *options; /* For the build; never null. */
  unsigned n_args;     /* Number of the kernel's own arguments. */
  unsigned flags;      /* HSCHED_KERNEL_... */
  /* Fills the geometry and n_args arguments from a task's packed arguments. Thread-safe; must not throw. */
  void (*fill)(const void *args, hsched_ndrange *range, hsched_kernel_arg *out);
  /* Since minor 2. A device may hold these tiles compactly or with the host's strides. If the parameter points
   * into a matrix, the kernel's pointer keeps the distance to the tile's first element, in rows and in elements.
   */
  unsigned n_packed;           /* Number of tiles that it takes packed. */
  const hsched_packed *packed; /* n_packed of them; no parameter is there twice. */
  /* The same as fill. leading[i] is the leading dimension, in elements, of packed[i]'s tile where the kernel runs. 0:
   * the program's own value holds, for a tile of at most one row. */
  void (*fill_packed)(const void *args, const unsigned long long *leading, hsched_ndrange *range,
                      hsched_kernel_arg *out);
  /* Since minor 3. n_packed of them: leading_params[i] is the parameter that is packed[i]'s leading dimension. Tiles
   * with the same parameter have the same leading dimension. Null: each tile has its own parameter. */
  const unsigned *leading_params;
} hsched_kernel_desc;

/* Where packed[i]'s tile lies while a body runs. Since minor 3. */
typedef struct hsched_packed_place {
  const void *base; /* The tile's first byte in host memory. Null: the parameter leads to no tile, or `leading` is 0. */
  size_t stride;    /* Distance of two rows in host memory, in bytes. */
  unsigned long long leading; /* Leading dimension on the device, as for a kernel. */
} hsched_packed_place;

/* A body for a device that takes tiles packed. Since minor 3. */
typedef struct hsched_packed_body {
  size_t struct_bytes;            /* Size of the structure that the caller was compiled with. */
  unsigned n_packed;              /* Number of tiles that it takes packed. */
  const hsched_packed *packed;    /* As in hsched_kernel_desc. */
  const unsigned *leading_params; /* As in hsched_kernel_desc. */
  /* As the version's `run`, on the same thread and under the same rules. `places` has an entry for each of packed.
   * */
  void (*run)(void *args, const hsched_packed_place *places);
} hsched_packed_body;

/* One version of a task on one kind of device. */
typedef struct hsched_version_desc {
  size_t struct_bytes;     /* Size of the structure that the caller was compiled with. */
  const char *linker_name; /* Identity, with device and device_type: a second registration is ignored. */
  const char *name;        /* As the user named it. */
  const char *file;        /* Source file of its declaration. */
  unsigned line;           /* Line of its declaration. */
  unsigned device;         /* HSCHED_DEVICE_... */
  unsigned device_type;    /* HSCHED_TYPE_... */
  /* Runs the version on a task's packed arguments. On the CPU it does the work; for a device it enqueues the work (see
   * hsched_opencl_queue). May throw. Null where `kernel` is set. */
  void (*run)(void *args);
  const hsched_kernel_desc *kernel; /* Null where `run` is set. */
  /* Since minor 3. Called in place of `run`, which is set as well. Null: none. */
  const hsched_packed_body *packed_body;
  /* Since minor 10. Calls add(to, section) for each section that this version has in place of the task's. All sections
   * of the task with one of the named `param`s are replaced. Modes of both are HSCHED_IN, HSCHED_OUT or HSCHED_INOUT.
   * Called on the submitting thread, for each task. May throw. Null: the version has the task's sections. */
  void (*sections)(const void *args, void (*add)(void *to, const hsched_access *section), void *to);
} hsched_version_desc;

/* A task: what all its versions share. */
typedef struct hsched_task_desc {
  size_t struct_bytes;            /* Size of the structure that the caller was compiled with. */
  unsigned abi_major;             /* HSCHED_ABI_MAJOR of the header that the code was compiled with. */
  unsigned abi_minor;             /* HSCHED_ABI_MINOR of that header. */
  const char *linker_name;        /* Identity: a second registration means the same task. Exceptions: see `run`. */
  const char *name;               /* As the user named it, qualified. */
  const char *file;               /* Source file of its declaration. */
  unsigned line;                  /* Line of its declaration. */
  unsigned n_params;              /* Number of parameters. */
  const char *const *param_names; /* n_params of them. */
  size_t args_bytes;              /* Size of the packed arguments. */
  size_t args_align;              /* Their alignment: a power of two. */
  void (*destroy)(void *args);    /* Null: nothing to destroy. */
  /* Function of the version that the description stands for, or null. Present if struct_bytes covers it. Two
   * descriptions with one linker name describe two tasks if they differ in place
   * or in arguments. So do two that name different functions in one library. Examples: an inline function that two
   * units define differently, instances of a template for types local to a unit, functions of two plugins. Each task
   * keeps the version that its own unit was compiled with. */
  void (*run)(void *args);
} hsched_task_desc;

/* A task and its versions, as the runtime knows them. */
typedef struct hsched_task_type hsched_task_type;
/* One task: between begin and submit for generated code, from push to completed for a policy. */
typedef struct hsched_task hsched_task;

/* Registers a task, or finds it when its linker name is known already. Thread-safe; callable before main. Descriptors
 * are kept by pointer and must live until the program ends, as must everything they point to. */
HSCHED_EXPORT hsched_task_type *hsched_register_task(const hsched_task_desc *task);

/* Registers a version under a task's linker name; the task itself may be registered later, or never. Thread-safe. */
HSCHED_EXPORT void hsched_register_version(const char *task_linker_name, const hsched_version_desc *version);

/* Makes a translation unit's metadata (JSON, see docs/metadata.schema.json) known. Thread-safe. */
HSCHED_EXPORT void hsched_register_metadata(const char *json, size_t bytes);

/* Flags of a submission. */
enum {
  /* Submission returns when the task has run. The submitting thread runs it in place once its predecessors are
   * complete, as a CPU version if there is one. Its children may be unfinished. */
  HSCHED_SUBMIT_UNDEFERRED = 1,
  /* The same for this task and for all its descendants: see hsched_in_final. */
  HSCHED_SUBMIT_FINAL = 2,
  /* `cost` is given. */
  HSCHED_SUBMIT_COST = 4
};

/* How private copies of a datum are made and combined. Two sections use the same reduction if they point to the same
 * operation. A null function has nothing to do. The functions may throw. */
typedef struct hsched_reduction_op {
  size_t struct_bytes;  /* Size of the structure that the caller was compiled with. */
  const char *name;     /* As the user wrote it. */
  size_t element_bytes; /* Size of one element. */
  size_t element_align; /* Alignment of one element. */
  /* Makes n elements in raw memory, each with the value of the identity. `original` is the object reduced into. It may
   * be read only with HSCHED_REDUCTION_ORIGINAL; otherwise it may be out of date. */
  void (*init)(void *copy, const void *original, size_t n);
  void (*combine)(void *into, const void *from, size_t n); /* Combines element by element. May change `from`. */
  void (*destroy)(void *copy, size_t n);                   /* Destroys n elements. */
  unsigned flags;                                          /* HSCHED_REDUCTION_... */
} hsched_reduction_op;

/* Flags of a reduction's operation. */
enum {
  HSCHED_REDUCTION_ORIGINAL = 1 /* The function init reads `original`. */
};

/* The operation of an access of mode HSCHED_REDUCTION. An access without one counts as HSCHED_INOUT. */
typedef struct hsched_reduction {
  unsigned param; /* Parameter of the access. No other access of the task has it. */
  /* The place, in the packed arguments, of the pointer through which versions reach the section. Before a version runs,
   * the runtime adds to that pointer the distance from the section to the private copy. */
  void *slot;
  const hsched_reduction_op *op; /* Lives as long as the program. */
} hsched_reduction;

/* Kinds of workers, to be added up. */
enum {
  HSCHED_WHERE_CPUS = 1,         /* The CPU workers. */
  HSCHED_WHERE_CPU_DEVICES = 2,  /* OpenCL devices that are CPUs. */
  HSCHED_WHERE_GPUS = 4,         /* GPUs. */
  HSCHED_WHERE_ACCELERATORS = 8, /* Accelerators. */
  HSCHED_WHERE_PREFERRED = 16    /* If none of these workers can run the task, any other may. */
};

/* Workers of the process's own engine: the union of the three fields. Since minor 8. */
typedef struct hsched_place {
  size_t struct_bytes;           /* Size of the structure that the caller was compiled with. */
  unsigned kinds;                /* HSCHED_WHERE_... */
  unsigned reserved;             /* 0. */
  unsigned long long devices;    /* Bit i: the device that is number i among the devices. */
  unsigned long long workers[8]; /* Bit i % 64 of workers[i / 64]: worker i, as hsched_workers has them. */
} hsched_place;

/* Hints of one submission; a null pointer stands for all zero. */
typedef struct hsched_submit_options {
  size_t struct_bytes; /* Size of the structure that the caller was compiled with. */
  int priority;        /* Greater is more urgent. */
  const char *label;   /* Copied; null: the task's name. */
  /* Since minor 1. */
  unsigned flags;        /* HSCHED_SUBMIT_... */
  unsigned n_reductions; /* Number of reductions. */
  double cost;           /* Work in the user's own unit. It replaces bytes in the size class. Below 0: none given. */
  const hsched_reduction *reductions; /* n_reductions of them, copied. */
  /* Since minor 8. Only these workers may run the task, within the open scopes. Null: any worker. The task fails if
   * none of them can run it. */
  const hsched_place *where;
} hsched_submit_options;

/* Begins a submission. The caller constructs the packed arguments at *args (args_bytes, args_align of the type) and
 * fills n_accesses entries at *accesses. It then calls hsched_task_submit, or hsched_task_abandon if a constructor
 * threw. One thread does all of this. Throws std::bad_alloc. May run other tasks when the window is full. */
HSCHED_EXPORT hsched_task *hsched_task_begin(hsched_task_type *type, unsigned n_accesses, hsched_access **accesses,
                                             void **args);
/* Submits the task that hsched_task_begin returned. A null pointer: no options. */
HSCHED_EXPORT void hsched_task_submit(hsched_task *task, const hsched_submit_options *options);
/* Ends a submission without a task. The packed arguments must have been destroyed. */
HSCHED_EXPORT void hsched_task_abandon(hsched_task *task);

/* Non-zero if the calling thread runs a final task (HSCHED_SUBMIT_FINAL) or a descendant of one. A
 * plain call of the CPU version then replaces a submission. A submission runs in place. Since minor 1.
 * */
HSCHED_EXPORT int hsched_in_final(void);

/* From enter to leave, tasks that the body on the calling thread submits run only on these workers. Open outer scopes
 * restrict them too. Children of these tasks are not restricted. The caller owns the memory; the runtime fills it. One
 * thread enters and leaves, in stack order. Since minor 8. */
typedef struct hsched_scope {
  hsched_place where;         /* The workers. */
  const void *body;           /* The runtime's: the body that opened the scope. */
  struct hsched_scope *outer; /* The runtime's: the next open scope of the thread. */
} hsched_scope;
/* Opens a scope. `where` is copied. */
HSCHED_EXPORT void hsched_scope_enter(hsched_scope *scope, const hsched_place *where);
/* Closes the thread's innermost scope. */
HSCHED_EXPORT void hsched_scope_leave(hsched_scope *scope);
/* How many workers there are of these. Starts the engine, and waits for devices. Since minor 8. */
HSCHED_EXPORT size_t hsched_count_workers(const hsched_place *where);
/* The number of the worker that runs the calling body, as in hsched_place's workers. 0 on the main thread and on any
 * thread that is no worker. Two bodies that run at the same time have different numbers. Exceptions are a body that
 * waits, and a loop that a thread which is no worker shares out. Since minor 9. */
HSCHED_EXPORT unsigned hsched_this_worker(void);

/* The number of iterations of a loop for each task if the program does not give one; at least one. Every CPU worker
 * gets several chunks, for load balance. 0 for 0. Since minor 1. */
HSCHED_EXPORT unsigned long long hsched_default_grain(unsigned long long iterations);

/* A loop whose iterations are shared out; static, `state` all zero: the runtime keeps there how long iterations take.
 * Since minor 7. */
typedef struct hsched_shared_loop {
  size_t struct_bytes;         /* Size of the structure that the caller was compiled with. */
  const char *name;            /* "f:12" */
  const char *file;            /* Source file of the loop. */
  unsigned line;               /* Line of the loop. */
  unsigned long long state[8]; /* The runtime's. */
} hsched_shared_loop;

/* One thread's part of a loop. */
typedef struct hsched_loop_share hsched_loop_share;

/* Begins a loop of n iterations, n > 0, after the children of the calling task are complete and their data at home, as
 * after hsched_taskwait. Zero: the caller runs all iterations in place, then calls hsched_loop_end with the same
 * *began. Else it calls hsched_loop_run. Throws what a wait throws. Since minor 7. */
HSCHED_EXPORT int hsched_loop_begin(hsched_shared_loop *loop, unsigned long long n, unsigned long long *began);
/* Waits for the tasks that the iterations submitted. Throws what a wait throws. */
HSCHED_EXPORT void hsched_loop_end(hsched_shared_loop *loop, unsigned long long n, unsigned long long began);
/* The calling thread and idle workers call work(closure, share). Returns when all iterations, and the tasks that
 * they submitted, have run. Each call asks for iterations with hsched_loop_next until there are none left. grain:
 * iterations at a time; 0: chosen by measured time. Throws what a call threw; some iterations have then not run.
 * */
HSCHED_EXPORT void hsched_loop_run(hsched_shared_loop *loop, unsigned long long n, unsigned long long grain,
                                   void (*work)(void *closure, hsched_loop_share *share), void *closure);
/* Takes a chunk: the caller runs iterations [*from, *from + *count). Zero: none are left. */
HSCHED_EXPORT int hsched_loop_next(hsched_loop_share *share, unsigned long long *from, unsigned long long *count);

/* Iterations of one task if a loop's chunks are tasks. Computed from the times reported by hsched_loop_ran; without
 * one, as hsched_default_grain. Since minor 7. */
HSCHED_EXPORT unsigned long long hsched_loop_grain(const hsched_shared_loop *loop, unsigned long long n);
/* n iterations have run since hsched_loop_clock returned `began`. Any thread. */
HSCHED_EXPORT void hsched_loop_ran(hsched_shared_loop *loop, unsigned long long n, unsigned long long began);
/* A moment, for `began`. */
HSCHED_EXPORT unsigned long long hsched_loop_clock(void);

/* Flags of a wait. */
enum {
  HSCHED_WAIT_NOFLUSH = 1 /* Data stay on the devices. */
};

/* Waits for the children of the calling task; outside any task, for all tasks that any thread submitted outside a task.
 * Throws what a child threw, or hsched::task_error if a child could not be run. A failure is thrown once, by the first
 * wait that finds it. */
HSCHED_EXPORT void hsched_taskwait(unsigned flags);

/* Waits until the last writers of the named sections, in the caller's program order, are complete. */
HSCHED_EXPORT void hsched_taskwait_on(const hsched_access *sections, unsigned n_sections, unsigned flags);

/* Allocates pinned memory, which devices copy at full speed. It is page-aligned and zero. Returns null if there is no
 * memory, and for 0 bytes. Starts the runtime. It costs more than malloc, so it is for large data that live long. Free
 * it when no unfinished task names it. Since minor 1. */
HSCHED_EXPORT void *hsched_malloc(size_t bytes);
/* Releases memory of hsched_malloc. Null has no effect. Any thread. */
HSCHED_EXPORT void hsched_free(void *memory);

/* Drops the devices' copies of the bytes at memory. hsched_free does so for its own memory. Call it before other
 * memory is freed if a device may hold newer bytes. That is so after a task wrote them and before a wait brought
 * them home. No unfinished task may name the bytes. Their values are undefined afterwards. Any thread. Since minor
 * 4. */
HSCHED_EXPORT void hsched_discard(const void *memory, size_t bytes);

/* Transfers between memories since the start, and how often data were valid where a task needed them. Devices that
 * share host memory are not counted. */
typedef struct hsched_traffic {
  size_t struct_bytes; /* Bytes that the runtime has filled. */
  const char *device;  /* Null: the sum over all devices. */
  const char *task;    /* Name of a task type. Null: the sum over all types. "": write-backs and waits. */
  /* Counted as in OmpSs: a copy to each of two devices counts twice. */
  unsigned long long input_bytes;   /* From host memory to the device. */
  unsigned long long output_bytes;  /* From the device to host memory. */
  unsigned long long device_bytes;  /* From another device to this one. */
  unsigned long long inputs;        /* Number of transfers from host memory. */
  unsigned long long outputs;       /* Number of transfers to host memory. */
  unsigned long long device_copies; /* Number of transfers from another device. */
  unsigned long long lookups;       /* Number of sections that tasks on the device read. */
  unsigned long long hits; /* How many of these were wholly valid there then. hits / lookups is XKaapi's hit ratio. */
} hsched_traffic;

/* How hsched_traffic_snapshot divides the counts; to be added up. */
enum {
  HSCHED_TRAFFIC_BY_DEVICE = 1, /* An entry for each device. */
  HSCHED_TRAFFIC_BY_TASK = 2    /* An entry for each task type. */
};

/* Writes one entry for each device and task type, as `by` asks, to an array of n entries of entry_bytes bytes
 * (sizeof(hsched_traffic)). Writes at most n; returns how many there are. None before the first task or without a
 * device. A transfer is counted at its end, so the sums are exact after a wait. Strings live as long as the program.
 * Thread-safe, also while tasks run. Since minor 1. */
HSCHED_EXPORT size_t hsched_traffic_snapshot(unsigned by, hsched_traffic *entries, size_t n, size_t entry_bytes);

/* For the `run` function of a version for OpenCL devices, on its thread, until it returns. Elsewhere these
 * functions throw std::logic_error. Handles are OpenCL's own (cl_command_queue, ...). The caller does not release
 * them.
 *
 * The queue is in order. Its commands run after the task's predecessors and after its data have arrived. The task is
 * complete when they are. Such a function neither submits tasks nor waits for any. <hsched/opencl.h> has these
 * functions with OpenCL's types. Since minor 1. */
HSCHED_EXPORT void *hsched_opencl_queue(void);
/* The context of that queue. */
HSCHED_EXPORT void *hsched_opencl_context(void);
/* The device of that queue. */
HSCHED_EXPORT void *hsched_opencl_device(void);

/* The cl_mem that holds the device's copy of the byte at a host address, and the byte's offset in it. Throws
 * std::invalid_argument if the address is in none of the task's sections. A section without bytes has a null cl_mem.
 * The pointer is not to const because the caller may write to the buffer; this function reads and writes nothing. For
 * rows of a packed tile see hsched_packed_place. */
HSCHED_EXPORT void *hsched_opencl_buffer(void *address, size_t *offset);

/* The task completes after this event, and fails if the event fails. For work on other queues than
 * hsched_opencl_queue's. The event is a cl_event of the same context; it is retained. Throws std::invalid_argument for
 * another context, std::runtime_error if the driver refuses the wait. */
HSCHED_EXPORT void hsched_opencl_await(void *event);

/* The running library's ABI, as major * 1000 + minor. */
HSCHED_EXPORT unsigned hsched_abi_version(void);

#ifdef __cplusplus
}
#endif
#endif
