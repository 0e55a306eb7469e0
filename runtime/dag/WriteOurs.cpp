// Writer of hsched's own format.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Document.h"
#include "dag/Expression.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace hsched::dag {
namespace {

using Json = nlohmann::ordered_json;

// The expression in Python 3 syntax, without constructs of other formats.
std::string modern(const std::string &S, bool Python2) {
  std::string Out = S;
  for (const char *Name : {"partition_round", "part_round"})
    for (size_t At; (At = Out.rfind(std::string(Name) + "(")) != std::string::npos;) {
      const size_t Percent = Out.find("_percent", At);
      const size_t Comma = Percent == std::string::npos ? Percent : Out.rfind(',', Percent);
      const size_t Close = Percent == std::string::npos ? Percent : Out.find(')', Percent);
      if (Comma == std::string::npos || Comma < At || Close == std::string::npos)
        return S;
      const bool Size = Out.find("size_percent", Comma) < Close;
      Out.erase(Comma, Close - Comma);
      Out.replace(At, std::string(Name).size(), Size ? "share" : "before");
    }
  // A symbol that is called like a word of the grammar keeps its signs.
  for (size_t At = 0; (At = Out.find('$', At)) != std::string::npos;) {
    const size_t Close = Out.find('$', At + 1);
    if (Close == std::string::npos)
      break;
    if (const std::string Name = Out.substr(At + 1, Close - At - 1); Expression::isKeyword(Name)) {
      At = Close + 1;
    } else {
      Out.replace(At, Close + 1 - At, Name);
      At += Name.size();
    }
  }
  if (Python2)
    for (size_t At = Out.find('/'); At != std::string::npos; At = Out.find('/', At + 2))
      if (At + 1 == Out.size() || Out[At + 1] != '/')
        Out.insert(At, "/");
  return Out;
}

class Writer {
public:
  explicit Writer(const Document &D) : D(D) {}

  std::string write() {
    std::string Out = "{\n  \"hsched-dag\": 1";
    auto Add = [&](const char *Name, const Json &J) { Out += ",\n  \"" + std::string(Name) + "\": " + text(J); };
    if (!D.Symbols.empty())
      Add("symbols", assignments(D.Symbols));
    if (!D.Queues.empty())
      Add("queues", assignments(D.Queues));
    if (!D.Buffers.empty()) {
      Out += ",\n  \"buffers\": {";
      const char *Separator = "\n    ";
      for (const auto &[Name, B] : D.Buffers) {
        Json J;
        data(J, B);
        Out += Separator + text(Json(Name.S)) + ": " + text(J);
        Separator = ",\n    ";
      }
      Out += "\n  }";
    }
    Out += ",\n  \"kernels\": [";
    const char *Separator = "\n    ";
    for (const KernelDoc &K : D.Kernels) {
      Out += Separator + kernel(K);
      Separator = ",\n    ";
    }
    Out += "\n  ]";
    if (!D.Edges.empty()) {
      Out += ",\n  \"edges\": [";
      Separator = "\n    ";
      for (const EdgeDoc &E : D.Edges) {
        Out += Separator + text(Json::array({E.From.S, number(E.FromPos), E.To.S, number(E.ToPos)}));
        Separator = ",\n    ";
      }
      Out += "\n  ]";
    }
    if (!D.Components.empty()) {
      Json All = Json::array();
      for (const std::vector<Text> &C : D.Components)
        All.push_back(ids(C));
      Add("components", All);
    }
    return Out + "\n}\n";
  }

  static std::string text(const Json &J) { return J.dump(-1, ' ', false, Json::error_handler_t::replace); }
  Json members(const std::vector<MemberDoc> &All) const {
    Json J = Json::array();
    for (const MemberDoc &M : All) {
      Json Member = Json::array({M.Type.S + (M.Offset ? " at " + std::to_string(*M.Offset) : "")});
      for (const Text &T : M.Values)
        Member.push_back(number(T));
      for (const std::vector<MemberDoc> &Element : M.Elements)
        Member.push_back(members(Element));
      J.push_back(std::move(Member));
    }
    return J;
  }

private:
  // Keeps integers as integers, so that a rewritten file is unchanged.
  static std::optional<int64_t> integer(const std::string &S) {
    if (S.empty() || S.size() > 18 || S.find_first_not_of("0123456789") != std::string::npos ||
        (S.size() > 1 && S[0] == '0'))
      return std::nullopt;
    return std::stoll(S);
  }
  Json number(const Text &T) const {
    if (auto N = integer(T.S))
      return *N;
    return modern(T.S, D.Python2);
  }
  Json numbers(const std::vector<Text> &All) const {
    Json J = Json::array();
    for (const Text &T : All)
      J.push_back(number(T));
    return J;
  }
  Json assignments(const Assignments &All) const {
    Json J = Json::object();
    for (const auto &[Name, Value] : All)
      J[Name] = number(Value);
    return J;
  }
  static Json ids(const std::vector<Text> &All) {
    Json J = Json::array();
    for (const Text &T : All)
      J.push_back(T.S);
    return J;
  }

  void data(Json &J, const BufferDoc &B) const {
    J["type"] = B.Type.S;
    J["size"] = number(B.Size);
    switch (B.Init.K) {
    case InitDoc::None:
      break;
    case InitDoc::Zeros:
      J["init"] = "zeros";
      break;
    case InitDoc::Constant:
      J["init"]["constant"] = number(B.Init.Value);
      break;
    case InitDoc::Random:
      J["init"]["random"] = number(B.Init.Value);
      if (!B.Init.Low.empty())
        J["init"]["low"] = number(B.Init.Low);
      if (!B.Init.High.empty())
        J["init"]["high"] = number(B.Init.High);
      break;
    case InitDoc::Npy:
      J["init"]["npy"] = B.Init.Value.S;
      break;
    case InitDoc::Csv:
      J["init"]["csv"] = B.Init.Value.S;
      break;
    case InitDoc::Raw:
      J["init"]["raw"] = B.Init.Value.S;
      break;
    }
    if (!B.Output.empty())
      J["output"] = B.Output.S;
    if (!B.Expect.Npy.empty()) {
      J["expect"]["npy"] = B.Expect.Npy.S;
      if (B.Expect.Relative > 0)
        J["expect"]["relative"] = B.Expect.Relative;
      if (B.Expect.Absolute > 0)
        J["expect"]["absolute"] = B.Expect.Absolute;
    }
  }

  Json arg(const ArgDoc &A) const {
    Json J;
    switch (A.R) {
    case ArgDoc::Value:
      J["role"] = "value";
      J["type"] = A.Type.S;
      J["value"] = !A.Members.empty()     ? members(A.Members)
                   : A.Values.size() == 1 ? number(A.Values[0])
                                          : numbers(A.Values);
      return J;
    case ArgDoc::Local:
      J["role"] = "local";
      J["type"] = A.Own.Type.S;
      J["size"] = number(A.Own.Size);
      return J;
    default:
      break;
    }
    J["role"] = A.R == ArgDoc::In ? "in" : A.R == ArgDoc::Out ? "out" : "io";
    if (A.Buffer.empty())
      data(J, A.Own);
    else
      J["buffer"] = A.Buffer.S;
    if (A.Break)
      J["break"] = 1;
    if (!A.Chunk.empty())
      J["chunk"] = number(A.Chunk);
    return J;
  }

  std::string kernel(const KernelDoc &K) const {
    Json J;
    J["id"] = K.Id.S;
    J["name"] = K.Name.S;
    J["src"] = K.Src.S;
    if (!K.Options.empty())
      J["options"] = K.Options.S;
    if (!K.Macros.empty())
      J["macros"] = assignments(K.Macros);
    if (!K.Symbols.empty())
      J["symbols"] = assignments(K.Symbols);
    J["global"] = numbers(K.Global);
    if (!K.Local.empty())
      J["local"] = numbers(K.Local);
    if (!K.Offset.empty())
      J["offset"] = numbers(K.Offset);
    if (!K.Device.empty())
      J["device"] = K.Device.S;
    for (auto [Name, T] : {std::pair("partition", &K.Partition), {"cost", &K.Cost}, {"priority", &K.Priority}})
      if (!T->empty())
        J[Name] = number(*T);
    if (!K.After.empty())
      J["after"] = ids(K.After);
    std::string Out = text(J);
    Out.pop_back();
    Out += ",\n     \"args\": [";
    const char *Separator = "\n       ";
    for (const ArgDoc &A : K.Args) {
      Out += Separator + text(arg(A));
      Separator = ",\n       ";
    }
    return Out + "]}";
  }

  const Document &D;
};

} // namespace

std::string writeHsched(const Document &D) { return Writer(D).write(); }

std::string writeMembers(const std::vector<MemberDoc> &Members) {
  const Document None;
  return Writer::text(Writer(None).members(Members));
}

} // namespace hsched::dag
