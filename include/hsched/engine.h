// The engine from C++: tasks described by a value, engines, and task types made at run time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs without hsched-cc, or beside it. engine_abi.h says what each part means, and what throws. Link
// libhsched.
#ifndef HSCHED_ENGINE_H
#define HSCHED_ENGINE_H

#include <hsched/completion.h>
#include <hsched/engine_abi.h>

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hsched {

// How a task ended.
enum class outcome {
  done = HSCHED_DONE,            // It has run.
  failed = HSCHED_FAILED,        // Its body threw, or it could not be run.
  cancelled = HSCHED_CANCELLED,  // It did not run, because a predecessor failed.
  unfinished = HSCHED_UNFINISHED // It has not ended.
};

// A reference to a task that was submitted or declared. Empty if default-constructed. Copies refer to the same task.
class task {
public:
  // Refers to no task.
  task() = default;
  // Takes over a reference of the C interface.
  explicit task(hsched_ref *owned) noexcept : ref_(owned) {}
  // Refers to the same task. Any thread.
  task(const task &other) noexcept : ref_(other.ref_) {
    if (ref_)
      hsched_ref_retain(ref_);
  }
  // Afterwards `other` is empty.
  task(task &&other) noexcept : ref_(std::exchange(other.ref_, nullptr)) {}
  // Releases the reference that it had.
  task &operator=(task other) noexcept {
    std::swap(ref_, other.ref_);
    return *this;
  }
  // Releases the reference. The task goes on.
  ~task() {
    if (ref_)
      hsched_ref_release(ref_);
  }

  // How the task ended, or outcome::unfinished. Any thread, at any time. Not for an empty reference.
  outcome state() const { return static_cast<outcome>(hsched_ref_state(ref_)); }
  // Waits for the task, its children and its callback. Throws no failure of the task. Brings no data home.
  outcome wait() const { return static_cast<outcome>(hsched_ref_wait(ref_)); }
  // The reference of the C interface, still owned by this. Null: empty.
  hsched_ref *get() const noexcept { return ref_; }

private:
  hsched_ref *ref_ = nullptr;
};

class engine;

// How the host uses the data that it asks for.
enum class home {
  read = HSCHED_HOME_READ,          // Devices' copies stay valid.
  update = HSCHED_HOME_UPDATE,      // Devices' copies become invalid.
  overwrite = HSCHED_HOME_OVERWRITE // So do the contents: nothing is copied home.
};

// A homeless array: it has no host memory until the host asks for elements. The destructor waits for the tasks that
// name it, as hsched_datum_drop does. It must not outlive its engine or the task that made it.
template <class T> class datum {
public:
  static_assert(std::is_trivially_copyable_v<T>, "devices hold bytes");
  // Afterwards `other` names no data.
  datum(datum &&other) noexcept
      : engine_(other.engine_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  // Exchanges the data of both.
  datum &operator=(datum &&other) noexcept {
    std::swap(engine_, other.engine_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  // Waits for the tasks that name it. Throws nothing: the next wait throws their failure.
  ~datum() { hsched_datum_drop(engine_, data_); }

  // The address, for sections and arguments of tasks. Only tasks may read or write it.
  T *data() const noexcept { return data_; }
  // Number of elements.
  std::size_t size() const noexcept { return size_; }
  // Brings elements [first, first + n) to the host for the calling thread. See hsched_datum_home.
  T *at_home(home use, std::size_t first, std::size_t n) const {
    hsched_datum_home(engine_, data_ + first, n * sizeof(T), static_cast<unsigned>(use));
    return data_ + first;
  }
  // The same for all elements.
  T *at_home(home use = home::read) const { return at_home(use, 0, size_); }

private:
  friend class engine;
  datum(hsched_engine *of, std::size_t n)
      : engine_(of), data_(static_cast<T *>(hsched_datum_make(of, n * sizeof(T), 0))), size_(n) {}

  hsched_engine *engine_;
  T *data_;
  std::size_t size_;
};

// Tasks that run on one device, which the engine chooses for all of them.
class component {
public:
  // The handle of the C interface, still owned by this.
  hsched_component *get() const noexcept { return made_.get(); }

private:
  friend class engine;
  explicit component(hsched_component *made) : made_(made, hsched_component_release) {}
  std::shared_ptr<hsched_component> made_;
};

// A type of tasks with several versions, made at run time. Args is the type of the arguments.
template <class Args> class task_type {
public:
  // A type without versions. `name` is copied; traces and messages show it.
  explicit task_type(const std::string &name) {
    hsched_task_desc desc{};
    desc.struct_bytes = sizeof(desc);
    desc.abi_major = HSCHED_ABI_MAJOR;
    desc.abi_minor = HSCHED_ABI_MINOR;
    desc.name = name.c_str();
    desc.args_bytes = sizeof(Args);
    desc.args_align = alignof(Args);
    desc.destroy = [](void *args) { static_cast<Args *>(args)->~Args(); };
    type_.reset(hsched_type_make(&desc), hsched_type_drop);
  }

  // A version for the CPU: a closure without captures that takes an Args &. `keep` is released when no task can run the
  // version any more. Returns the version's number.
  template <class Run> unsigned add(const std::string &name, Run, std::shared_ptr<void> keep = {}) {
    static_assert(std::is_empty_v<Run> && std::is_default_constructible_v<Run>, "what varies belongs to the arguments");
    return add_cpu(name, [](void *args) { Run()(*static_cast<Args *>(args)); }, std::move(keep));
  }
  // A version for any device. What the description points to must live until `keep` is released.
  unsigned add(const hsched_version_desc &version, std::shared_ptr<void> keep = {}) {
    auto kept = std::make_unique<std::shared_ptr<void>>(std::move(keep));
    unsigned number = hsched_type_add(type_.get(), &version, kept.get(),
                                      [](void *owner) { delete static_cast<std::shared_ptr<void> *>(owner); });
    (void)kept.release();
    return number;
  }
  // Removes a version by the number that add() returned. Tasks that run it already go on. Any thread.
  void remove(unsigned version) { hsched_type_remove(type_.get(), version); }
  // The handle of the C interface, still owned by this.
  hsched_task_type *get() const noexcept { return type_.get(); }

private:
  friend class engine;
  unsigned add_cpu(const std::string &name, void (*run)(void *), std::shared_ptr<void> keep) {
    hsched_version_desc version{};
    version.struct_bytes = sizeof(version);
    version.name = name.c_str();
    version.device = HSCHED_DEVICE_CPU;
    version.run = run;
    return add(version, std::move(keep));
  }

  std::shared_ptr<hsched_task_type> type_; // Dropped with the last copy of the object.
};

// The description of one task besides its work. A plain value: one thread uses it at a time, and may use it again. Each
// function returns the object itself.
class submission {
public:
  // The task's name in traces, graphs, records, messages and the watchdog's report.
  submission &label(std::string text) { return label_ = std::move(text), *this; }
  // As the clause: greater is more urgent. 0 without it.
  submission &priority(int greater_is_more_urgent) { return priority_ = greater_is_more_urgent, *this; }
  // As the clause: the task's work in the program's own unit. It replaces bytes in the size class. Not below 0.
  submission &cost(double work) { return cost_ = work, *this; }
  // Reads n elements from p on.
  template <class T> submission &in(const T *p, std::size_t n = 1) { return touch(HSCHED_IN, p, n * sizeof(T)); }
  // Overwrites n elements from p on, and reads none of them first.
  template <class T> submission &out(T *p, std::size_t n = 1) { return touch(HSCHED_OUT, p, n * sizeof(T)); }
  // Reads and writes n elements from p on.
  template <class T> submission &inout(T *p, std::size_t n = 1) { return touch(HSCHED_INOUT, p, n * sizeof(T)); }
  // A section of any shape.
  submission &access(const hsched_access &section) { return accesses_.push_back(section), *this; }
  // Predecessors besides those that the data imply.
  submission &after(task earlier) { return after_.push_back(std::move(earlier)), *this; }
  // Submits this declared task.
  submission &as(task declared) { return declared_ = std::move(declared), *this; }
  // Workers that may run it. Several calls add up.
  submission &on(unsigned worker) { return workers_.push_back(worker), *this; }
  // One compute queue of a device: tasks that are placed there run one after another.
  submission &on_queue(unsigned device, unsigned queue) {
    queue_ = queue;
    has_queue_ = true;
    return on(device);
  }
  // The component that it is a part of.
  submission &in_component(component of) { return component_ = std::make_shared<component>(std::move(of)), *this; }
  // Called when the task has ended, on the thread that completed it.
  submission &then(std::function<void(outcome)> on_end) { return on_end_ = std::move(on_end), *this; }

private:
  friend class engine;
  submission &touch(unsigned mode, const void *p, std::size_t bytes) {
    return access({p, bytes, 1, 0, mode, HSCHED_NO_PARAM});
  }

  std::string label_;
  int priority_ = 0;
  double cost_ = -1;
  std::vector<hsched_access> accesses_;
  std::vector<task> after_;
  task declared_;
  std::vector<unsigned> workers_;
  unsigned queue_ = 0;
  bool has_queue_ = false;
  std::shared_ptr<component> component_;
  std::function<void(outcome)> on_end_;
};

// What an engine is made with.
struct config {
  unsigned workers = 0;          // CPU workers. 0: one for each core.
  std::string policy;            // Empty: the default one.
  std::string opencl = "0";      // OpenCL devices, as HSCHED_OPENCL names them. "0": none.
  unsigned window = 0;           // Most tasks that are submitted and not complete. 0: 4096.
  unsigned lambda = 0;           // Runs until a version counts as measured. 0: the default, 3.
  unsigned simulated = 0;        // Number of simulated devices, for tests.
  unsigned watchdog_seconds = 0; // Seconds without progress until the watchdog reports. 0: no watchdog.
  bool bind = false;             // Binds workers to cores.
};

// A core or a device of an engine.
struct worker {
  std::string name;     // As HSCHED_STATS prints it.
  unsigned device;      // HSCHED_DEVICE_...
  unsigned device_type; // HSCHED_TYPE_...
  unsigned queues;      // Compute queues of a device. 0: the worker is a core.
};

// A runtime with workers, a policy and data of its own. Any thread may use it. Its destructor waits for its tasks.
class engine {
public:
  // The process's default engine, which annotated code uses.
  static engine &process() {
    static engine own{hidden()};
    return own;
  }
  // Starts an engine of its own. Throws std::invalid_argument for a policy that is unknown or cannot be loaded,
  // std::runtime_error beyond 512 workers in all.
  explicit engine(const config &from) {
    hsched_config c{};
    c.struct_bytes = sizeof(c);
    c.policy = from.policy.empty() ? nullptr : from.policy.c_str();
    c.opencl = from.opencl.c_str();
    c.workers = from.workers;
    c.window = from.window;
    c.lambda = from.lambda;
    c.simulated = from.simulated;
    c.watchdog_seconds = from.watchdog_seconds;
    c.flags = from.bind ? HSCHED_CONFIG_BIND : 0;
    engine_ = hsched_engine_make(&c);
  }
  // Waits for its tasks. Not inside one of them.
  ~engine() { hsched_engine_destroy(engine_); }
  engine(const engine &) = delete;
  engine &operator=(const engine &) = delete;

  // Its workers; a worker's number is its index.
  std::vector<worker> workers() const {
    std::vector<hsched_worker> raw(hsched_workers(engine_, nullptr, 0, sizeof(hsched_worker)));
    hsched_workers(engine_, raw.data(), raw.size(), sizeof(hsched_worker));
    std::vector<worker> all;
    for (const hsched_worker &w : raw)
      all.push_back({w.name, w.device, w.device_type, w.queues});
    return all;
  }
  // A component, to which tasks are added by submission::in_component().
  component make_component(const std::string &name) { return component(hsched_component_make(engine_, name.c_str())); }
  // A homeless array of n elements, uninitialised.
  template <class T> datum<T> make_datum(std::size_t n) { return datum<T>(engine_, n); }
  // A task that may be named as a predecessor before it is submitted.
  task declare(const std::string &name) { return task(hsched_declare(engine_, name.c_str())); }

  // A task that calls `body` on a core.
  template <class Body> task submit(const submission &how, Body body) {
    hsched_task_type *type = closures<std::decay_t<Body>>();
    return submit(how, type, &body, [](void *to, void *from) {
      new (to) std::decay_t<Body>(std::move(*static_cast<std::decay_t<Body> *>(from)));
    });
  }
  // A task of a type, with its arguments.
  template <class Args>
  task submit(const submission &how, const task_type<Args> &type, std::type_identity_t<Args> args) {
    return submit(how, type.get(), &args,
                  [](void *to, void *from) { new (to) Args(std::move(*static_cast<Args *>(from))); });
  }
  // Waits for the children of the task that the calling thread runs in this engine. Outside its tasks: for all tasks.
  void wait() { hsched_engine_wait(engine_, 0); }
  // The handle of the C interface, still owned by this. Null: the process's engine.
  hsched_engine *get() const noexcept { return engine_; }

private:
  struct hidden {};
  explicit engine(hidden) {}
  task submit(const submission &how, hsched_task_type *type, void *args, void (*move)(void *, void *));

  // The task type of a closure type.
  template <class Body> static hsched_task_type *closures() {
    static task_type<Body> *const made = [] {
      auto *type = new task_type<Body>("closure");
      type->add_cpu("closure", [](void *body) { (*static_cast<Body *>(body))(); }, {});
      return type;
    }();
    return made->get();
  }

  hsched_engine *engine_ = nullptr;
};

inline task engine::submit(const submission &how, hsched_task_type *type, void *args, void (*move)(void *, void *)) {
  hsched_submit_options options{};
  options.struct_bytes = sizeof(options);
  options.priority = how.priority_;
  options.label = how.label_.empty() ? nullptr : how.label_.c_str();
  options.flags = how.cost_ >= 0 ? HSCHED_SUBMIT_COST : 0;
  options.cost = how.cost_;
  hsched_placement where_to{};
  where_to.struct_bytes = sizeof(where_to);
  where_to.workers = how.workers_.empty() ? nullptr : how.workers_.data();
  where_to.n_workers = static_cast<unsigned>(how.workers_.size());
  where_to.component = how.component_ ? how.component_->get() : nullptr;
  where_to.flags = how.has_queue_ ? HSCHED_PLACEMENT_QUEUE : 0;
  where_to.queue = how.queue_;
  std::vector<hsched_ref *> after;
  for (const task &t : how.after_)
    after.push_back(t.get());

  hsched_submission what{};
  what.struct_bytes = sizeof(what);
  what.type = type;
  what.options = &options;
  what.accesses = how.accesses_.data();
  what.n_accesses = static_cast<unsigned>(how.accesses_.size());
  what.args = args;
  what.move = move;
  what.after = after.data();
  what.n_after = static_cast<unsigned>(after.size());
  what.declared = how.declared_.get();
  what.placement = &where_to;
  std::unique_ptr<std::function<void(outcome)>> on_end;
  if (how.on_end_) {
    on_end = std::make_unique<std::function<void(outcome)>>(how.on_end_);
    what.ended_data = on_end.get();
    what.ended = [](void *data, int ended) {
      std::unique_ptr<std::function<void(outcome)>> own(static_cast<std::function<void(outcome)> *>(data));
      (*own)(static_cast<outcome>(ended));
    };
  }
  hsched_ref *ref = nullptr;
  hsched_submit(engine_, &what, &ref);
  (void)on_end.release();
  return task(ref);
}

} // namespace hsched
#endif
