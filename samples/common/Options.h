// Command lines of the samples: --name value, and operands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_COMMON_OPTIONS_H
#define HSCHED_SAMPLES_COMMON_OPTIONS_H

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace samples {

// Reads the command line once; errors go to standard error and clear ok().
class Options {
public:
  Options(int argc, char **argv, std::initializer_list<const char *> known) : program_(argv[0]) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word.rfind("--", 0) != 0) {
        operands_.push_back(word);
        continue;
      }
      const std::string name = word.substr(2);
      bool found = false;
      for (const char *k : known)
        found |= name == k;
      if (!found)
        complain("unknown option " + word);
      else if (i + 1 == argc)
        complain("option " + word + " needs a value");
      else
        values_[name] = argv[++i];
    }
  }

  // The option's value, or `fallback` where it is not given. At least 1.
  int number(const char *name, int fallback) {
    const auto found = values_.find(name);
    if (found == values_.end())
      return fallback;
    char *end = nullptr;
    errno = 0;
    const long value = std::strtol(found->second.c_str(), &end, 10);
    if (errno != 0 || end == found->second.c_str() || *end != 0 || value < 1 || value > INT_MAX) {
      complain("option --" + found->first + " wants a number from 1, not '" + found->second + "'");
      return fallback;
    }
    return static_cast<int>(value);
  }

  std::string text(const char *name, const std::string &fallback) const {
    const auto found = values_.find(name);
    return found == values_.end() ? fallback : found->second;
  }

  const std::vector<std::string> &operands() const { return operands_; }
  bool ok() const { return ok_; }
  void complain(const std::string &what) {
    std::fprintf(stderr, "%s: %s\n", program_.c_str(), what.c_str());
    ok_ = false;
  }

private:
  std::string program_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> operands_;
  bool ok_ = true;
};

} // namespace samples
#endif
