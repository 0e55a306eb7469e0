// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Driver.h"

#include "api/Watch.h"
#include "base/Env.h"
#include "base/Log.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <dlfcn.h>

namespace hsched::icd {
namespace {

namespace fs = std::filesystem;
using rt::LogLevel;

constexpr const char *SystemVendors = "/etc/OpenCL/vendors";

// True if a file is the library that contains this code.
bool isThisLibrary(const char *File) {
  Dl_info Own{};
  std::error_code Error;
  return dladdr(reinterpret_cast<void *>(&isThisLibrary), &Own) && Own.dli_fname &&
         fs::equivalent(File, Own.dli_fname, Error) && !Error;
}

// The path that the dynamic linker would use; the name itself if the library cannot be loaded.
std::string pathOf(void *Library, const std::string &Name) {
  char Folder[4096];
  if (Name.find('/') != std::string::npos || dlinfo(Library, RTLD_DI_ORIGIN, Folder) != 0)
    return Name;
  return std::string(Folder) + "/" + Name;
}

void addPlatforms(const std::string &Name, std::vector<std::unique_ptr<Driver>> &To) {
  if (Name.find('/') != std::string::npos && isThisLibrary(Name.c_str()))
    return;
  void *Library = dlopen(Name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!Library)
    return rt::log(LogLevel::Info, "OpenCL platform: %s is left out: %s", Name.c_str(), dlerror());
  if (isThisLibrary(pathOf(Library, Name).c_str()))
    return;
  auto Address =
      reinterpret_cast<cl_api_clGetExtensionFunctionAddress>(dlsym(Library, "clGetExtensionFunctionAddress"));
  auto Platforms = Address ? reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(Address("clIcdGetPlatformIDsKHR")) : nullptr;
  cl_uint N = 0;
  if (!Platforms || Platforms(0, nullptr, &N) != CL_SUCCESS || !N)
    return rt::log(LogLevel::Debug, "OpenCL platform: %s has no platform", Name.c_str());
  std::vector<cl_platform_id> Ids(N);
  if (Platforms(N, Ids.data(), nullptr) != CL_SUCCESS)
    return;
  for (cl_platform_id Id : Ids) {
    auto D = std::make_unique<Driver>();
    D->Id = Id;
    auto Info = [&](cl_platform_info What) {
      return textOf([&](size_t Bytes, void *Text, size_t *Needed) {
        return table(Id).clGetPlatformInfo(Id, What, Bytes, Text, Needed);
      });
    };
    D->Name = Info(CL_PLATFORM_NAME);
    D->Lazy = D->Name.find("Oclgrind") != std::string::npos;
    if (D->Lazy)
      SerialTable::Vendors = *reinterpret_cast<const cl_icd_dispatch *const *>(Id);
    D->Version = versionOf(Info(CL_PLATFORM_VERSION));
    if (D->Version < 120) {
      rt::log(LogLevel::Info, "OpenCL platform: %s is left out: it is older than OpenCL 1.2", D->Name.c_str());
      continue;
    }
    To.push_back(std::move(D));
  }
}

} // namespace

unsigned versionOf(const std::string &Text) {
  unsigned Major = 0, Minor = 0;
  return std::sscanf(Text.c_str(), "OpenCL %u.%u", &Major, &Minor) == 2 ? Major * 100 + Minor * 10 : 0;
}

std::vector<std::string> librariesIn(const std::string &FolderOrFile) {
  std::error_code Error;
  std::vector<fs::path> Files;
  if (fs::is_directory(FolderOrFile, Error)) {
    for (fs::directory_iterator I(FolderOrFile, Error), End; !Error && I != End; I.increment(Error))
      if (I->path().extension() == ".icd")
        Files.push_back(I->path());
    std::sort(Files.begin(), Files.end());
  } else if (fs::exists(FolderOrFile, Error)) {
    Files.emplace_back(FolderOrFile);
  }
  std::vector<std::string> Libraries;
  for (const fs::path &File : Files) {
    std::ifstream In(File);
    std::string Line;
    std::getline(In, Line);
    while (!Line.empty() && std::isspace(static_cast<unsigned char>(Line.back())))
      Line.pop_back();
    if (!Line.empty())
      Libraries.push_back(Line);
  }
  return Libraries;
}

const std::vector<std::unique_ptr<Driver>> &drivers() {
  static const auto &All = *[] {
    hsched_warn_about_settings();
    auto *Found = new std::vector<std::unique_ptr<Driver>>;
    for (const std::string &Library : librariesIn(rt::envString("HSCHED_OPENCL_VENDORS").value_or(SystemVendors)))
      addPlatforms(Library, *Found);
    return Found;
  }();
  return All;
}

} // namespace hsched::icd
