// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Selection.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

namespace hsched::rt::opencl {

// Without blanks, in lower case.
static std::string normal(const std::string &Selection) {
  std::string Text;
  for (unsigned char C : Selection)
    if (!std::isspace(C))
      Text += static_cast<char>(std::tolower(C));
  return Text;
}

bool selectsNothing(const std::string &Selection) {
  std::string Text = normal(Selection);
  return Text == "0" || Text == "none" || Text == "off";
}

bool maySelectCpu(const std::string &Selection) { return !selectsNothing(Selection) && normal(Selection) != "gpu"; }

static const char *typeName(DeviceType Type) {
  switch (Type) {
  case DeviceType::Cpu:
    return "cpu";
  case DeviceType::Gpu:
    return "gpu";
  case DeviceType::Accelerator:
    return "accelerator";
  case DeviceType::Any:
    break;
  }
  return "other";
}

static status refuse(const std::string &Selection, const std::string &Why, std::span<const Candidate> There) {
  std::string Message = "HSCHED_OPENCL='" + Selection + "': " + Why + "; ";
  if (There.empty())
    Message += "there is no OpenCL device";
  else
    Message += "there are: ";
  for (size_t I = 0; I < There.size(); ++I)
    Message += (I ? ", " : "") + std::to_string(I) + " = " + There[I].Name + " (" + typeName(There[I].Type) + ")";
  return status::error(errc::invalid_argument, Message);
}

static status selectByNumber(const std::string &Selection, std::string_view Text, std::span<const Candidate> There,
                             std::vector<unsigned> &Out) {
  std::vector<unsigned> Numbers;
  while (!Text.empty()) {
    std::string_view Item = Text.substr(0, Text.find(','));
    Text.remove_prefix(std::min(Item.size() + 1, Text.size()));
    unsigned Number = 0;
    auto [Rest, Bad] = std::from_chars(Item.data(), Item.data() + Item.size(), Number);
    if (Bad == std::errc::result_out_of_range || (Bad == std::errc() && Number >= There.size()))
      return refuse(Selection, "there is no device " + std::string(Item), There);
    if (Bad != std::errc() || Rest != Item.data() + Item.size())
      return refuse(Selection, "expected auto, all, gpu, cpu, 0 (none) or device numbers such as 0,2", There);
    Numbers.push_back(Number);
  }
  std::sort(Numbers.begin(), Numbers.end());
  Numbers.erase(std::unique(Numbers.begin(), Numbers.end()), Numbers.end());
  Out = std::move(Numbers);
  return {};
}

status selectDevices(const std::string &Selection, std::span<const Candidate> There, std::vector<unsigned> &Out) {
  std::string Text = normal(Selection);
  std::vector<unsigned> All, Cpus, Gpus, NotCpus;
  for (unsigned I = 0; I < There.size(); ++I) {
    All.push_back(I);
    if (There[I].Type == DeviceType::Cpu)
      Cpus.push_back(I);
    else
      NotCpus.push_back(I);
    if (There[I].Type == DeviceType::Gpu)
      Gpus.push_back(I);
  }
  // One CPU device is enough to have one: two drivers on the same cores would only be in each other's way.
  if (Text.empty() || Text == "auto")
    Out = !NotCpus.empty() || Cpus.empty() ? NotCpus : std::vector<unsigned>{Cpus.front()};
  else if (selectsNothing(Selection))
    Out.clear();
  else if (Text == "all")
    Out = All;
  else if (Text == "gpu" && !Gpus.empty())
    Out = Gpus;
  else if (Text == "cpu" && !Cpus.empty())
    Out = Cpus;
  else if (Text == "gpu" || Text == "cpu")
    return refuse(Selection, "there is no such device", There);
  else
    return selectByNumber(Selection, Text, There, Out);
  return {};
}

} // namespace hsched::rt::opencl
