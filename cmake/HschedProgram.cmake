# Programs built with hsched-cc: used by hsched's own build and, installed, by find_package(hsched).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# hsched_add_program(NAME SOURCES a.cpp ... [LIBS -lfoo ...] [OPTIONS -O2 ...] [OUTPUT path] [DEPENDS file ...]
#                    [EXCLUDE_FROM_ALL])
#
# Compiles each source with hsched-cc and links them into a program: a custom target NAME, whose property
# HSCHED_PROGRAM is the program's path (default: NAME in the current binary directory). Headers and kernel files that a
# source reads are tracked through a dependency file. LIBS and OPTIONS are words for hsched-cc, which takes g++'s.
# HSCHED_CC names the compiler; inside hsched's own build it is the one just built.
cmake_policy(VERSION 3.22)

function(hsched_add_program NAME)
  cmake_parse_arguments(A "EXCLUDE_FROM_ALL" "OUTPUT" "SOURCES;LIBS;OPTIONS;DEPENDS" ${ARGN})
  if(A_UNPARSED_ARGUMENTS OR NOT A_SOURCES)
    message(FATAL_ERROR "hsched_add_program(${NAME}): wants SOURCES, and knows no '${A_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT A_OUTPUT)
    set(A_OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${NAME})
  endif()
  set(Compiler ${HSCHED_CC})
  set(CompilerFiles)
  set(RuntimeFiles)
  if(TARGET hsched-cc)
    set(Compiler $<TARGET_FILE:hsched-cc>)
    file(GLOB CompilerFiles CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/hsched/*.h)
    list(APPEND CompilerFiles hsched-cc)
    if(TARGET hsched)
      set(RuntimeFiles hsched)
    endif()
  endif()
  if(NOT Compiler)
    message(FATAL_ERROR "hsched_add_program(${NAME}): HSCHED_CC does not name hsched-cc")
  endif()
  set(Objects)
  foreach(Source ${A_SOURCES})
    get_filename_component(Path ${Source} ABSOLUTE)
    # Sources of one name in several folders have objects of their own.
    file(RELATIVE_PATH Stem ${CMAKE_CURRENT_SOURCE_DIR} ${Path})
    string(REPLACE "../" "up/" Stem ${Stem})
    set(Object ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.dir/${Stem}.o)
    get_filename_component(Folder ${Object} DIRECTORY)
    file(MAKE_DIRECTORY ${Folder})
    add_custom_command(
      OUTPUT ${Object}
      COMMAND ${Compiler} ${A_OPTIONS} -MD -MF ${Object}.d -c ${Path} -o ${Object}
      DEPENDS ${Path} ${CompilerFiles} ${A_DEPENDS}
      DEPFILE ${Object}.d
      COMMENT "hsched-cc ${NAME}: ${Source}"
      VERBATIM)
    list(APPEND Objects ${Object})
  endforeach()
  add_custom_command(
    OUTPUT ${A_OUTPUT}
    COMMAND ${Compiler} ${A_OPTIONS} ${Objects} -o ${A_OUTPUT} ${A_LIBS}
    DEPENDS ${Objects} ${RuntimeFiles}
    COMMENT "hsched-cc ${NAME}"
    VERBATIM)
  if(A_EXCLUDE_FROM_ALL)
    add_custom_target(${NAME} DEPENDS ${A_OUTPUT})
  else()
    add_custom_target(${NAME} ALL DEPENDS ${A_OUTPUT})
  endif()
  set_target_properties(${NAME} PROPERTIES HSCHED_PROGRAM ${A_OUTPUT})
endfunction()

# hsched_target(NAME...)
#
# Makes the C++ sources of an executable or library go through hsched-cc, with the project's own compiler behind it, and
# links the runtime. Works with Makefiles and Ninja, precompiled headers, unity builds and other launchers. A launcher
# that the target has already, such as ccache, is kept, and sees hsched-cc as its compiler. Sources of other languages
# are compiled as before. Kernel files are dependencies of the objects that hold them.
function(hsched_target)
  if(TARGET hsched-cc)
    set(Compiler ${CMAKE_BINARY_DIR}/bin/hsched-cc)
    set(Runtime hsched)
  else()
    set(Compiler ${HSCHED_CC})
    set(Runtime hsched::hsched)
  endif()
  if(NOT Compiler)
    message(FATAL_ERROR "hsched_target(): HSCHED_CC does not name hsched-cc")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    message(FATAL_ERROR "hsched_target(): hsched-cc works with GCC and Clang, not with ${CMAKE_CXX_COMPILER_ID}")
  endif()
  foreach(Name ${ARGV})
    if(NOT TARGET ${Name})
      message(FATAL_ERROR "hsched_target(${Name}): there is no such target")
    endif()
    get_target_property(Type ${Name} TYPE)
    get_target_property(Imported ${Name} IMPORTED)
    get_target_property(Alias ${Name} ALIASED_TARGET)
    if(Imported OR Alias OR NOT Type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
      message(FATAL_ERROR "hsched_target(${Name}): only an executable or library that is built here can be annotated")
    endif()
    target_link_libraries(${Name} PRIVATE ${Runtime})
    if(CMAKE_CXX_COMPILER MATCHES "/hsched-cc$")
      continue() # All targets go through it.
    endif()
    get_target_property(Launcher ${Name} CXX_COMPILER_LAUNCHER)
    if(NOT Launcher)
      set(Launcher)
    elseif("${Launcher}" MATCHES "--hsched-launcher=")
      continue()
    endif()
    list(PREPEND Launcher ${Compiler} --hsched-launcher=${CMAKE_CXX_COMPILER})
    set_target_properties(${Name} PROPERTIES CXX_COMPILER_LAUNCHER "${Launcher}")
    if(TARGET hsched-cc)
      add_dependencies(${Name} hsched-cc)
    endif()
  endforeach()
endfunction()
