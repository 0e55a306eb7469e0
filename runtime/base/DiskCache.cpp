// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/DiskCache.h"
#include "base/Env.h"
#include "base/Hash.h"
#include "base/Log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace hsched::rt {
namespace {

// Header of an entry's file, followed by key and value. In the machine's byte order: another byte order gives other
// lengths.
struct Header {
  char Magic[8];
  uint32_t Format; // Versions of this header and of the data behind it.
  uint32_t HeaderBytes;
  uint64_t KeyBytes, ValueBytes;
  uint64_t Sum; // Checksum of everything else.
};
constexpr char Magic[8] = {'h', 's', 'c', 'h', 'e', 'd', '\x1a', '\n'};
constexpr uint32_t Format = 1;
static_assert(sizeof(Header) == 40, "no padding, which would be written");

Header headerOf(std::string_view Key, std::string_view Value) {
  Header H = {};
  std::memcpy(H.Magic, Magic, sizeof(Magic));
  H.Format = Format;
  H.HeaderBytes = sizeof(Header);
  H.KeyBytes = Key.size();
  H.ValueBytes = Value.size();
  H.Sum = fnv1a(Value, fnv1a(Key, fnv1a({reinterpret_cast<const char *>(&H), offsetof(Header, Sum)})));
  return H;
}

class File {
public:
  explicit File(int Number) : Number(Number) {}
  ~File() {
    if (Number >= 0)
      close(Number);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  const int Number;
};

bool readAll(int F, char *To, size_t Bytes) {
  while (Bytes) {
    ssize_t N = read(F, To, Bytes);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    To += N;
    Bytes -= static_cast<size_t>(N);
  }
  return true;
}

bool writeAll(int F, std::string_view Text) {
  while (!Text.empty()) {
    ssize_t N = write(F, Text.data(), Text.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    Text.remove_prefix(static_cast<size_t>(N));
  }
  return true;
}

// Makes Folder and its parents, accessible only to the user. Returns the last one's error number; 0: it exists.
int makeFolders(const std::string &Folder) {
  for (size_t End = 1; End <= Folder.size(); ++End)
    if (End == Folder.size() || Folder[End] == '/')
      if (mkdir(Folder.substr(0, End).c_str(), 0700) != 0 && errno != EEXIST && End == Folder.size())
        return errno;
  return 0;
}

// Warns once per process: results are correct without a cache.
void complain(const std::string &Folder, int Error) {
  static std::atomic<bool> Warned{false};
  if (!Warned.exchange(true))
    log(LogLevel::Debug, "nothing is kept in %s: %s", Folder.c_str(), std::generic_category().message(Error).c_str());
}

} // namespace

std::string cacheFolder() {
  std::string Value = envString("HSCHED_CACHE").value_or("");
  if (Value.find('/') != std::string::npos)
    return Value;
  if (!envFlag("HSCHED_CACHE", true))
    return {};
  // The specification of XDG_CACHE_HOME says that relative paths are ignored.
  if (std::string Cache = envString("XDG_CACHE_HOME").value_or(""); Cache.starts_with('/'))
    return Cache + "/hsched";
  std::string Home = envString("HOME").value_or("");
  return Home.starts_with('/') ? Home + "/.cache/hsched" : "";
}

std::string cacheKey(std::initializer_list<std::string_view> Fields) {
  std::string Key;
  for (std::string_view Field : Fields)
    Key.append(std::to_string(Field.size())).append(":").append(Field);
  return Key;
}

DiskCache DiskCache::ofUser(const std::string &Kind, uint64_t MostBytes) {
  std::string Folder = cacheFolder();
  return {Folder.empty() ? "" : Folder + "/" + Kind, MostBytes};
}

std::string DiskCache::pathOf(std::string_view Key) const {
  static const char Digits[] = "0123456789abcdef";
  std::string Name;
  uint64_t H = fnv1a(Key);
  for (int Shift = 60; Shift >= 0; Shift -= 4)
    Name += Digits[H >> Shift & 15];
  return Folder + "/" + Name;
}

std::optional<std::string> DiskCache::load(std::string_view Key) const {
  if (!on())
    return std::nullopt;
  File F(open(pathOf(Key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat About;
  Header H;
  // Programs are loaded from here, so files of other users are not accepted.
  if (F.Number < 0 || fstat(F.Number, &About) != 0 || !S_ISREG(About.st_mode) || About.st_uid != geteuid() ||
      !readAll(F.Number, reinterpret_cast<char *>(&H), sizeof(H)))
    return std::nullopt;
  // Lengths are checked before so much memory is allocated.
  auto Size = static_cast<uint64_t>(About.st_size);
  if (std::memcmp(H.Magic, Magic, sizeof(Magic)) != 0 || H.Format != Format || H.HeaderBytes != sizeof(H) ||
      H.KeyBytes != Key.size() || H.KeyBytes > Size || H.ValueBytes != Size - H.KeyBytes - sizeof(H))
    return std::nullopt;
  std::string ItsKey(Key.size(), 0), Value(H.ValueBytes, 0);
  if (!readAll(F.Number, ItsKey.data(), ItsKey.size()) || ItsKey != Key ||
      !readAll(F.Number, Value.data(), Value.size()) || headerOf(Key, Value).Sum != H.Sum)
    return std::nullopt;
  futimens(F.Number, nullptr); // For trim: marks it as used.
  return Value;
}

void DiskCache::store(std::string_view Key, std::string_view Value) const {
  if (!on() || sizeof(Header) + Key.size() + Value.size() > MostBytes / 4)
    return;
  if (int Error = makeFolders(Folder))
    return complain(Folder, Error);
  std::string Path = pathOf(Key), New = Folder + "/new-XXXXXX";
  Header H = headerOf(Key, Value);
  bool Written = false;
  {
    File F(mkostemp(New.data(), O_CLOEXEC));
    if (F.Number < 0)
      return complain(Folder, errno);
    Written = writeAll(F.Number, {reinterpret_cast<const char *>(&H), sizeof(H)}) && writeAll(F.Number, Key) &&
              writeAll(F.Number, Value);
  }
  if (!Written || rename(New.c_str(), Path.c_str()) != 0) {
    complain(Folder, errno);
    unlink(New.c_str());
    return;
  }
  trim();
}

int DiskCache::openFolder() const {
  if (!on() || makeFolders(Folder))
    return -1;
  return open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void DiskCache::trim() const {
  namespace fs = std::filesystem;
  struct Entry {
    fs::file_time_type Used;
    uint64_t Bytes;
    fs::path Path;
  };
  // A write takes less than an hour: its process has ended.
  const auto Stale = fs::file_time_type::clock::now() - std::chrono::hours(1);
  std::vector<Entry> Entries;
  uint64_t All = 0;
  std::error_code Vanished; // Other processes trim too.
  for (fs::directory_iterator I(Folder, Vanished), End; !Vanished && I != End; I.increment(Vanished)) {
    std::error_code No;
    auto Used = I->last_write_time(No);
    uint64_t Bytes = No ? 0 : I->file_size(No);
    if (No)
      continue;
    if (I->path().filename().native().starts_with("new-")) {
      if (Used < Stale)
        fs::remove(I->path(), No);
      continue;
    }
    Entries.push_back({Used, Bytes, I->path()});
    All += Bytes;
  }
  if (All <= MostBytes)
    return;
  std::ranges::sort(Entries, {}, &Entry::Used);
  for (const Entry &E : Entries) {
    if (All <= MostBytes / 4 * 3) // Leaves space for further entries.
      break;
    std::error_code No;
    fs::remove(E.Path, No);
    All -= E.Bytes;
  }
}

} // namespace hsched::rt
