# What cmake --install lays down.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/hsched DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
