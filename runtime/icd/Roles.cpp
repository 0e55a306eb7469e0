// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Roles.h"

#include "base/DiskCache.h"
#include "base/Env.h"
#include "base/Log.h"
#include "base/Process.h"

#include <nlohmann/json.hpp>

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <sstream>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace hsched::icd {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t MostAnswerBytes = 32 << 20;
// A program does not wait longer for an optional result.
constexpr std::chrono::seconds MostSeconds{20};

bool canRun(const fs::path &File) { return access(File.c_str(), X_OK) == 0; }

// Path of hsched-kinfo; empty: not found.
std::string findKinfo() {
  const std::string Given = rt::envString("HSCHED_KINFO").value_or("");
  if (!Given.empty())
    return Given == "0" || Given == "off" ? "" : Given;
  static const char Here = 0;
  if (Dl_info Own; dladdr(&Here, &Own) && Own.dli_fname) { // lib/, or lib/x86_64-linux-gnu/.
    const fs::path Folder = fs::path(Own.dli_fname).parent_path();
    for (const char *Bin : {"../bin/hsched-kinfo", "../../bin/hsched-kinfo"})
      if (canRun(Folder / Bin))
        return (Folder / Bin).lexically_normal();
  }
  const char *Path = std::getenv("PATH");
  std::istringstream Folders(Path ? Path : "");
  for (std::string F; std::getline(Folders, F, ':');)
    if (!F.empty() && canRun(fs::path(F) / "hsched-kinfo"))
      return fs::path(F) / "hsched-kinfo";
  return "";
}

// Identifies a program among those with the same name.
std::string identity(const std::string &Program) {
  std::error_code Failed;
  const auto Size = fs::file_size(Program, Failed);
  const auto Time = fs::last_write_time(Program, Failed).time_since_epoch().count();
  return Program + " " + std::to_string(Size) + " " + std::to_string(Time);
}

// A source as an anonymous file that another program can read. It has no name in a folder, so a killed program leaves
// nothing behind.
class Text {
public:
  explicit Text(const std::string &Source) : File(memfd_create("hsched", MFD_CLOEXEC)) {
    size_t At = 0;
    while (File >= 0 && At < Source.size()) {
      const ssize_t N = write(File, Source.data() + At, Source.size() - At);
      if (N <= 0)
        break;
      At += static_cast<size_t>(N);
    }
    Whole = File >= 0 && At == Source.size();
  }
  ~Text() {
    if (File >= 0)
      close(File);
  }
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;
  // Named through this process, because the other one does not inherit it.
  std::string name() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(File); }

  const int File;
  bool Whole = false;
};

std::string run(const std::string &Kinfo, const char *Form, const std::string &Source,
                const std::vector<std::string> &Options) {
  const Text File(Source);
  if (!File.Whole)
    return "";
  std::vector<std::string> Words = {Kinfo, Form, "-w"};
  Words.insert(Words.end(), Options.begin(), Options.end());
  Words.push_back(File.name());
  rt::Finished Done = rt::runProcess(Words);
  if (Done.Code == 0)
    return std::move(Done.Out);
  rt::log(rt::LogLevel::Debug, "OpenCL platform: %s does not understand a source: %s", Kinfo.c_str(), Done.Err.c_str());
  return "";
}

// True if a store of the type writes all of its bytes. Three components take the space of four; structures may have
// gaps.
bool hasNoGaps(const std::string &Element) {
  std::string Scalar = Element;
  for (const char *Lanes : {"16", "2", "4", "8"})
    if (const size_t N = std::strlen(Lanes); Scalar.size() > N && Scalar.compare(Scalar.size() - N, N, Lanes) == 0) {
      Scalar.resize(Scalar.size() - N);
      break;
    }
  static const std::set<std::string> All = {"char", "uchar", "short", "ushort", "int", "uint",
                                            "long", "ulong", "float", "double", "half"};
  return All.count(Scalar) != 0;
}

// The parts of "[a][b]..." or "[a:b]..." from At on, each without its brackets. Leaves At behind them.
std::vector<std::string> brackets(const std::string &Text, size_t &At) {
  std::vector<std::string> Out;
  while (At < Text.size() && Text[At] == '[') {
    const size_t From = ++At;
    for (unsigned Depth = 1; At < Text.size(); ++At)
      if ((Depth += Text[At] == '[' ? 1u : Text[At] == ']' ? ~0u : 0u) == 0)
        break;
    Out.push_back(Text.substr(From, At - From));
    At += At < Text.size();
  }
  return Out;
}

// "a:b" as two parts.
std::optional<std::pair<std::string, std::string>> range(const std::string &Text) {
  int Depth = 0;
  for (size_t I = 0; I != Text.size(); ++I) {
    Depth += Text[I] == '(' ? 1 : Text[I] == ')' ? -1 : 0;
    if (Depth == 0 && Text[I] == '?') // A choice without parentheses has a colon of its own.
      return std::nullopt;
    if (Depth == 0 && Text[I] == ':')
      return std::pair(Text.substr(0, I), Text.substr(I + 1));
  }
  return std::nullopt;
}

// A section as hsched-kinfo writes it: "*y", "[n]y", "y[a:n]", "([m][ld]y)[a:m][b:n]".
bool readSection(const std::string &Text, const std::string &Name, const LaunchExpression::Find &Number, Extent &Into) {
  std::string First = "0", Count, Row, Each;
  size_t At = 0;
  if (Text == "*" + Name) {
    Count = "1";
  } else if (Text.compare(0, Name.size() + 1, Name + "[") == 0) {
    At = Name.size();
    const auto All = brackets(Text, At);
    const auto Its = All.size() == 1 && At == Text.size() ? range(All[0]) : std::nullopt;
    if (!Its)
      return false;
    std::tie(First, Count) = *Its;
  } else if (!Text.empty() && Text[0] == '[') {
    const auto All = brackets(Text, At);
    if (All.size() != 1 || Text.substr(At) != Name)
      return false;
    Count = All[0];
  } else if (!Text.empty() && Text[0] == '(') {
    At = 1;
    const auto Shape = brackets(Text, At);
    if (Shape.size() != 2 || Text.compare(At, Name.size() + 1, Name + ")") != 0)
      return false;
    At += Name.size() + 1;
    const auto Part = brackets(Text, At);
    const auto Y = Part.size() == 2 && At == Text.size() ? range(Part[0]) : std::nullopt;
    const auto X = Y ? range(Part[1]) : std::nullopt;
    if (!X)
      return false;
    Row = Shape[1];
    Each = X->second;
    First = "(" + Y->first + ") * (" + Row + ") + (" + X->first + ")";
    Count = "((" + Y->second + ") - 1) * (" + Row + ") + (" + Each + ")";
  }
  auto A = LaunchExpression::parse(First, Number), N = LaunchExpression::parse(Count, Number);
  if (!A || !N)
    return false;
  Into.First = std::move(*A);
  Into.Count = std::move(*N);
  if (Row.empty())
    return true;
  Into.Row = LaunchExpression::parse(Row, Number);
  Into.RowCount = LaunchExpression::parse(Each, Number);
  return Into.Row && Into.RowCount;
}

bool readAll(const nlohmann::json &Texts, const LaunchExpression::Find &Number, std::vector<LaunchExpression> &Into) {
  for (const nlohmann::json &T : Texts) {
    auto E = LaunchExpression::parse(T.get<std::string>(), Number);
    if (!E)
      return false;
    Into.push_back(std::move(*E));
  }
  return true;
}

// The extents of a kernel. Nothing: none are proved.
std::optional<KernelExtents> readExtents(const nlohmann::json &K) {
  if (!K.contains("holdsWhere")) // Integers may wrap around.
    return std::nullopt;
  for (const nlohmann::json &Use : K.at("uses"))
    for (const char *Other : {"assembly", "device-enqueue", "pipes", "program-variables", "generic-pointers"})
      if (Use == Other)
        return std::nullopt;
  static const std::set<std::string> Integers = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
  std::map<std::string, unsigned> Numbers;
  for (const nlohmann::json &A : K.at("arguments"))
    if (A.value("kind", "") == "value" && Integers.count(A.value("element", "")))
      Numbers.emplace(A.at("name").get<std::string>(), A.at("pos").get<unsigned>());
  const LaunchExpression::Find Number = [&](const std::string &Name) {
    auto I = Numbers.find(Name);
    return I == Numbers.end() ? std::nullopt : std::optional(I->second);
  };
  KernelExtents Out;
  Out.MayBeLarger = K.value("mayBeLarger", false);
  // "[n,m,1]": as many as the kernel's dimensions count.
  std::string Sizes = K.at("globalWorkSize").get<std::string>(), Item;
  nlohmann::json Each = nlohmann::json::array();
  int Depth = -1;
  for (char C : Sizes) {
    Depth += C == '(' || C == '[' ? 1 : C == ')' || C == ']' ? -1 : 0;
    if ((Depth == 0 && C == ',') || Depth < 0) {
      Each.push_back(std::exchange(Item, {}));
    } else if (Depth > 0 || C != '[') {
      Item += C;
    }
  }
  if (Each.size() < K.at("workDimension").get<size_t>())
    return std::nullopt;
  while (Each.size() > K.at("workDimension").get<size_t>())
    Each.erase(Each.size() - 1);
  if (!readAll(Each, Number, Out.Global) || !readAll(K.at("holdsWhere"), Number, Out.Where))
    return std::nullopt;
  for (const nlohmann::json &A : K.at("arguments")) {
    Extent E;
    E.Argument = A.at("pos").get<unsigned>();
    E.ElementBytes = A.value("elementBytes", size_t(0));
    const std::string Role = A.value("role", "");
    E.Overwrites = Role == "out" && hasNoGaps(A.value("element", ""));
    if (A.value("kind", "") == "pointer" && E.ElementBytes && (Role == "in" || Role == "out" || Role == "inout") &&
        readSection(A.value("section", ""), A.value("name", ""), Number, E) &&
        readAll(A.value("onlyWhere", nlohmann::json::array()), Number, E.Where))
      Out.All.push_back(std::move(E));
  }
  return Out.All.empty() ? std::nullopt : std::optional(std::move(Out));
}

// Reads options that change the meaning of kernels. False: one is unknown.
bool readOptions(const std::string &Given, std::vector<std::string> &Out) {
  if (Given.find_first_of("\"'\\") != Given.npos)
    return false;
  std::istringstream In(Given);
  for (std::string W; In >> W;)
    if (W.compare(0, 2, "-D") == 0 || W.compare(0, 2, "-U") == 0) {
      if (W.size() == 2) {
        std::string Value;
        if (!(In >> Value))
          return false;
        W += Value;
      }
      Out.push_back(W);
    } else if (W.compare(0, 8, "-cl-std=") == 0) {
      Out.push_back(W);
    } else if (W == "-include" || W == "-imacros") {
      return false;
    } else if (W == "-I") {
      In >> W; // Include folders are irrelevant: nothing is included.
    }
  return true;
}

} // namespace

Roles::Answer Roles::parse(const std::string &Report) {
  Answer Out;
  if (Report.empty())
    return Out;
  try {
    const nlohmann::json All = nlohmann::json::parse(Report);
    for (const nlohmann::json &File : All.at("files"))
      for (const nlohmann::json &K : File.at("kernels")) {
        const std::string Name = K.at("name").get<std::string>();
        for (const nlohmann::json &A : K.at("arguments"))
          if (const std::string Role = A.value("role", ""); Role == "in" || Role == "unused") {
            Out.OnlyRead.emplace(Name, A.at("pos").get<unsigned>());
            if (Role == "unused")
              Out.Unused.emplace(Name, A.at("pos").get<unsigned>());
          }
        if (auto E = readExtents(K))
          Out.Extents.emplace(Name, std::move(*E));
      }
  } catch (const nlohmann::json::exception &E) {
    rt::log(rt::LogLevel::Warning, "OpenCL platform: what hsched-kinfo says cannot be read: %s", E.what());
    return {};
  }
  return Out;
}

bool isSameForAll(const std::string &Source) {
  std::istringstream Lines(Source);
  bool Continues = false, IsCondition = false;
  for (std::string Line; std::getline(Lines, Line);) {
    size_t At = Line.find_first_not_of(" \t");
    if (!Continues) {
      IsCondition = false;
      if (At == Line.npos || Line[At] != '#')
        continue;
      At = Line.find_first_not_of(" \t", At + 1);
      size_t End = At;
      while (End < Line.size() && std::isalpha(static_cast<unsigned char>(Line[End])))
        ++End;
      const std::string Word = At == Line.npos ? "" : Line.substr(At, End - At);
      if (Word == "include" || Word == "import" || Word == "include_next")
        return false;
      IsCondition = Word == "if" || Word == "ifdef" || Word == "ifndef" || Word == "elif";
      At = End;
    }
    Continues = !Line.empty() && Line.back() == '\\';
    while (IsCondition && At < Line.size()) {
      if (!std::isalpha(static_cast<unsigned char>(Line[At])) && Line[At] != '_') {
        ++At;
        continue;
      }
      size_t End = At;
      while (End < Line.size() && (std::isalnum(static_cast<unsigned char>(Line[End])) || Line[End] == '_'))
        ++End;
      const std::string Name = Line.substr(At, End - At);
      for (const char *Prefix :
           {"_", "cl_", "CL_", "POCL", "OCLGRIND", "FP_", "AMD", "NV", "INTEL", "cles_", "MAX_WORK"})
        if (Name.rfind(Prefix, 0) == 0)
          return false;
      At = End;
    }
  }
  return true;
}

namespace {

// A question to hsched-kinfo about a source.
struct Question {
  // Form: the option that selects its output.
  Question(const char *Form, const std::string &Source, const std::string &Options) : Form(Form), Source(Source) {
    if (kinfo().empty() || Source.empty() || !isSameForAll(Source) || !readOptions(Options, Words))
      return;
    std::string All;
    for (const std::string &W : Words)
      All += W + '\n';
    Key = rt::cacheKey({"opencl platform 1", Form, identity(kinfo()), All, Source});
  }
  static const std::string &kinfo() {
    static const std::string &Its = *new std::string(findKinfo());
    return Its;
  }
  static const rt::DiskCache &cache() {
    static const rt::DiskCache &Its = *new rt::DiskCache(rt::DiskCache::ofUser("kernels", MostAnswerBytes));
    return Its;
  }
  bool canAsk() const { return !Key.empty(); }
  std::optional<std::string> kept() const { return cache().on() ? cache().load(Key) : std::nullopt; }
  std::string ask() const {
    std::string Answer = run(kinfo(), Form, Source, Words);
    if (cache().on() && !Answer.empty())
      cache().store(Key, Answer);
    return Answer;
  }

  const char *Form;
  std::string Source, Key;
  std::vector<std::string> Words;
};

} // namespace

std::shared_future<std::string> askForMinikernels(const std::string &Source, const std::string &Options) {
  auto Promise = std::make_shared<std::promise<std::string>>();
  auto Future = Promise->get_future().share();
  Question Q("--minikernels", Source, Options);
  if (!Q.canAsk()) {
    Promise->set_value("");
  } else if (auto Kept = Q.kept()) {
    Promise->set_value(std::move(*Kept));
  } else {
    try {
      std::thread([Promise, Q = std::move(Q)] { Promise->set_value(Q.ask()); }).detach();
    } catch (const std::system_error &) { // No thread is available.
      Promise->set_value("");
    }
  }
  return Future;
}

std::string answer(const std::shared_future<std::string> &Text) {
  return Text.wait_for(MostSeconds) == std::future_status::ready ? Text.get() : std::string();
}

std::shared_ptr<const Roles> Roles::of(const std::string &Source, const std::string &Options) {
  Question Q("--json", Source, Options);
  if (!Q.canAsk())
    return nullptr;
  auto Promise = std::make_shared<std::promise<Answer>>();
  auto Made = std::make_shared<const Roles>(Promise->get_future().share());
  if (auto Kept = Q.kept()) {
    Promise->set_value(parse(*Kept));
    return Made;
  }
  auto Ask = [Promise, Q = std::move(Q)] { Promise->set_value(parse(Q.ask())); };
  try {
    std::thread(std::move(Ask)).detach();
  } catch (const std::system_error &) { // No thread is available: nothing is known.
    Promise->set_value({});
  }
  return Made;
}

bool Roles::onlyReads(const std::string &Kernel, unsigned Argument) const {
  return Its.wait_for(MostSeconds) == std::future_status::ready && Its.get().OnlyRead.count({Kernel, Argument}) != 0;
}

bool Roles::isUnused(const std::string &Kernel, unsigned Argument) const {
  return Its.wait_for(MostSeconds) == std::future_status::ready && Its.get().Unused.count({Kernel, Argument}) != 0;
}

const KernelExtents *Roles::extents(const std::string &Kernel) const {
  if (Its.wait_for(MostSeconds) != std::future_status::ready)
    return nullptr;
  const auto &All = Its.get().Extents;
  auto I = All.find(Kernel);
  return I == All.end() ? nullptr : &I->second;
}

} // namespace hsched::icd
