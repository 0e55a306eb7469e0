// Reading type names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/ElementType.h"

#include <charconv>
#include <iterator>

namespace hsched::dag {

std::string ElementType::numpy() const {
  if (K == Raw)
    return "|V" + std::to_string(bytes());
  const char Letter = K == Floating ? 'f' : K == Signed ? 'i' : 'u';
  return (ScalarBytes == 1 ? "|" : "<") + std::string(1, Letter) + std::to_string(ScalarBytes);
}

std::optional<ElementType> elementType(std::string_view Name) {
  struct Known {
    std::string_view Name;
    ElementType::Kind K;
    unsigned Bytes;
  };
  static constexpr Known Scalars[] = {
      {"char", ElementType::Signed, 1},
      {"signed char", ElementType::Signed, 1},
      {"uchar", ElementType::Unsigned, 1},
      {"unsigned char", ElementType::Unsigned, 1},
      {"short", ElementType::Signed, 2},
      {"ushort", ElementType::Unsigned, 2},
      {"unsigned short", ElementType::Unsigned, 2},
      {"int", ElementType::Signed, 4},
      {"uint", ElementType::Unsigned, 4},
      {"unsigned int", ElementType::Unsigned, 4},
      {"unsigned", ElementType::Unsigned, 4},
      {"long", ElementType::Signed, 8},
      {"ulong", ElementType::Unsigned, 8},
      {"unsigned long", ElementType::Unsigned, 8},
      {"size_t", ElementType::Unsigned, 8},
      {"ptrdiff_t", ElementType::Signed, 8},
      {"half", ElementType::Floating, 2},
      {"float", ElementType::Floating, 4},
      {"double", ElementType::Floating, 8},
      {"bool", ElementType::Unsigned, 1},
  };
  auto CountBehind = [&](size_t At) -> std::optional<unsigned> {
    unsigned N = 0;
    const char *End = Name.data() + Name.size();
    auto [Stopped, Bad] = std::from_chars(Name.data() + At, End, N);
    if (Bad != std::errc() || Stopped != End || At == Name.size())
      return std::nullopt;
    return N;
  };
  if (constexpr std::string_view Struct = "struct "; Name.substr(0, Struct.size()) == Struct) {
    std::optional<unsigned> Bytes = CountBehind(Struct.size());
    if (!Bytes || *Bytes == 0 || *Bytes > (1u << 20))
      return std::nullopt;
    return ElementType{ElementType::Raw, 1, *Bytes};
  }
  for (const Known &S : Scalars) {
    if (Name == S.Name)
      return ElementType{S.K, S.Bytes, 1};
    if (Name.substr(0, S.Name.size()) != S.Name || S.Name.find(' ') != std::string_view::npos || S.Name == "size_t" ||
        S.Name == "ptrdiff_t" || S.Name == "bool" || S.Name == "unsigned" || Name[S.Name.size()] == '0')
      continue;
    if (std::optional<unsigned> Lanes = CountBehind(S.Name.size()))
      if (*Lanes == 2 || *Lanes == 3 || *Lanes == 4 || *Lanes == 8 || *Lanes == 16)
        return ElementType{S.K, S.Bytes, *Lanes};
  }
  return std::nullopt;
}

} // namespace hsched::dag
