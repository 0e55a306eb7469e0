// The library interface beside the pragmas. Every name also works in the serial build, without the library: waits
// return at once, because every task has run at its call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_HSCHED_H
#define HSCHED_HSCHED_H

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__HSCHED__)
#include <hsched/abi.h>
#endif

// All names of the library.
namespace hsched {

// Thrown by a wait if a task could not be run: no version was usable, or memory was exhausted. The text of what() is
// one line with task, device and cause.
class task_error : public std::runtime_error {
public:
  // Makes the text of what() from its parts.
  task_error(std::string task, std::string device, std::string cause)
      : std::runtime_error("task '" + task + "' failed" + (device.empty() ? "" : " on " + device) + ": " + cause),
        task_(std::move(task)), device_(std::move(device)), cause_(std::move(cause)) {}

  // The task's name.
  const std::string &task() const noexcept { return task_; }
  // The device's name. Empty if no device was involved.
  const std::string &device() const noexcept { return device_; }
  // Why it failed: one line.
  const std::string &cause() const noexcept { return cause_; }

private:
  std::string task_, device_, cause_;
};

// A view of a matrix: `rows` times `columns` elements, each row `stride` elements behind the one before. It owns no
// memory. Pass it by value, as std::span. A data clause names it as a whole: inout(t).
template <class T> class tile {
public:
  typedef T element_type;   // The elements' type, as std::span has it.
  typedef void hsched_tile; // hsched-cc recognises a tile by this name.

  // `stride` is in elements.
  constexpr tile(T *data, std::size_t rows, std::size_t columns, std::size_t stride) noexcept
      : data_(data), rows_(rows), columns_(columns), stride_(stride) {}
  // Rows without gaps between them.
  constexpr tile(T *data, std::size_t rows, std::size_t columns) noexcept : tile(data, rows, columns, columns) {}

  // The first element.
  constexpr T *data() const noexcept { return data_; }
  // Number of rows.
  constexpr std::size_t rows() const noexcept { return rows_; }
  // Number of columns.
  constexpr std::size_t columns() const noexcept { return columns_; }
  // Distance of two rows, in elements.
  constexpr std::size_t stride() const noexcept { return stride_; }
  // The first element of a row. Not checked.
  constexpr T *operator[](std::size_t row) const noexcept { return data_ + row * stride_; }
  // One element. Not checked.
  constexpr T &operator()(std::size_t row, std::size_t column) const noexcept { return data_[row * stride_ + column]; }
  // The same tile, to be read only.
  constexpr operator tile<const T>() const noexcept { return {data_, rows_, columns_, stride_}; }

private:
  T *data_;
  std::size_t rows_, columns_, stride_;
};

#if defined(__HSCHED__)
// The function form of #pragma hsched taskwait: waits for the calling task's children and brings their data home.
inline void taskwait() { ::hsched_taskwait(0); }
// The same, but data stay on the devices. The host must not touch them before the next taskwait without noflush.
inline void taskwait_noflush() { ::hsched_taskwait(HSCHED_WAIT_NOFLUSH); }
#else
inline void taskwait() {}
inline void taskwait_noflush() {}
#endif

// Drops the devices' copies of the n objects at p. They are not copied home, so their memory may be freed without a
// wait for all data. No task that names them may be unfinished. The objects' values are undefined afterwards.
#if defined(__HSCHED__)
template <class T> void discard(const T *p, std::size_t n) { ::hsched_discard(p, n * sizeof(T)); }
#else
template <class T> void discard(const T *, std::size_t) {}
#endif

// A set of workers, for the clause where(e) and for `on`. Workers that the machine lacks are not in the set. Empty in
// the serial build.
class place {
public:
#if defined(__HSCHED__)
  place() noexcept : raw_() { raw_.struct_bytes = sizeof(raw_); } // The empty set.
  // For generated code.
  const ::hsched_place &hsched_raw() const noexcept { return raw_; }
  // Number of workers. Waits for devices that are being opened.
  std::size_t count() const { return ::hsched_count_workers(&raw_); }

  // The workers of a and those of b.
  friend place operator|(place a, const place &b) noexcept {
    a.raw_.kinds |= b.raw_.kinds;
    a.raw_.devices |= b.raw_.devices;
    for (int i = 0; i < 8; ++i)
      a.raw_.workers[i] |= b.raw_.workers[i];
    return a;
  }
  // HSCHED_WHERE_... Programs call cpus(), gpus() and the like.
  static place of_kinds(unsigned kinds) noexcept {
    place p;
    p.raw_.kinds = kinds;
    return p;
  }
  // Programs call device(). Throws std::invalid_argument from 64 on.
  static place of_device(unsigned number) {
    check(number, 64, "device");
    place p;
    p.raw_.devices = 1ull << number;
    return p;
  }
  // Programs call worker_at(). Throws std::invalid_argument from 512 on.
  static place of_worker(unsigned number) {
    check(number, 512, "worker_at");
    place p;
    p.raw_.workers[number / 64] = 1ull << (number % 64);
    return p;
  }

private:
  static void check(unsigned number, unsigned end, const char *what) {
    if (number >= end)
      throw std::invalid_argument(std::string("hsched::") + what + "(" + std::to_string(number) +
                                  "): there are never " + std::to_string(number + 1));
  }
  ::hsched_place raw_;
#else
  std::size_t count() const { return 0; }
  friend place operator|(const place &, const place &) noexcept { return place(); }
  static place of_kinds(unsigned) noexcept { return place(); }
  static place of_device(unsigned) { return place(); }
  static place of_worker(unsigned) { return place(); }
#endif
};

inline place cpus() noexcept { return place::of_kinds(1); }               // The CPU workers.
inline place gpus() noexcept { return place::of_kinds(4); }               // Devices of that type.
inline place accelerators() noexcept { return place::of_kinds(8); }       // Devices of that type.
inline place devices() noexcept { return place::of_kinds(14); }           // All devices, CPUs' OpenCL devices too.
inline place anywhere() noexcept { return place::of_kinds(15); }          // All workers.
inline place device(unsigned number) { return place::of_device(number); } // 0 is the first device.
inline place worker_at(unsigned number) {
  return place::of_worker(number);
} // Worker number, as HSCHED_STATS prints it. 0: the main thread.
// The worker that runs the calling body, numbered as for worker_at. 0 on threads that are no workers, and in the serial
// build. Any thread.
#if defined(__HSCHED__)
inline unsigned this_worker() noexcept { return ::hsched_this_worker(); }
#else
inline unsigned this_worker() noexcept { return 0; }
#endif
// p; or any worker if none of p can run the task.
inline place preferably(const place &p) noexcept { return p | place::of_kinds(16); }

// A scope: while it lives, tasks that the same body (or the main program) submits run only on these workers. Nested
// scopes, and a clause where(e), restrict further. Children of those tasks are not restricted. One thread makes and
// destroys it.
class on {
public:
#if defined(__HSCHED__)
  // Opens the scope.
  explicit on(const place &p) { ::hsched_scope_enter(&scope_, &p.hsched_raw()); }
  // Closes the scope.
  ~on() { ::hsched_scope_leave(&scope_); }
#else
  explicit on(const place &) noexcept {}
  ~on() {}
#endif
  on(const on &) = delete;
  on &operator=(const on &) = delete;

private:
#if defined(__HSCHED__)
  ::hsched_scope scope_;
#endif
};

// Bytes copied between memories so far, and how often data were valid where they were needed.
struct traffic {
  std::string device; // Empty: all of them.
  std::string task;   // Type of the tasks that needed the data. Empty: all types, or transfers that no task needed.
  // Counted as in OmpSs.
  unsigned long long input_bytes = 0;   // From host memory to devices.
  unsigned long long output_bytes = 0;  // From devices to host memory.
  unsigned long long device_bytes = 0;  // Between devices.
  unsigned long long inputs = 0;        // Number of transfers from host memory to devices.
  unsigned long long outputs = 0;       // Number of transfers from devices to host memory.
  unsigned long long device_copies = 0; // Number of transfers between devices.
  unsigned long long lookups = 0;       // Number of sections that tasks on devices read.
  unsigned long long hits = 0;          // How many of these were valid there.

  // XKaapi's cache hit ratio. 1 without lookups.
  double hit_ratio() const { return lookups ? static_cast<double>(hits) / static_cast<double>(lookups) : 1.0; }
};

// How traffic_counters() divides the counts.
enum class traffic_by : unsigned {
  nothing = 0,        // One entry: the sum.
  device = 1,         // An entry for each device.
  task = 2,           // An entry for each task type.
  device_and_task = 3 // An entry for each device and task type.
};

// One entry for each device and task type, as `by` says. Empty if no device has memory of its own, and in the serial
// build. Any thread, at any time. The counts are exact after a wait.
#if defined(__HSCHED__)
inline std::vector<traffic> traffic_counters(traffic_by by = traffic_by::nothing) {
  std::vector<::hsched_traffic> raw(16);
  std::size_t n;
  while ((n = ::hsched_traffic_snapshot(static_cast<unsigned>(by), raw.data(), raw.size(), sizeof(raw[0]))) >
         raw.size())
    raw.assign(n, {});
  std::vector<traffic> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    const ::hsched_traffic &r = raw[i];
    traffic &t = all[i];
    t.device = r.device ? r.device : "";
    t.task = r.task ? r.task : "";
    t.input_bytes = r.input_bytes, t.output_bytes = r.output_bytes, t.device_bytes = r.device_bytes;
    t.inputs = r.inputs, t.outputs = r.outputs, t.device_copies = r.device_copies;
    t.lookups = r.lookups, t.hits = r.hits;
  }
  return all;
}
#else
inline std::vector<traffic> traffic_counters(traffic_by = traffic_by::nothing) { return {}; }
#endif

// For containers whose data are copied to devices: std::vector<float, hsched::allocator<float>>. Its memory is pinned,
// so devices copy it at full speed. In the serial build it is ordinary memory.
template <class T> class allocator {
public:
  typedef T value_type; // The elements' type, as containers ask for it.

  // All allocators are equal.
  constexpr allocator() noexcept = default;
  // All allocators are equal.
  template <class U> constexpr allocator(const allocator<U> &) noexcept {}

#if defined(__HSCHED__)
  static_assert(alignof(T) <= 4096, "memory is aligned to pages");
  // Memory for n elements. Throws std::bad_alloc. Any thread.
  T *allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T))
      throw std::bad_alloc();
    void *memory = ::hsched_malloc(n ? n * sizeof(T) : 1);
    if (!memory)
      throw std::bad_alloc();
    return static_cast<T *>(memory);
  }
  // Call it when no unfinished task names the memory. Any thread.
  void deallocate(T *memory, std::size_t) noexcept { ::hsched_free(memory); }
#else
  T *allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T *memory, std::size_t n) noexcept { std::allocator<T>().deallocate(memory, n); }
#endif

  // Memory of one can be released by any other.
  template <class U> constexpr bool operator==(const allocator<U> &) const noexcept { return true; }
};

} // namespace hsched
#endif
