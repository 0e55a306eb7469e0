// What OpenMP and OmpSs-2 have and hsched has not: told by name, with what to write instead.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s 
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'parallel': its threads wait for tasks from the start; for a loop write '#pragma hsched for', for blocks '#pragma hsched task' before each
#pragma hsched parallel
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'single': one thread runs what is outside tasks: leave the directive out
#pragma hsched single
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'master': one thread runs what is outside tasks: leave the directive out
#pragma hsched master
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'masked': one thread runs what is outside tasks: leave the directive out
#pragma hsched masked
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'sections': write '#pragma hsched task' before each block, and '#pragma hsched taskwait' behind
#pragma hsched sections
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'section': write '#pragma hsched task' before each block, and '#pragma hsched taskwait' behind
#pragma hsched section
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'barrier': write '#pragma hsched taskwait'
#pragma hsched barrier
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'critical': use a std::mutex, or 'commutative(x)' on the tasks that update x
#pragma hsched critical
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'atomic': use std::atomic or std::atomic_ref, or 'reduction(op: x)' on the loop
#pragma hsched atomic
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'ordered': write a task for each iteration with the data that order them, in(x) and inout(y)
#pragma hsched ordered
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'simd': write '#pragma omp simd' and -fopenmp-simd: it is allowed in a task
#pragma hsched simd
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'target': write a version with 'implements(f) device(opencl)', see docs/language.md
#pragma hsched target
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'teams': write a version with 'implements(f) device(opencl)', see docs/language.md
#pragma hsched teams
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'distribute': write a version with 'implements(f) device(opencl)', see docs/language.md
#pragma hsched distribute
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'taskyield': leave it out: a thread that waits runs other tasks
#pragma hsched taskyield
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'flush': leave it out: what a task writes is seen by those that come after it
#pragma hsched flush
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'threadprivate': write 'thread_local'
#pragma hsched threadprivate
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'cancel': throw an exception: tasks that come after the failed one are cancelled
#pragma hsched cancel
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'cancellation': throw an exception: tasks that come after the failed one are cancelled
#pragma hsched cancellation
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'loop': write '#pragma hsched for'
#pragma hsched loop
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'scope': leave it out
#pragma hsched scope
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'release': a task's data are released when it ends: make what comes after them a task of its own
#pragma hsched release
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'schedule': chunks are sized by the time that iterations take; write grainsize(n) for a size of your own
#pragma hsched task schedule(x)
void of_schedule(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'num_threads': set HSCHED_NCPU in the environment
#pragma hsched task num_threads(x)
void of_num_threads(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'num_tasks': write grainsize(n), with n iterations for each task
#pragma hsched task num_tasks(x)
void of_num_tasks(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'default': leave it out: what is not named is copied into a task, and a 'for' works on the variables
#pragma hsched task default(x)
void of_default(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'lastprivate': write out(x) on a task, or set x behind the loop
#pragma hsched task lastprivate(x)
void of_lastprivate(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'linear': compute the variable from the loop's variable
#pragma hsched task linear(x)
void of_linear(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'copyin': pass the value by firstprivate(x)
#pragma hsched task copyin(x)
void of_copyin(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'copyprivate': pass the value by firstprivate(x)
#pragma hsched task copyprivate(x)
void of_copyprivate(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'ordered': write a task for each iteration with the data that order them
#pragma hsched task ordered(x)
void of_ordered(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'proc_bind': set HSCHED_PIN=1 in the environment
#pragma hsched task proc_bind(x)
void of_proc_bind(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'untied': leave it out: tasks stay on their threads
#pragma hsched task untied(x)
void of_untied(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'mergeable': leave it out
#pragma hsched task mergeable(x)
void of_mergeable(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'nogroup': leave it out: a taskloop does not wait
#pragma hsched task nogroup(x)
void of_nogroup(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'detach': write a version for the device, or wait inside the task
#pragma hsched task detach(x)
void of_detach(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'affinity': leave it out: data are taken into account by every policy that knows where they are
#pragma hsched task affinity(x)
void of_affinity(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'in_reduction': write reduction(op: x) on each task
#pragma hsched task in_reduction(x)
void of_in_reduction(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'task_reduction': write reduction(op: x) on each task
#pragma hsched task task_reduction(x)
void of_task_reduction(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'allocate': leave it out
#pragma hsched task allocate(x)
void of_allocate(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'simdlen': write '#pragma omp simd' in front of the inner loop
#pragma hsched task simdlen(x)
void of_simdlen(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'safelen': write '#pragma omp simd' in front of the inner loop
#pragma hsched task safelen(x)
void of_safelen(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'copy_deps': leave it out: what the data clauses name is copied
#pragma hsched task copy_deps(x)
void of_copy_deps(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'copy_in': write in, out or inout: what they name is copied
#pragma hsched task copy_in(x)
void of_copy_in(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'copy_out': write in, out or inout: what they name is copied
#pragma hsched task copy_out(x)
void of_copy_out(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'copy_inout': write in, out or inout: what they name is copied
#pragma hsched task copy_inout(x)
void of_copy_inout(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'no_copy_deps': versions that run on the CPU are given no copies
#pragma hsched task no_copy_deps(x)
void of_no_copy_deps(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'target': write 'device(...)' on the version
#pragma hsched task target(x)
void of_target(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'file': write kernel("file.cl", "name")
#pragma hsched task file(x)
void of_file(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'name': write kernel("file.cl", "name")
#pragma hsched task name(x)
void of_name(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'shmem': write args(..., local(bytes), ...)
#pragma hsched task shmem(x)
void of_shmem(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'chunksize': write grainsize(n)
#pragma hsched task chunksize(x)
void of_chunksize(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'onready': leave it out, and do it in the task
#pragma hsched task onready(x)
void of_onready(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'wait': write 'taskwait' at the end of the task's body
#pragma hsched task wait(x)
void of_wait(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'reductionset': write reduction(op: x)
#pragma hsched task reductionset(x)
void of_reductionset(int *x);
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'allocators': use an allocator of the language, or hsched::allocator for memory that devices copy fast
#pragma hsched allocators
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'assume': leave it out
#pragma hsched assume
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'assumes': leave it out
#pragma hsched assumes
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'begin': write the directive itself, with '#pragma hsched', before each function
#pragma hsched begin
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'depobj': name the data where they are used, as in in(x) and inout(y)
#pragma hsched depobj
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'dispatch': call the task: the version is chosen when it runs
#pragma hsched dispatch
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'end': write the directive itself, with '#pragma hsched', before each function
#pragma hsched end
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'error': write '#error' or static_assert
#pragma hsched error
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'interop': write a version with a body for the device, which asks hsched::opencl_queue()
#pragma hsched interop
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'metadirective': write a version with 'implements(f)', or use '#if'
#pragma hsched metadirective
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'nothing': leave it out
#pragma hsched nothing
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'requires': leave it out
#pragma hsched requires
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'scan': write a loop for the sums of blocks, one for the blocks, and one for the elements
#pragma hsched scan
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'tile': change the loop by hand, or leave it to '#pragma GCC unroll n' and the host compiler
#pragma hsched tile
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'unroll': change the loop by hand, or leave it to '#pragma GCC unroll n' and the host compiler
#pragma hsched unroll
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'workshare': write '#pragma hsched for' before each loop
#pragma hsched workshare
// CHECK: [[@LINE+1]]:24: error: hsched has no directive 'declare mapper': name the data behind each pointer in the clauses
#pragma hsched declare mapper
// CHECK: [[@LINE+1]]:24: error: hsched has no directive 'declare simd': write '#pragma omp simd' and -fopenmp-simd: it is allowed in a task
#pragma hsched declare simd
// CHECK: [[@LINE+1]]:24: error: hsched has no directive 'declare target': write a version with 'implements(f) device(opencl)', see docs/language.md
#pragma hsched declare target
// CHECK: [[@LINE+1]]:24: error: hsched has no directive 'declare variant': write a version with 'implements(f)', or use '#if'
#pragma hsched declare variant
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'absent': leave it out
#pragma hsched task absent(x)
void of_absent(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'acq_rel': use std::atomic or std::atomic_ref: their functions take the order
#pragma hsched task acq_rel(x)
void of_acq_rel(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'acquire': use std::atomic or std::atomic_ref: their functions take the order
#pragma hsched task acquire(x)
void of_acquire(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'adjust_args': write a version with 'implements(f)'
#pragma hsched task adjust_args(x)
void of_adjust_args(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'align': leave it out
#pragma hsched task align(x)
void of_align(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'aligned': write __builtin_assume_aligned in the body
#pragma hsched task aligned(x)
void of_aligned(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'allocator': leave it out
#pragma hsched task allocator(x)
void of_allocator(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'append_args': write a version with 'implements(f)'
#pragma hsched task append_args(x)
void of_append_args(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'at': write '#error' or static_assert
#pragma hsched task at(x)
void of_at(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'atomic_default_mem_order': leave it out
#pragma hsched task atomic_default_mem_order(x)
void of_atomic_default_mem_order(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'bind': leave it out: the iterations of a 'for' have no order
#pragma hsched task bind(x)
void of_bind(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'capture': use std::atomic or std::atomic_ref
#pragma hsched task capture(x)
void of_capture(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'compare': use std::atomic or std::atomic_ref
#pragma hsched task compare(x)
void of_compare(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'contains': leave it out
#pragma hsched task contains(x)
void of_contains(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'defaultmap': write in(x), out(x) or inout(x): what they name is copied to the device and back
#pragma hsched task defaultmap(x)
void of_defaultmap(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'destroy': write a version with a body for the device
#pragma hsched task destroy(x)
void of_destroy(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'device_type': leave it out: the version says where it runs
#pragma hsched task device_type(x)
void of_device_type(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'dist_schedule': write ndrange(global; local) on the version
#pragma hsched task dist_schedule(x)
void of_dist_schedule(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'doacross': name the data that order the iterations, in(x) and inout(y)
#pragma hsched task doacross(x)
void of_doacross(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'dynamic_allocators': leave it out
#pragma hsched task dynamic_allocators(x)
void of_dynamic_allocators(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'enter': leave it out: the version says where it runs
#pragma hsched task enter(x)
void of_enter(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'exclusive': write a loop for the sums of blocks, one for the blocks, and one for the elements
#pragma hsched task exclusive(x)
void of_exclusive(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'fail': use std::atomic or std::atomic_ref
#pragma hsched task fail(x)
void of_fail(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'filter': leave it out: one thread runs what is outside tasks
#pragma hsched task filter(x)
void of_filter(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'from': write in(x), out(x) or inout(x): what they name is copied to the device and back
#pragma hsched task from(x)
void of_from(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'full': change the loop by hand, or write '#pragma GCC unroll n'
#pragma hsched task full(x)
void of_full(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'has_device_addr': name the data by their address on the host: a version gets the device's
#pragma hsched task has_device_addr(x)
void of_has_device_addr(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'hint': use std::atomic or std::atomic_ref
#pragma hsched task hint(x)
void of_hint(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'holds': leave it out
#pragma hsched task holds(x)
void of_holds(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'inbranch': write '#pragma omp simd' in front of the inner loop
#pragma hsched task inbranch(x)
void of_inbranch(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'inclusive': write a loop for the sums of blocks, one for the blocks, and one for the elements
#pragma hsched task inclusive(x)
void of_inclusive(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'indirect': leave it out: the version says where it runs
#pragma hsched task indirect(x)
void of_indirect(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'init': write a version with a body for the device
#pragma hsched task init(x)
void of_init(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'initializer': write it behind '#pragma hsched declare reduction(...)'
#pragma hsched task initializer(x)
void of_initializer(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'is_device_ptr': name the data by their address on the host: a version gets the device's
#pragma hsched task is_device_ptr(x)
void of_is_device_ptr(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'link': leave it out: the version says where it runs
#pragma hsched task link(x)
void of_link(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'map': write in(x), out(x) or inout(x): what they name is copied to the device and back
#pragma hsched task map(x)
void of_map(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'match': write a version with 'implements(f)'
#pragma hsched task match(x)
void of_match(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'message': write '#error' or static_assert
#pragma hsched task message(x)
void of_message(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'no_openmp': leave it out
#pragma hsched task no_openmp(x)
void of_no_openmp(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'no_openmp_routines': leave it out
#pragma hsched task no_openmp_routines(x)
void of_no_openmp_routines(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'no_parallelism': leave it out
#pragma hsched task no_parallelism(x)
void of_no_parallelism(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'nocontext': set HSCHED_VERSIONS in the environment
#pragma hsched task nocontext(x)
void of_nocontext(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'nontemporal': write '#pragma omp simd' in front of the inner loop
#pragma hsched task nontemporal(x)
void of_nontemporal(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'notinbranch': write '#pragma omp simd' in front of the inner loop
#pragma hsched task notinbranch(x)
void of_notinbranch(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'novariants': set HSCHED_VERSIONS in the environment
#pragma hsched task novariants(x)
void of_novariants(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'num_teams': write ndrange(global; local) on the version
#pragma hsched task num_teams(x)
void of_num_teams(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'order': leave it out: the iterations of a 'for' have no order
#pragma hsched task order(x)
void of_order(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'otherwise': write a version with 'implements(f)'
#pragma hsched task otherwise(x)
void of_otherwise(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'partial': change the loop by hand, or write '#pragma GCC unroll n'
#pragma hsched task partial(x)
void of_partial(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'read': use std::atomic or std::atomic_ref
#pragma hsched task read(x)
void of_read(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'relaxed': use std::atomic or std::atomic_ref: their functions take the order
#pragma hsched task relaxed(x)
void of_relaxed(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'reverse_offload': leave it out
#pragma hsched task reverse_offload(x)
void of_reverse_offload(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'seq_cst': use std::atomic or std::atomic_ref: their functions take the order
#pragma hsched task seq_cst(x)
void of_seq_cst(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'severity': write '#error' or static_assert
#pragma hsched task severity(x)
void of_severity(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'sizes': change the loop by hand, or write '#pragma GCC unroll n'
#pragma hsched task sizes(x)
void of_sizes(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'thread_limit': write ndrange(global; local) on the version
#pragma hsched task thread_limit(x)
void of_thread_limit(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'threads': leave it out
#pragma hsched task threads(x)
void of_threads(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'to': write in(x), out(x) or inout(x): what they name is copied to the device and back
#pragma hsched task to(x)
void of_to(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'unified_address': leave it out
#pragma hsched task unified_address(x)
void of_unified_address(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'unified_shared_memory': leave it out
#pragma hsched task unified_shared_memory(x)
void of_unified_shared_memory(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'uniform': write '#pragma omp simd' in front of the inner loop
#pragma hsched task uniform(x)
void of_uniform(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'update': use std::atomic or std::atomic_ref
#pragma hsched task update(x)
void of_update(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'use': write a version with a body for the device
#pragma hsched task use(x)
void of_use(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'use_device_addr': name the data by their address on the host: a version gets the device's
#pragma hsched task use_device_addr(x)
void of_use_device_addr(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'use_device_ptr': name the data by their address on the host: a version gets the device's
#pragma hsched task use_device_ptr(x)
void of_use_device_ptr(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'uses_allocators': leave it out
#pragma hsched task uses_allocators(x)
void of_uses_allocators(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'weak': use std::atomic or std::atomic_ref
#pragma hsched task weak(x)
void of_weak(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'when': write a version with 'implements(f)'
#pragma hsched task when(x)
void of_when(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no clause 'write': use std::atomic or std::atomic_ref
#pragma hsched task write(x)
void of_write(int *x);
// CHECK: [[@LINE+1]]:21: error: hsched has no 'iterator' in 'depend': write the list of sections, as in in({p[i], i = 0; n})
#pragma hsched task depend(iterator(i = 0:n), in: p[i])
// CHECK: [[@LINE+1]]:21: error: hsched has no 'depend(sink)': name the data, as in in(x) and inout(y)
#pragma hsched task depend(sink: i - 1)
// CHECK: [[@LINE+1]]:21: error: 'depend' takes in, out, inout, mutexinoutset or inoutset, a ':' and what is meant: depend(in: x)
#pragma hsched task depend(x)
// CHECK: [[@LINE+1]]:26: error: clause 'depend' does not belong to 'taskgroup'
#pragma hsched taskgroup depend(in: x)
// CHECK: [[@LINE+1]]:29: error: 'collapse' takes the number of loops, 1 to 8
#pragma hsched for collapse(n)
// CHECK: [[@LINE+1]]:21: error: clause 'collapse' does not belong to 'task'
#pragma hsched task collapse(2)
// CHECK: [[@LINE+1]]:21: error: 'ndrange' has 1 global sizes but 2 offsets
#pragma hsched task ndrange(n; 64; 8, 8)
