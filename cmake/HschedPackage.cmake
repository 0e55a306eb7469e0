# Debian packages: `cpack -G DEB` in a build tree. One for each component of the installation; packaging/README.md says more.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Generated source that another compiler reads takes the version from the header.
math(EXPR Number "${PROJECT_VERSION_MAJOR} * 10000 + ${PROJECT_VERSION_MINOR} * 100 + ${PROJECT_VERSION_PATCH}")
file(STRINGS include/hsched/gen.h Line REGEX "^#define __HSCHED__ ${Number}$")
if(NOT Line)
  message(FATAL_ERROR "include/hsched/gen.h does not define __HSCHED__ as ${Number}, which is version ${PROJECT_VERSION}")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hsched)
set(CPACK_PACKAGE_VENDOR "hsched")
set(CPACK_PACKAGE_CONTACT "hsched maintainers <maintainers@hsched.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Annotated C++ whose functions run as tasks on CPU cores and OpenCL devices")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
# Debug information of a build that has some goes into packages of its own, NAME-dbgsym. gdb finds it by build id.
if(CMAKE_BUILD_TYPE MATCHES "^(RelWithDebInfo|Debug)$")
  set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
  set(CPACK_STRIP_FILES OFF) # Otherwise files are stripped before CPack takes the information from them.
else()
  set(CPACK_STRIP_FILES ON)
endif()
set(CPACK_COMPONENTS_ALL runtime dev)
if(TARGET hsched-cc)
  list(APPEND CPACK_COMPONENTS_ALL compiler)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF) # Said below, with versions.
# What the binaries need is asked of dpkg-shlibdeps, where it is there; the runtime is found in the build tree.
find_program(HSCHED_SHLIBDEPS dpkg-shlibdeps DOC "dpkg-shlibdeps of Debian's dpkg-dev")
if(HSCHED_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
endif()

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libhsched1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libhwloc15") # Loaded at run time.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/deb/triggers)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The runtime: library, OpenCL backend, hsched-info, hsched-model, hsched-run, hsched-sim, hsched-explain, hsched-report.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libhsched-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libhsched1 (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, files for CMake, pkg-config, gdb and editors, and the documentation.")

set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME hsched)
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "libhsched-dev (= ${PROJECT_VERSION}), g++, libclang-common-19-dev")
set(CPACK_DEBIAN_COMPILER_PACKAGE_RECOMMENDS "opencl-c-headers")
set(CPACK_COMPONENT_COMPILER_DESCRIPTION "hsched-cc and hsched-c, which compile annotated C++ and C, hsched-kinfo and hsched-port.")
include(CPack)
