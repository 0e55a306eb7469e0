// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses dlopen with local binding, because two backends' drivers may bring different versions of one library.
#include "device/BackendLoader.h"

#include "base/Env.h"
#include "base/Log.h"

#include <cctype>
#include <cerrno>
#include <climits>
#include <dirent.h>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <sys/stat.h>

namespace hsched::rt {

static std::string folderOf(const std::string &Path) {
  size_t Slash = Path.find_last_of('/');
  return Slash == std::string::npos ? "." : Path.substr(0, Slash);
}

// The folder of this shared object, and the one that a symbolic link to it leads to.
static std::vector<std::string> ownFolders() {
  Dl_info Info;
  if (!dladdr(reinterpret_cast<const void *>(&pluginFolders), &Info) || !Info.dli_fname)
    return {};
  std::string Path = Info.dli_fname;
  // A program's name is the one it was called by, which may have no folder.
  char Real[PATH_MAX];
  if (Path.find('/') == std::string::npos && realpath("/proc/self/exe", Real))
    Path = Real;
  std::vector<std::string> Folders{folderOf(Path)};
  if (realpath(Path.c_str(), Real) && folderOf(Real) != Folders[0])
    Folders.push_back(folderOf(Real));
  return Folders;
}

std::vector<std::string> pluginFolders() {
  std::vector<std::string> Folders;
  std::string Paths = envString("HSCHED_PLUGIN_PATH").value_or("");
  for (size_t Begin = 0; Begin < Paths.size();) {
    size_t End = std::min(Paths.find(':', Begin), Paths.size());
    if (End > Begin)
      Folders.push_back(Paths.substr(Begin, End - Begin));
    Begin = End + 1;
  }
  for (const std::string &Own : ownFolders()) {
    Folders.push_back(Own + "/hsched");
    Folders.push_back(Own + "/../" HSCHED_LIBDIR "/hsched");
  }
  return Folders;
}

namespace {
// Loaded backends, by the path of their plugin. Never destroyed, see the header.
struct Loaded {
  std::mutex Lock; // Held during loading and enumeration: a backend serves one thread at a time.
  std::map<std::string, Backend *> Backends;
};
} // namespace

static Loaded &loaded() {
  static Loaded *L = new Loaded;
  return *L;
}

static status openPlugin(const std::string &Name, const std::string &Path, Backend *&Out) {
  void *Handle = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!Handle) {
    const char *Why = dlerror();
    return status::error(errc::unsupported,
                         "backend '" + Name + "' cannot be loaded: " + (Why ? Why : "no reason given"));
  }
  auto Version = reinterpret_cast<unsigned (*)()>(dlsym(Handle, "hsched_backend_version"));
  auto Create = reinterpret_cast<Backend *(*)()>(dlsym(Handle, "hsched_backend_create"));
  if (!Version || !Create)
    return status::error(errc::version_mismatch, "backend '" + Name + "': " + Path + " is not an hsched plugin");
  if (Version() != BackendInterfaceVersion)
    return status::error(errc::version_mismatch, "backend '" + Name + "': " + Path + " is made for interface " +
                                                     std::to_string(Version()) + ", this runtime has " +
                                                     std::to_string(BackendInterfaceVersion));
  Out = Create();
  if (!Out)
    return status::error(errc::internal, "backend '" + Name + "': " + Path + " did not start");
  return {};
}

static std::string fileOf(const std::string &Name) { return "libhsched-backend-" + Name + ".so"; }

std::string pluginPath(const std::string &Name) {
  for (const std::string &Folder : pluginFolders()) {
    std::string Path = Folder + "/" + fileOf(Name);
    struct stat Facts;
    if (stat(Path.c_str(), &Facts) == 0)
      return Path;
  }
  return {};
}

bool leavesChoice(const std::string &Selection) {
  std::string Text;
  for (unsigned char C : Selection)
    if (!std::isspace(C))
      Text += static_cast<char>(std::tolower(C));
  return Text.empty() || Text == "auto";
}

bool anyVendorInstalled() {
  if (envString("OCL_ICD_FILENAMES"))
    return true;
  std::string Folder = envString("OCL_ICD_VENDORS").value_or("");
  if (Folder.empty())
    Folder = "/etc/OpenCL/vendors";
  DIR *Entries = opendir(Folder.c_str());
  if (!Entries)
    return errno == ENOTDIR; // A driver is listed.
  bool Any = false;
  while (const dirent *E = readdir(Entries))
    Any |= E->d_name[0] != '.';
  closedir(Entries);
  return Any;
}

static status findBackend(const std::string &Name, Loaded &L, Backend *&Out) {
  std::string Path = pluginPath(Name), Tried;
  if (Path.empty()) {
    for (const std::string &Folder : pluginFolders())
      Tried += (Tried.empty() ? "" : ", ") + Folder;
    return status::error(errc::not_found, "backend '" + Name + "': no " + fileOf(Name) + " in " + Tried);
  }
  Backend *&Known = L.Backends[Path];
  if (!Known)
    if (status S = openPlugin(Name, Path, Known); !S.ok())
      return S;
  Out = Known;
  return {};
}

status loadBackends(const std::vector<std::string> &Names, const BackendOptions &Options,
                    std::vector<std::unique_ptr<Device>> &Out) {
  Loaded &L = loaded();
  std::lock_guard Guard(L.Lock);
  status First;
  std::string Messages;
  for (const std::string &Name : Names) {
    Backend *B = nullptr;
    std::vector<std::unique_ptr<Device>> Found;
    status S = findBackend(Name, L, B);
    if (S.ok())
      S = B->enumerate(Options, Found);
    for (std::unique_ptr<Device> &D : Found)
      Out.push_back(std::move(D));
    if (S.ok()) {
      log(LogLevel::Debug, "backend '%s': %zu device(s)", Name.c_str(), Found.size());
      continue;
    }
    Messages += (Messages.empty() ? "" : "\n") + S.message();
    if (First.ok())
      First = S;
  }
  if (First.ok() || First.message() == Messages)
    return First;
  return status::error(First.code(), Messages, First.native_code(), First.origin_file(), First.origin_line());
}

} // namespace hsched::rt
