// Values that are dear to find out, kept on disk between runs: built programs, measured links.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file a key, written under another name and renamed: a reader sees all of an entry or none, whichever processes
// write meanwhile. What is not as it was written (cut short, changed, of another format, of another key with the same
// name, another user's) counts as not there. That the folder cannot be made, read or written is no error.
#ifndef HSCHED_BASE_DISKCACHE_H
#define HSCHED_BASE_DISKCACHE_H

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace hsched::rt {

// The folder that HSCHED_CACHE names: unset, empty, 1 or on: ${XDG_CACHE_HOME:-~/.cache}/hsched; 0 or off: none, and
// the result is empty; anything with a '/' is a folder. Any other value is warned about and means the default. Empty
// too where there is no home.
std::string cacheFolder();

// Fields as one key: different fields never give the same.
std::string cacheKey(std::initializer_list<std::string_view> Fields);

// Any thread, any number of processes.
class DiskCache {
public:
  // Entries lie in Folder, which need not exist; an empty name switches the cache off. All of them together take at
  // most MostBytes: those not used for longest go first.
  DiskCache(std::string Folder, uint64_t MostBytes) : Folder(std::move(Folder)), MostBytes(MostBytes) {}
  // The subfolder Kind of cacheFolder().
  static DiskCache ofUser(const std::string &Kind, uint64_t MostBytes);

  bool on() const { return !Folder.empty(); }
  std::optional<std::string> load(std::string_view Key) const;
  // A value of more than a quarter of MostBytes is not kept.
  void store(std::string_view Key, std::string_view Value) const;
  // Where Key's entry is or would be.
  std::string pathOf(std::string_view Key) const;

private:
  void trim() const;

  std::string Folder;
  uint64_t MostBytes;
};

} // namespace hsched::rt
#endif
