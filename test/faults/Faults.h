// What the test layer's faults are: their grammar, and the count of what has happened.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   faults  := fault { "," fault }
//   fault   := call ":" number [ "+" ] effect | "lost:" number | "loose" | "lazy" | "blocking" | "gpu" | "integrated"
//   call    := the name of an OpenCL function that the layer wraps, or "*" for each of them;
//              "host": clCreateBuffer over the program's memory, "pinned": of pinned memory
//   number  := which of that function's calls, from 1; with "+" that one and all after it
//   effect  := "=" code    the call does nothing and returns the code
//            | "!" code    a command is accepted, does half its work (a kernel all of it), and ends with the code
//            | "~" number  the call takes so many milliseconds longer
//
// "lost:N": from the Nth call of any function on, each returns CL_DEVICE_NOT_AVAILABLE, as do the ends of commands that
// were under way. A command after a failed one does nothing and ends with CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.
// With "loose" it runs nevertheless, as with drivers that do not check. With "lazy" no command begins before its queue
// is flushed or a command of the queue is awaited. With "blocking" transfers between host memory and a device return
// at their end, as with drivers that copy memory which is not pinned. With "gpu" devices report that they are GPUs.
// With "integrated" they are GPUs that work on any host memory.
#ifndef HSCHED_TEST_FAULTS_FAULTS_H
#define HSCHED_TEST_FAULTS_FAULTS_H

#include <string>
#include <string_view>
#include <vector>

namespace hsched::test {

struct Fault {
  enum class Effect { Refuse, Fail, Delay, Lose };
  std::string Call; // "*": any.
  unsigned Nth = 1;
  bool AndAfter = false;
  Effect What = Effect::Refuse;
  int Number = 0; // Code or milliseconds.
};

struct FaultPlan {
  std::vector<Fault> Faults;
  bool Loose = false, Lazy = false, Blocking = false, Gpu = false, Integrated = false;
};

// False with the place in Error where Text is none.
bool parseFaults(std::string_view Text, FaultPlan &Out, std::string &Error);

} // namespace hsched::test

// What the layer exports beside OpenCL's own: to be found with dlsym in the library that OPENCL_LAYERS names.
extern "C" {
// Replaces HSCHED_TEST_FAULTS; counts begin anew. Whether it could be read.
bool hsched_test_faults_set(const char *Text);
unsigned hsched_test_faults_seen();  // Number of faults that have happened.
unsigned hsched_test_faults_calls(); // Number of calls of functions that can be made to fail.
}

#endif
