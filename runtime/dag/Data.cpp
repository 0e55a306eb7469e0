// Files of arrays, random numbers, comparison.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Data.h"
#include "dag/Fields.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <unistd.h>
#include <utility>

namespace hsched::dag {
namespace {

size_t scalarsOf(const Datum &N) { return N.Type.K == ElementType::Raw ? 0 : N.Bytes / N.Type.ScalarBytes; }

// Calls F with a null pointer of the scalar's type.
template <class Fn> void withScalar(const Datum &N, Fn F) {
  const unsigned Bytes = N.Type.ScalarBytes;
  switch (N.Type.K) {
  case ElementType::Floating:
    return Bytes == 4 ? F(static_cast<float *>(nullptr)) : F(static_cast<double *>(nullptr));
  case ElementType::Signed:
    return Bytes == 1   ? F(static_cast<int8_t *>(nullptr))
           : Bytes == 2 ? F(static_cast<int16_t *>(nullptr))
           : Bytes == 4 ? F(static_cast<int32_t *>(nullptr))
                        : F(static_cast<int64_t *>(nullptr));
  default:
    return Bytes == 1   ? F(static_cast<uint8_t *>(nullptr))
           : Bytes == 2 ? F(static_cast<uint16_t *>(nullptr))
           : Bytes == 4 ? F(static_cast<uint32_t *>(nullptr))
                        : F(static_cast<uint64_t *>(nullptr));
  }
}

void needScalars(const Datum &N, const char *What) {
  if (N.Type.K == ElementType::Floating && N.Type.ScalarBytes == 2)
    N.InitAt.fail(std::string("data of type half ") + What);
}

template <class T> T converted(const Datum &N, double V) {
  // As a double, the greatest number of 64 bits is one more.
  if constexpr (!std::is_floating_point_v<T>)
    if (!(V >= static_cast<double>(std::numeric_limits<T>::min()) &&
          V <= static_cast<double>(std::numeric_limits<T>::max()) && V < std::ldexp(1, std::numeric_limits<T>::digits)))
      N.InitAt.fail("a value does not fit in an element of the buffer");
  if constexpr (std::is_floating_point_v<T>)
    if (std::isfinite(V) && !(std::abs(V) <= static_cast<double>(std::numeric_limits<T>::max())))
      N.InitAt.fail("a value does not fit in an element of the buffer");
  return static_cast<T>(V);
}

template <class T> T constantOf(const Datum &N) {
  if constexpr (std::is_integral_v<T>)
    if (N.Whole) {
      if (!std::in_range<T>(*N.Whole))
        N.InitAt.fail("a value does not fit in an element of the buffer");
      return static_cast<T>(*N.Whole);
    }
  return converted<T>(N, N.Constant);
}

// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): one state of 64
// bits.
struct SplitMix {
  uint64_t State;
  uint64_t operator()() {
    uint64_t Z = State += 0x9e3779b97f4a7c15u;
    Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9u;
    Z = (Z ^ (Z >> 27)) * 0x94d049bb133111ebu;
    return Z ^ (Z >> 31);
  }
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
};

struct NpyHeader {
  std::string Type;
  bool Fortran = false;
  std::vector<uint64_t> Shape;
  size_t Data = 0; // Begin of the data.
};

// The header is a Python dictionary with three entries in any order.
NpyHeader readHeader(const Source &In, const Place &At) {
  auto Fail = [&](const char *Why) { At.fail("file " + quote(In.Path) + " is not an .npy file: " + Why); };
  const std::string &S = In.Text;
  if (S.size() < 10 || S.compare(0, 6, "\x93NUMPY") != 0)
    Fail("it does not begin like one");
  const auto Byte = [&](size_t I) { return static_cast<size_t>(static_cast<unsigned char>(S[I])); };
  const unsigned Major = static_cast<unsigned char>(S[6]);
  size_t Length = Byte(8) | Byte(9) << 8, Begin = 10;
  if (Major >= 2) {
    if (S.size() < 12)
      Fail("its header is cut short");
    Length |= Byte(10) << 16 | Byte(11) << 24;
    Begin = 12;
  }
  if (Major < 1 || Major > 3)
    Fail("its version is not known here");
  if (Length > S.size() - Begin || Length > 65536)
    Fail("its header is cut short");
  const std::string Dict = S.substr(Begin, Length);
  NpyHeader H;
  H.Data = Begin + Length;
  auto Behind = [&](const char *Key) {
    size_t K = Dict.find(Key);
    if (K == std::string::npos || (K = Dict.find(':', K)) == std::string::npos)
      Fail("its header lacks something");
    return Dict.find_first_not_of(' ', K + 1);
  };
  const size_t Type = Behind("'descr'");
  const size_t TypeEnd =
      Type == std::string::npos || Dict[Type] != '\'' ? std::string::npos : Dict.find('\'', Type + 1);
  if (TypeEnd == std::string::npos)
    Fail("its elements are not numbers of one type");
  H.Type = Dict.substr(Type + 1, TypeEnd - Type - 1);
  const size_t Order = Behind("'fortran_order'");
  H.Fortran = Order != std::string::npos && Dict.compare(Order, 4, "True") == 0;
  size_t Digit = Behind("'shape'");
  if (Digit == std::string::npos || Dict[Digit] != '(')
    Fail("its shape is not a tuple");
  for (++Digit; Digit < Dict.size() && Dict[Digit] != ')';) {
    if (!std::isdigit(static_cast<unsigned char>(Dict[Digit]))) {
      if (Dict[Digit] != ' ' && Dict[Digit] != ',' && Dict[Digit] != 'L') // Python 2 writes 16L.
        Fail("its shape has something that is not a size");
      ++Digit;
      continue;
    }
    char *End = nullptr;
    errno = 0;
    H.Shape.push_back(std::strtoull(Dict.c_str() + Digit, &End, 10));
    if (errno || H.Shape.size() > 32)
      Fail("its shape is too large");
    Digit = static_cast<size_t>(End - Dict.c_str());
  }
  return H;
}

SourceRef readNpy(const Datum &N, const std::string &File, const Place &At, size_t &Begin) {
  SourceRef In = readSource(File, N.Bytes + (1 << 17), &At);
  const NpyHeader H = readHeader(*In, At);
  std::string Wanted = N.Type.numpy();
  std::string Given = H.Type;
  for (std::string *T : {&Wanted, &Given})
    if ((*T)[0] == '=' || (*T)[0] == '|')
      (*T)[0] = '<';
  if (Given == "<b1" && N.Type.ScalarBytes == 1)
    Given = Wanted;
  if (Given != Wanted)
    At.fail("file " + quote(File) + " has elements of type " + quote(H.Type) + ", not " + quote(N.Type.numpy()));
  if (H.Fortran && H.Shape.size() > 1)
    At.fail("file " + quote(File) + " has its columns one behind the other (Fortran's order), not its rows");
  size_t Count = 1;
  for (uint64_t S : H.Shape)
    if (__builtin_mul_overflow(Count, S, &Count))
      At.fail("file " + quote(File) + " claims more elements than there are numbers");
  const size_t Each = N.Type.K == ElementType::Raw ? N.Type.bytes() : N.Type.ScalarBytes;
  if (Count != N.Bytes / Each || In->Text.size() - H.Data < N.Bytes)
    At.fail("file " + quote(File) + " has " + std::to_string(Count) + " elements, not " +
            std::to_string(N.Bytes / Each) + (Count == N.Bytes / Each ? ", or is cut short" : ""));
  Begin = H.Data;
  return In;
}

// Text of so many bytes is enough for each number, with blanks and separators. The file may come from elsewhere, and
// could take more memory than the data that it fills.
constexpr size_t MostTextOfNumber = 64, MostTextBeside = size_t(1) << 16;

void fillCsv(const Datum &N, std::byte *Memory) {
  needScalars(N, "are not read from text");
  const size_t Numbers = std::min(scalarsOf(N), MostSourceBytes / MostTextOfNumber);
  SourceRef In = readSource(N.File, std::min(MostSourceBytes, MostTextBeside + Numbers * MostTextOfNumber), &N.InitAt);
  const char *At = In->Text.c_str();
  const char *const End = At + In->Text.size();
  const size_t Wanted = scalarsOf(N);
  size_t Count = 0;
  withScalar(N, [&](auto *Of) {
    using T = std::remove_pointer_t<decltype(Of)>;
    bool Separated = true; // A value may be missing before a separator.
    for (;; ++Count) {
      for (; At != End && (std::isspace(static_cast<unsigned char>(*At)) || *At == ',' || *At == ';'); ++At) {
        const bool Separator = *At == ',' || *At == ';';
        if (Separator && Separated)
          N.InitAt.fail("file " + quote(N.File) + ": number " + std::to_string(Count + 1) + " is missing");
        Separated = Separator || *At == '\n' || *At == '\r' || Separated;
      }
      if (At == End)
        break;
      Separated = false;
      char *Behind = nullptr;
      T V;
      errno = 0;
      if constexpr (std::is_floating_point_v<T>) {
        const double Read = std::strtod(At, &Behind);
        V = static_cast<T>(Read);
        if (std::isinf(V) && (std::isfinite(Read) || errno))
          N.InitAt.fail("file " + quote(N.File) + ": number " + std::to_string(Count + 1) + " does not fit");
      } else if constexpr (std::is_signed_v<T>) {
        const long long Read = std::strtoll(At, &Behind, 10);
        V = static_cast<T>(Read);
        if (V != Read || errno)
          N.InitAt.fail("file " + quote(N.File) + ": number " + std::to_string(Count + 1) + " does not fit");
      } else {
        const unsigned long long Read = std::strtoull(At, &Behind, 10);
        V = static_cast<T>(Read);
        if (V != Read || errno || *At == '-')
          N.InitAt.fail("file " + quote(N.File) + ": number " + std::to_string(Count + 1) + " does not fit");
      }
      if (Behind == At ||
          (Behind != End && !std::isspace(static_cast<unsigned char>(*Behind)) && *Behind != ',' && *Behind != ';'))
        N.InitAt.fail("file " + quote(N.File) + ": number " + std::to_string(Count + 1) + " cannot be read");
      At = Behind;
      if (Count < Wanted)
        std::memcpy(Memory + Count * sizeof(T), &V, sizeof(T));
    }
  });
  if (Count != Wanted)
    N.InitAt.fail("file " + quote(N.File) + " has " + std::to_string(Count) + " numbers, not " +
                  std::to_string(Wanted));
}

} // namespace

void fill(const Datum &N, std::byte *Memory) {
  switch (N.Init) {
  case InitDoc::None:
  case InitDoc::Zeros:
    std::memset(Memory, 0, N.Bytes);
    return;
  case InitDoc::Constant:
    needScalars(N, "begin as zeros, or are read from a file");
    withScalar(N, [&](auto *Of) {
      using T = std::remove_pointer_t<decltype(Of)>;
      std::fill_n(reinterpret_cast<T *>(Memory), scalarsOf(N), constantOf<T>(N));
    });
    return;
  case InitDoc::Random: {
    needScalars(N, "begin as zeros, or are read from a file");
    SplitMix Next{static_cast<uint64_t>(N.Seed)};
    withScalar(N, [&](auto *Of) {
      using T = std::remove_pointer_t<decltype(Of)>;
      (void)converted<T>(N, N.Low);
      (void)converted<T>(N, std::is_floating_point_v<T> ? N.High : N.High - 1);
      T *const To = reinterpret_cast<T *>(Memory);
      for (size_t I = 0, E = scalarsOf(N); I < E; ++I) {
        // Rounding may reach the bound, which no number does.
        double V = N.Low + (N.High - N.Low) * Next.unit();
        if (V >= N.High)
          V = std::nextafter(N.High, N.Low);
        To[I] = static_cast<T>(std::is_floating_point_v<T> ? V : std::floor(V));
        if constexpr (std::is_floating_point_v<T>)
          if (static_cast<double>(To[I]) >= N.High)
            To[I] = std::nextafter(To[I], std::numeric_limits<T>::lowest());
      }
    });
    return;
  }
  case InitDoc::Npy: {
    size_t Begin = 0;
    SourceRef In = readNpy(N, N.File, N.InitAt, Begin);
    std::memcpy(Memory, In->Text.data() + Begin, N.Bytes);
    return;
  }
  case InitDoc::Csv:
    return fillCsv(N, Memory);
  case InitDoc::Raw: {
    SourceRef In = readSource(N.File, N.Bytes, &N.InitAt);
    if (In->Text.size() != N.Bytes)
      N.InitAt.fail("file " + quote(N.File) + " has " + std::to_string(In->Text.size()) + " bytes, not " +
                    std::to_string(N.Bytes));
    std::memcpy(Memory, In->Text.data(), N.Bytes);
    return;
  }
  }
}

void save(const Datum &N, const std::byte *Memory, const std::string &File) {
  std::string Shape = "(" + std::to_string(N.Elements) + ",";
  if (N.Type.K != ElementType::Raw && N.Type.Lanes > 1)
    Shape += " " + std::to_string(N.Type.bytes() / N.Type.ScalarBytes);
  std::string Header = "{'descr': '" + N.Type.numpy() + "', 'fortran_order': False, 'shape': " + Shape + "), }";
  // Data begin at a multiple of 64 bytes.
  Header.append((64 - (10 + Header.size() + 1) % 64) % 64, ' ');
  Header += '\n';
  const std::string New = File + ".new-" + std::to_string(getpid());
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> Out(std::fopen(New.c_str(), "wbx"), std::fclose);
  if (!Out)
    N.OutputAt.fail("file " + quote(File) + " cannot be written: " + std::strerror(errno));
  const unsigned char Begin[10] = {0x93,
                                   'N',
                                   'U',
                                   'M',
                                   'P',
                                   'Y',
                                   1,
                                   0,
                                   static_cast<unsigned char>(Header.size() & 255),
                                   static_cast<unsigned char>(Header.size() >> 8)};
  bool Good = std::fwrite(Begin, 1, 10, Out.get()) == 10 &&
              std::fwrite(Header.data(), 1, Header.size(), Out.get()) == Header.size() &&
              std::fwrite(Memory, 1, N.Bytes, Out.get()) == N.Bytes;
  Good = std::fclose(Out.release()) == 0 && Good;
  if (!Good || std::rename(New.c_str(), File.c_str()) != 0) {
    const std::string Why = std::strerror(errno);
    (void)unlink(New.c_str());
    N.OutputAt.fail("file " + quote(File) + " cannot be written: " + Why);
  }
}

double compare(const Datum &N, const std::byte *Memory) {
  size_t Begin = 0;
  const Place &At = N.Expect.Npy.At;
  SourceRef In = readNpy(N, N.ExpectFile, At, Begin);
  const char *Expected = In->Text.data() + Begin;
  if (N.Type.K == ElementType::Raw || (N.Type.K == ElementType::Floating && N.Type.ScalarBytes == 2)) {
    if (std::memcmp(Expected, Memory, N.Bytes) != 0)
      At.fail("the result " + quote(N.Name) + " is not what file " + quote(N.ExpectFile) + " has");
    return 0;
  }
  double Greatest = 0;
  withScalar(N, [&](auto *Of) {
    using T = std::remove_pointer_t<decltype(Of)>;
    size_t Wrong = 0, First = 0;
    T FirstIs{}, FirstWanted{};
    for (size_t I = 0, E = scalarsOf(N); I < E; ++I) {
      T Is, Wanted;
      std::memcpy(&Is, Memory + I * sizeof(T), sizeof(T));
      std::memcpy(&Wanted, Expected + I * sizeof(T), sizeof(T));
      if (Is == Wanted)
        continue;
      if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(Is) && std::isnan(Wanted))
          continue;
      const double Off = std::abs(static_cast<double>(Is) - static_cast<double>(Wanted));
      const double Size = std::abs(static_cast<double>(Wanted));
      if (std::isfinite(Size) && Off <= N.Expect.Absolute + N.Expect.Relative * Size && Off > 0) {
        if (Off > N.Expect.Absolute)
          Greatest = std::max(Greatest, (Off - N.Expect.Absolute) / Size);
        continue;
      }
      if (!Wrong++) {
        First = I;
        FirstIs = Is;
        FirstWanted = Wanted;
      }
    }
    if (Wrong) {
      char Text[160];
      std::snprintf(Text, sizeof(Text), "element %zu is %.9g, not %.9g; %zu of %zu differ by more than allowed", First,
                    static_cast<double>(FirstIs), static_cast<double>(FirstWanted), Wrong, scalarsOf(N));
      At.fail("the result " + quote(N.Name) + " is not what file " + quote(N.ExpectFile) + " has: " + Text);
    }
  });
  return Greatest;
}

} // namespace hsched::dag
