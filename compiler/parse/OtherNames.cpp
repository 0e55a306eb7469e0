// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/OtherNames.h"

#include "llvm/ADT/StringSwitch.h"

namespace hsched::cc {

llvm::StringRef adviceForDirective(llvm::StringRef Name) {
  return llvm::StringSwitch<llvm::StringRef>(Name)
      .Case("parallel", "its threads wait for tasks from the start; for a loop write '#pragma hsched for', for blocks "
                        "'#pragma hsched task' before each")
      .Cases("single", "master", "masked", "one thread runs what is outside tasks: leave the directive out")
      .Cases("sections", "section",
             "write '#pragma hsched task' before each block, and '#pragma hsched taskwait' behind")
      .Case("barrier", "write '#pragma hsched taskwait'")
      .Case("critical", "use a std::mutex, or 'commutative(x)' on the tasks that update x")
      .Case("atomic", "use std::atomic or std::atomic_ref, or 'reduction(op: x)' on the loop")
      .Case("ordered", "write a task for each iteration with the data that order them, in(x) and inout(y)")
      .Case("simd", "write '#pragma omp simd' and -fopenmp-simd: it is allowed in a task")
      .Cases("target", "teams", "distribute",
             "write a version with 'implements(f) device(opencl)', see docs/language.md")
      .Case("taskyield", "leave it out: a thread that waits runs other tasks")
      .Case("flush", "leave it out: what a task writes is seen by those that come after it")
      .Case("threadprivate", "write 'thread_local'")
      .Cases("cancel", "cancellation", "throw an exception: tasks that come after the failed one are cancelled")
      .Case("loop", "write '#pragma hsched for'")
      .Case("scope", "leave it out")
      .Cases("allocate", "allocators",
             "use an allocator of the language, or hsched::allocator for memory that devices copy fast")
      .Cases("assume", "assumes", "nothing", "requires", "leave it out")
      .Cases("begin", "end", "write the directive itself, with '#pragma hsched', before each function")
      .Cases("depobj", "iterator", "name the data where they are used, as in in(x) and inout(y)")
      .Case("dispatch", "call the task: the version is chosen when it runs")
      .Case("error", "write '#error' or static_assert")
      .Case("interop", "write a version with a body for the device, which asks hsched::opencl_queue()")
      .Cases("metadirective", "variant", "write a version with 'implements(f)', or use '#if'")
      .Case("mapper", "name the data behind each pointer in the clauses")
      .Case("scan", "write a loop for the sums of blocks, one for the blocks, and one for the elements")
      .Cases("tile", "unroll", "reverse", "interchange", "fuse",
             "change the loop by hand, or leave it to '#pragma GCC unroll n' and the host compiler")
      .Case("workshare", "write '#pragma hsched for' before each loop")
      .Case("taskfor", "write '#pragma hsched for'")
      .Case("release", "a task's data are released when it ends: make what comes after them a task of its own")
      .Default("");
}

llvm::StringRef adviceForClause(llvm::StringRef Name) {
  return llvm::StringSwitch<llvm::StringRef>(Name)
      .Case("schedule", "chunks are sized by the time that iterations take; write grainsize(n) for a size of your own")
      .Case("num_threads", "set HSCHED_NCPU in the environment")
      .Case("num_tasks", "write grainsize(n), with n iterations for each task")
      .Case("default", "leave it out: what is not named is copied into a task, and a 'for' works on the variables")
      .Case("lastprivate", "write out(x) on a task, or set x behind the loop")
      .Case("linear", "compute the variable from the loop's variable")
      .Cases("copyin", "copyprivate", "pass the value by firstprivate(x)")
      .Case("ordered", "write a task for each iteration with the data that order them")
      .Case("proc_bind", "set HSCHED_PIN=1 in the environment")
      .Case("untied", "leave it out: tasks stay on their threads")
      .Case("mergeable", "leave it out")
      .Case("nogroup", "leave it out: a taskloop does not wait")
      .Case("detach", "write a version for the device, or wait inside the task")
      .Case("affinity", "leave it out: data are taken into account by every policy that knows where they are")
      .Case("in_reduction", "write reduction(op: x) on each task")
      .Case("task_reduction", "write reduction(op: x) on each task")
      .Case("allocate", "leave it out")
      .Case("simdlen", "write '#pragma omp simd' in front of the inner loop")
      .Case("safelen", "write '#pragma omp simd' in front of the inner loop")
      .Case("copy_deps", "leave it out: what the data clauses name is copied")
      .Cases("copy_in", "copy_out", "copy_inout", "write in, out or inout: what they name is copied")
      .Case("no_copy_deps", "versions that run on the CPU are given no copies")
      .Case("target", "write 'device(...)' on the version")
      .Case("file", "write kernel(\"file.cl\", \"name\")")
      .Case("name", "write kernel(\"file.cl\", \"name\")")
      .Case("shmem", "write args(..., local(bytes), ...)")
      .Case("chunksize", "write grainsize(n)")
      .Case("onready", "leave it out, and do it in the task")
      .Case("wait", "write 'taskwait' at the end of the task's body")
      .Case("reductionset", "write reduction(op: x)")
      .Cases("read", "write", "update", "capture", "compare", "use std::atomic or std::atomic_ref")
      .Cases("acquire", "release", "acq_rel", "seq_cst", "relaxed",
             "use std::atomic or std::atomic_ref: their functions take the order")
      .Cases("fail", "hint", "weak", "use std::atomic or std::atomic_ref")
      .Cases("map", "to", "from", "tofrom", "defaultmap",
             "write in(x), out(x) or inout(x): what they name is copied to the device and back")
      .Cases("is_device_ptr", "use_device_ptr", "use_device_addr", "has_device_addr",
             "name the data by their address on the host: a version gets the device's")
      .Cases("enter", "link", "indirect", "device_type", "leave it out: the version says where it runs")
      .Cases("num_teams", "thread_limit", "dist_schedule", "write ndrange(global; local) on the version")
      .Cases("uses_allocators", "allocator", "align", "leave it out")
      .Case("aligned", "write __builtin_assume_aligned in the body")
      .Cases("nontemporal", "inbranch", "notinbranch", "uniform", "write '#pragma omp simd' in front of the inner loop")
      .Cases("order", "bind", "leave it out: the iterations of a 'for' have no order")
      .Case("filter", "leave it out: one thread runs what is outside tasks")
      .Cases("doacross", "depobj", "name the data that order the iterations, in(x) and inout(y)")
      .Cases("inclusive", "exclusive",
             "write a loop for the sums of blocks, one for the blocks, and one for the elements")
      .Cases("sizes", "full", "partial", "change the loop by hand, or write '#pragma GCC unroll n'")
      .Cases("match", "adjust_args", "append_args", "when", "otherwise", "write a version with 'implements(f)'")
      .Cases("novariants", "nocontext", "set HSCHED_VERSIONS in the environment")
      .Cases("init", "use", "destroy", "write a version with a body for the device")
      .Cases("at", "message", "severity", "write '#error' or static_assert")
      .Cases("threads", "parallel", "sections", "leave it out")
      .Case("simd", "write '#pragma omp simd' in front of the inner loop")
      .Cases("absent", "contains", "holds", "no_openmp", "no_openmp_routines", "no_parallelism", "leave it out")
      .Cases("unified_address", "unified_shared_memory", "reverse_offload", "dynamic_allocators",
             "atomic_default_mem_order", "leave it out")
      .Case("initializer", "write it behind '#pragma hsched declare reduction(...)'")
      .Case("looprange", "change the loop by hand")
      .Default("");
}

std::string similarClause(llvm::StringRef Name) {
  llvm::StringRef Best;
  unsigned Least = Name.size() < 5 ? 2 : 3; // Of a longer name, two letters may be wrong.
  for (llvm::StringRef Known :
       {"in",           "out",     "inout",     "concurrent", "commutative", "reduction", "shared",
        "firstprivate", "private", "unused",    "device",     "if",          "final",     "implements",
        "priority",     "label",   "cost",      "where",      "kernel",      "ndrange",   "args",
        "options",      "packed",  "grainsize", "collapse",   "on",          "nowait",    "noflush"})
    if (const unsigned Distance = Name.edit_distance(Known, true, Least); Distance < Least && Distance < Known.size()) {
      Best = Known;
      Least = Distance;
    }
  return Best.empty() ? "" : "; perhaps '" + Best.str() + "' is meant";
}

} // namespace hsched::cc
