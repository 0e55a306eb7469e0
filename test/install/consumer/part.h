// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#pragma hsched task inout([n] x)
void scale(int n, float a, float *x);

void scaleAll(int n, float *x);
void scaleTwice(int n, float *x); // And back.
