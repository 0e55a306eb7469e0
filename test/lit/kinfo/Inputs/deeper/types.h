// Included by ../common.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
typedef NUMBER number;
