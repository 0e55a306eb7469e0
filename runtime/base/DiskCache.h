// A disk cache for expensive results: built programs, measured links.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file for each key, written under another name and renamed: a reader sees complete entries, whichever processes
// write. A file that is truncated, changed, of another format, key or user counts as absent. A folder that cannot be
// made, read or written is no error.
#ifndef HSCHED_BASE_DISKCACHE_H
#define HSCHED_BASE_DISKCACHE_H

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace hsched::rt {

// The folder that HSCHED_CACHE names: unset, empty, 1 or on: ${XDG_CACHE_HOME:-~/.cache}/hsched; 0 or off: none, and
// the result is empty; anything with a '/' is a folder. Any other value gives a warning and means the default. Empty
// also without a home folder.
std::string cacheFolder();

// Joins fields into one key, injectively.
std::string cacheKey(std::initializer_list<std::string_view> Fields);

// Any thread, any number of processes.
class DiskCache {
public:
  // Entries lie in Folder, which need not exist; an empty name switches the cache off. Together they take at most
  // MostBytes; the least recently used are removed first.
  DiskCache(std::string Folder, uint64_t MostBytes) : Folder(std::move(Folder)), MostBytes(MostBytes) {}
  // The subfolder Kind of cacheFolder().
  static DiskCache ofUser(const std::string &Kind, uint64_t MostBytes);

  bool on() const { return !Folder.empty(); }
  std::optional<std::string> load(std::string_view Key) const;
  // Values larger than MostBytes / 4 are not kept.
  void store(std::string_view Key, std::string_view Value) const;
  // A descriptor of the folder, which is made if needed; -1: there is none. The caller closes it. With flock() on it,
  // one process at a time makes an entry.
  int openFolder() const;
  // Path of Key's entry, whether it exists or not.
  std::string pathOf(std::string_view Key) const;

private:
  void trim() const;

  std::string Folder;
  uint64_t MostBytes;
};

} // namespace hsched::rt
#endif
