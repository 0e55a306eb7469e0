// Files that name vendors' libraries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Driver.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace hsched::icd {
namespace {

TEST(DriverTest, Versions) {
  EXPECT_EQ(versionOf("OpenCL 3.0 PoCL"), 300u);
  EXPECT_EQ(versionOf("OpenCL 1.2 "), 120u);
  EXPECT_EQ(versionOf("something"), 0u);
}

TEST(DriverTest, FilesOfAFolder) {
  auto Folder = std::filesystem::temp_directory_path() / ("hsched-icd-" + std::to_string(getpid()));
  std::filesystem::create_directories(Folder);
  std::ofstream(Folder / "b.icd") << "libb.so \n";
  std::ofstream(Folder / "a.icd") << "/x/liba.so";
  std::ofstream(Folder / "c.txt") << "no.so";
  std::ofstream(Folder / "d.icd") << "";
  EXPECT_EQ(librariesIn(Folder.string()), (std::vector<std::string>{"/x/liba.so", "libb.so"}));
  EXPECT_EQ(librariesIn((Folder / "b.icd").string()), std::vector<std::string>{"libb.so"});
  EXPECT_TRUE(librariesIn("/nowhere/at/all").empty());
  std::filesystem::remove_all(Folder);
}

} // namespace
} // namespace hsched::icd
