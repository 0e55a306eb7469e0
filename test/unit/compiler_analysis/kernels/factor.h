// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
float factor(void) { return 2; }
