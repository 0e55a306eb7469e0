# One target a component, its dependencies listed.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

add_library(hsched_flags INTERFACE)
target_compile_options(hsched_flags INTERFACE -Wall -Wextra -Wpedantic)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Deprecated is, of all that is called, what std::stable_sort of libstdc++ 12 itself calls.
  target_compile_options(hsched_flags INTERFACE -Wthread-safety -Wno-deprecated-declarations)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # "text" + std::string in C++20: GCC bug 105651, false alarms under three names.
  target_compile_options(hsched_flags INTERFACE -Wno-restrict
    $<$<NOT:$<CONFIG:Debug>>:-Wno-stringop-overflow> $<$<NOT:$<CONFIG:Debug>>:-Wno-array-bounds>)
endif()
if(HSCHED_WERROR)
  target_compile_options(hsched_flags INTERFACE -Werror)
endif()

add_library(hsched_sanitize INTERFACE)
if(HSCHED_SANITIZE)
  target_compile_options(hsched_sanitize INTERFACE -fsanitize=${HSCHED_SANITIZE} -fno-omit-frame-pointer)
  # A failed check traps. A call that reports it takes twice the time to compile, and a million relocations a program.
  # AddressSanitizer reports the trap with its stack (ASAN_OPTIONS=handle_sigill=1).
  if(HSCHED_SANITIZE MATCHES "undefined")
    target_compile_options(hsched_sanitize INTERFACE -fsanitize-undefined-trap-on-error)
  endif()
  target_link_options(hsched_sanitize INTERFACE -fsanitize=${HSCHED_SANITIZE})
  # Clang links its sanitizers into programs. As a library, as GCC has them, they leave no undefined symbol in libraries,
  # and tests can replace operator new.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
      OUTPUT_VARIABLE SanitizerLibrary OUTPUT_STRIP_TRAILING_WHITESPACE)
    cmake_path(GET SanitizerLibrary PARENT_PATH SanitizerFolder)
    target_link_options(hsched_sanitize INTERFACE -shared-libsan "LINKER:-rpath,${SanitizerFolder}")
  endif()
endif()

if(HSCHED_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HSCHED_FUZZ needs Clang: -DCMAKE_CXX_COMPILER=clang++-19")
  endif()
  # Everything is measured; the fuzzers themselves bring libFuzzer.
  set(HschedFuzzFlags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr,function
      -fno-sanitize-recover=undefined)
  target_compile_options(hsched_sanitize INTERFACE ${HschedFuzzFlags} -fno-omit-frame-pointer)
  target_link_options(hsched_sanitize INTERFACE ${HschedFuzzFlags})
endif()

add_library(hsched_headers INTERFACE)
target_include_directories(hsched_headers INTERFACE ${CMAKE_SOURCE_DIR}/include)

# hsched_unity(NAME MOST [b.cpp ...]): compiles up to MOST sources of a target as one unit, where HSCHED_UNITY is on. The
# sources named are compiled alone.
function(hsched_unity NAME MOST)
  if(HSCHED_UNITY)
    set_target_properties(${NAME} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${MOST})
    # In a unity build, anonymous namespaces are not in the main file, but no type is shared with other units.
    target_compile_options(${NAME} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# Headers of the standard library are precompiled once for components and once for programs, whose code has other flags.
# Sources still include what they use.
if(HSCHED_PCH)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/Component.cpp CONTENT "// Made by CMake.\n")
  add_library(hsched_component_precompiled STATIC ${CMAKE_BINARY_DIR}/precompiled/Component.cpp)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/Program.cpp CONTENT "// Made by CMake.\nint main() { return 0; }\n")
  add_executable(hsched_program_precompiled ${CMAKE_BINARY_DIR}/precompiled/Program.cpp)
  set_target_properties(hsched_program_precompiled PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/precompiled)
  foreach(Kind component program)
    target_link_libraries(hsched_${Kind}_precompiled PRIVATE hsched_flags hsched_sanitize)
    if(HSCHED_SANITIZE AND Kind STREQUAL "program") # As tools/CMakeLists.txt says.
      target_compile_options(hsched_${Kind}_precompiled PRIVATE -O0)
    endif()
    target_precompile_headers(hsched_${Kind}_precompiled PRIVATE
      <algorithm> <array> <atomic> <condition_variable> <deque> <functional> <map> <memory> <mutex> <optional> <set> <span>
      <string> <string_view> <thread> <unordered_map> <utility> <vector>)
  endforeach()
endif()

# hsched_component(NAME SOURCES a.cpp ... [ALONE b.cpp ...] DEPENDS other ...): a static library of the runtime; sources may
# include from runtime/ and include/. Sources under ALONE define local names that other sources define too.
function(hsched_component NAME)
  cmake_parse_arguments(A "" "" "SOURCES;ALONE;DEPENDS" ${ARGN})
  add_library(${NAME} STATIC ${A_SOURCES} ${A_ALONE})
  hsched_unity(${NAME} 6 ${A_ALONE})
  if(HSCHED_PCH)
    target_precompile_headers(${NAME} REUSE_FROM hsched_component_precompiled)
  endif()
  target_include_directories(${NAME} PUBLIC ${CMAKE_SOURCE_DIR}/runtime)
  target_link_libraries(${NAME} PUBLIC hsched_headers hsched_sanitize ${A_DEPENDS} PRIVATE hsched_flags)
endfunction()
