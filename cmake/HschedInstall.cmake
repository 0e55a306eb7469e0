# What cmake --install lays down. Nothing in it names the prefix: an installation can be moved.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/hsched DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT dev FILES_MATCHING PATTERN "*.h")

if(TARGET hsched)
  install(TARGETS hsched hsched_dag_library EXPORT hschedTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(HschedPackageDir ${CMAKE_INSTALL_LIBDIR}/cmake/hsched)
  install(EXPORT hschedTargets NAMESPACE hsched:: DESTINATION ${HschedPackageDir} COMPONENT dev)
  configure_package_config_file(cmake/hschedConfig.cmake.in ${CMAKE_BINARY_DIR}/package/hschedConfig.cmake
    INSTALL_DESTINATION ${HschedPackageDir})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/hschedConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/package/hschedConfig.cmake ${CMAKE_BINARY_DIR}/package/hschedConfigVersion.cmake
    cmake/HschedProgram.cmake DESTINATION ${HschedPackageDir} COMPONENT dev)

  file(RELATIVE_PATH HSCHED_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/hsched.pc.in ${CMAKE_BINARY_DIR}/package/hsched.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/hsched.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT dev)
endif()

# hsched-cc and the backends install themselves, each in its own CMakeLists.txt.

# The documents lie to each other as in the source tree, so that their links and pictures are there. test/install checks it.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.png" PATTERN "*.svg")
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
# What they link to outside docs, and scripts that they call.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/samples ${CMAKE_SOURCE_DIR}/packaging DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev
  PATTERN "__pycache__" EXCLUDE PATTERN ".clang-format" EXCLUDE)
install(FILES test/explain/images/zoomed.png DESTINATION ${CMAKE_INSTALL_DOCDIR}/test/explain/images COMPONENT dev)
install(FILES test/model/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/test/model COMPONENT dev)
install(PROGRAMS scripts/timeline.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/scripts COMPONENT dev)
install(FILES packaging/gdb/hsched.py DESTINATION ${CMAKE_INSTALL_DATADIR}/hsched/gdb COMPONENT dev)
install(FILES packaging/vscode/hsched.code-snippets DESTINATION ${CMAKE_INSTALL_DATADIR}/hsched/vscode COMPONENT dev)

# The API's reference: a target of its own.
find_program(HSCHED_DOXYGEN doxygen DOC "doxygen")
if(HSCHED_DOXYGEN)
  math(EXPR HSCHED_NUMBER "${PROJECT_VERSION_MAJOR} * 10000 + ${PROJECT_VERSION_MINOR} * 100 + ${PROJECT_VERSION_PATCH}")
  configure_file(docs/Doxyfile.in ${CMAKE_BINARY_DIR}/Doxyfile @ONLY)
  add_custom_target(doc COMMAND ${HSCHED_DOXYGEN} ${CMAKE_BINARY_DIR}/Doxyfile VERBATIM)
endif()
