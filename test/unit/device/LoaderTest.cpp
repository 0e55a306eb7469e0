// What the plugin loader makes of plugins that are missing, wrong or empty.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/BackendLoader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace hsched;
using namespace hsched::rt;

namespace {

class LoaderTest : public testing::Test {
protected:
  void SetUp() override { setenv("HSCHED_PLUGIN_PATH", "/nonexistent::" TEST_PLUGINS, 1); }

  status load(const std::vector<std::string> &Names, const char *Selection = "") {
    BackendOptions Options;
    Options.Selection = Selection;
    return loadBackends(Names, Options, Devices);
  }
  std::vector<std::unique_ptr<Device>> Devices;
};

bool contains(const std::string &Text, const std::string &Part) { return Text.find(Part) != std::string::npos; }

} // namespace

TEST_F(LoaderTest, LooksInThePathFirst) {
  std::vector<std::string> Folders = pluginFolders();
  ASSERT_GE(Folders.size(), 3u);
  EXPECT_EQ(Folders[0], "/nonexistent");
  EXPECT_EQ(Folders[1], TEST_PLUGINS);
  EXPECT_TRUE(Folders[2].ends_with("/hsched")) << Folders[2];
}

TEST_F(LoaderTest, LoadsAPluginWithoutDevices) {
  status S = load({"nothing"});
  EXPECT_TRUE(S.ok()) << S.message();
  EXPECT_TRUE(Devices.empty());
  EXPECT_TRUE(load({"nothing"}).ok()) << "a second time";
}

TEST_F(LoaderTest, ReportsTheSearchPathOfAMissingPlugin) {
  status S = load({"absent"});
  EXPECT_EQ(S.code(), errc::not_found);
  EXPECT_TRUE(contains(S.message(), "libhsched-backend-absent.so")) << S.message();
  EXPECT_TRUE(contains(S.message(), TEST_PLUGINS)) << S.message();
}

TEST_F(LoaderTest, RefusesAnotherInterface) {
  status S = load({"oldversion"});
  EXPECT_EQ(S.code(), errc::version_mismatch);
  EXPECT_TRUE(contains(S.message(), std::to_string(BackendInterfaceVersion + 1000))) << S.message();
  EXPECT_EQ(load({"oldversion"}).code(), errc::version_mismatch) << "a second time";
}

TEST_F(LoaderTest, RefusesWhatIsNoPlugin) {
  status S = load({"noplugin"});
  EXPECT_EQ(S.code(), errc::version_mismatch);
  EXPECT_TRUE(contains(S.message(), "not an hsched plugin")) << S.message();
}

TEST_F(LoaderTest, GivesTheDynamicLinkersReason) {
  std::filesystem::path Folder = std::filesystem::path(testing::TempDir()) / "hsched-loader-test";
  std::filesystem::create_directories(Folder);
  std::ofstream(Folder / "libhsched-backend-broken.so") << "this is text";
  setenv("HSCHED_PLUGIN_PATH", Folder.c_str(), 1);
  status S = load({"broken"});
  EXPECT_EQ(S.code(), errc::unsupported);
  EXPECT_TRUE(contains(S.message(), "cannot be loaded")) << S.message();
  EXPECT_TRUE(contains(S.message(), "libhsched-backend-broken.so")) << S.message();
  std::filesystem::remove_all(Folder);
}

TEST_F(LoaderTest, OneFailureDoesNotStopTheOthers) {
  status S = load({"absent", "nothing", "oldversion"});
  EXPECT_EQ(S.code(), errc::not_found);
  EXPECT_TRUE(contains(S.message(), "backend 'absent'")) << S.message();
  EXPECT_TRUE(contains(S.message(), "\nbackend 'oldversion'")) << S.message();
}

TEST_F(LoaderTest, HandsOnThePluginsOwnError) {
  status S = load({"nothing"}, "bad");
  EXPECT_EQ(S.code(), errc::invalid_argument);
  EXPECT_EQ(S.message(), "nothing: bad selection");
}
