// Many tasks, one after the other, in memory that does not grow with their number.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   many_tasks N: a tenth of N tasks, then the rest. Fails if resident memory is greater after those than after the
//   first ones by more than what threads may keep for themselves, or if not all have run. How they are run is the
//   environment's to say.
#include <hsched/abi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <numeric>

#include <unistd.h>

namespace {

constexpr size_t Most = size_t(4) << 20; // Bytes: less than one a task.

struct Args {
  long *Datum;
};
const hsched_task_desc Task = {sizeof(hsched_task_desc),
                               HSCHED_ABI_MAJOR,
                               HSCHED_ABI_MINOR,
                               "test_many",
                               "many",
                               __FILE__,
                               __LINE__,
                               0,
                               nullptr,
                               sizeof(Args),
                               alignof(Args),
                               nullptr,
                               nullptr};
const hsched_version_desc Version = {sizeof(hsched_version_desc),
                                     "test_many",
                                     "many",
                                     __FILE__,
                                     __LINE__,
                                     HSCHED_DEVICE_CPU,
                                     HSCHED_TYPE_ANY,
                                     [](void *A) { ++*static_cast<Args *>(A)->Datum; },
                                     nullptr,
                                     nullptr,
                                     nullptr};

size_t residentBytes() {
  size_t Pages = 0, Resident = 0;
  std::FILE *File = std::fopen("/proc/self/statm", "r");
  if (!File || std::fscanf(File, "%zu %zu", &Pages, &Resident) != 2)
    std::exit(2);
  std::fclose(File);
  return Resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Each comes after the one before it on the same datum.
std::array<long, 64> Data;

void run(hsched_task_type *Type, long Tasks) {
  for (long I = 0; I < Tasks; ++I) {
    long &Datum = Data[static_cast<size_t>(I) % Data.size()];
    hsched_access *Accesses;
    void *Packed;
    hsched_task *T = hsched_task_begin(Type, 1, &Accesses, &Packed);
    new (Packed) Args{&Datum};
    Accesses[0] = {&Datum, sizeof(Datum), 1, 0, HSCHED_INOUT, HSCHED_NO_PARAM};
    hsched_task_submit(T, nullptr);
  }
  hsched_taskwait(0);
}

} // namespace

int main(int Count, char **Given) {
  const long Tasks = Count > 1 ? std::atol(Given[1]) : 0;
  hsched_register_version(Task.linker_name, &Version);
  hsched_task_type *Type = hsched_register_task(&Task);
  run(Type, Tasks / 10);
  const size_t Before = residentBytes();
  run(Type, Tasks - Tasks / 10);
  const size_t After = residentBytes();
  const long Ran = std::accumulate(Data.begin(), Data.end(), 0L);
  std::printf("%ld of %ld tasks have run; resident: %zu KiB after a tenth, %zu KiB after all\n", Ran, Tasks,
              Before / 1024, After / 1024);
  return Tasks > 0 && Ran == Tasks && After <= Before + Most ? 0 : 1;
}
