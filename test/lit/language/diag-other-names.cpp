// What OpenMP and OmpSs-2 have and hsched has not: told by name, with what to write instead.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s 
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'parallel': its threads wait for tasks from the start; for a loop write '#pragma hsched for', for blocks '#pragma hsched task' on each
#pragma hsched parallel
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'single': one thread runs what is outside tasks: leave the directive out
#pragma hsched single
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'master': one thread runs what is outside tasks: leave the directive out
#pragma hsched master
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'masked': one thread runs what is outside tasks: leave the directive out
#pragma hsched masked
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'sections': write '#pragma hsched task' on each block, and '#pragma hsched taskwait' behind
#pragma hsched sections
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'section': write '#pragma hsched task' on each block, and '#pragma hsched taskwait' behind
#pragma hsched section
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'barrier': write '#pragma hsched taskwait'
#pragma hsched barrier
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'critical': use a std::mutex, or 'commutative(x)' on the tasks that update x
#pragma hsched critical
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'atomic': use std::atomic or std::atomic_ref, or 'reduction(op: x)' on the loop
#pragma hsched atomic
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'ordered': write a task for each iteration with the data that order them, in(x) and inout(y)
#pragma hsched ordered
// CHECK: [[@LINE+1]]:16: error: hsched has no directive 'simd': write '#pragma omp simd' and -fopenmp-simd: it may stand in a task
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
