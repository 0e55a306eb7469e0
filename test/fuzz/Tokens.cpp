// Mutations that keep words whole: random bytes alone seldom get past a parser.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *Data, std::size_t Size, std::size_t MaxSize);

namespace {

using Words = std::vector<std::string>;

bool isWord(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; }

// Words, runs of blanks, and everything else by the character.
Words split(const std::uint8_t *Data, std::size_t Size) {
  Words Out;
  for (std::size_t I = 0; I != Size;) {
    const char C = static_cast<char>(Data[I]);
    std::size_t End = I + 1;
    while (End != Size && ((isWord(C) && isWord(static_cast<char>(Data[End]))) || (C == ' ' && Data[End] == ' ')))
      ++End;
    Out.emplace_back(reinterpret_cast<const char *>(Data) + I, End - I);
    I = End;
  }
  return Out;
}

const char *const Numbers[] = {"0",
                               "1",
                               "-1",
                               "2",
                               "3",
                               "64",
                               "2147483647",
                               "2147483648",
                               "4294967295u",
                               "9223372036854775807l",
                               "18446744073709551615ul",
                               "0x7fffffff",
                               "1e9"};

struct Mutator {
  std::mt19937 Random;
  Words List;

  std::size_t below(std::size_t N) { return N ? Random() % N : 0; }

  // From a bracket to the one that closes it, or a few words.
  std::pair<std::size_t, std::size_t> range() {
    const std::size_t Begin = below(List.size());
    std::size_t End = std::min(List.size(), Begin + 1 + below(8));
    static const std::string Open = "([{", Close = ")]}";
    if (Open.find(List[Begin]) != std::string::npos && List[Begin].size() == 1) {
      int Depth = 0;
      for (std::size_t I = Begin; I != List.size(); ++I) {
        Depth += Open.find(List[I]) != std::string::npos && List[I].size() == 1;
        Depth -= Close.find(List[I]) != std::string::npos && List[I].size() == 1;
        if (Depth == 0) {
          End = I + 1;
          break;
        }
      }
    }
    return {Begin, End};
  }

  void once() {
    if (List.empty())
      return;
    const auto [Begin, End] = range();
    const auto At = [&](std::size_t I) { return List.begin() + static_cast<std::ptrdiff_t>(I); };
    switch (below(6)) {
    case 0:
      List.erase(At(Begin), At(End));
      break;
    case 1: {
      const Words Copy(At(Begin), At(End));
      List.insert(At(below(List.size() + 1)), Copy.begin(), Copy.end());
      break;
    }
    case 2:
      std::swap(List[Begin], List[below(List.size())]);
      break;
    case 3:
      List[Begin] = List[below(List.size())];
      break;
    case 4:
      List[Begin] = Numbers[below(std::size(Numbers))];
      break;
    case 5: {
      // One bracketed part or run of words in the place of another.
      const Words Copy(At(Begin), At(End));
      const auto [To, ToEnd] = range();
      List.erase(At(To), At(ToEnd));
      List.insert(At(To), Copy.begin(), Copy.end());
      break;
    }
    }
  }
};

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *Data, std::size_t Size, std::size_t MaxSize,
                                               unsigned int Seed) {
  Mutator M{std::mt19937(Seed), {}};
  if (Size == 0 || M.below(4) == 0)
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  M.List = split(Data, Size);
  for (std::size_t Times = 1 + M.below(4); Times-- != 0;)
    M.once();
  std::string Text;
  for (const std::string &Word : M.List)
    Text += Word;
  if (Text.size() > MaxSize)
    Text.resize(MaxSize);
  std::memcpy(Data, Text.data(), Text.size());
  return Text.size();
}
