// Arguments by value: scalars, vectors, structures, unions, enumerations, typedefs; pointers of all address spaces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// RUN: %kinfo %s --json | FileCheck --check-prefix=JSON %s
typedef float real;
typedef struct { int width, height; } Size;
struct Particle { float4 place, speed; };
union Word { uint u; uchar4 b; };
enum Mode { Plain, Fancy };

kernel void values(int n, real scale, uint4 seed, Size size, struct Particle p, union Word w, enum Mode mode,
                   global real *out, constant float *table, local real *scratch, const global void *opaque) {
  out[0] = n * scale + seed.x + size.width + p.place.x + w.u + mode + table[0] + scratch[0];
}
// CHECK: values.cl: CL1.2, 1 kernel
// CHECK: kernel values  ({{.*}}values.cl:11)
// CHECK-NEXT: {{^}}  0   n        int                    value
// CHECK-NEXT: {{^}}  1   scale    real                   value
// CHECK-NEXT: {{^}}  2   seed     uint4                  value
// CHECK-NEXT: {{^}}  3   size     Size                   value
// CHECK-NEXT: {{^}}  4   p        struct Particle        value
// CHECK-NEXT: {{^}}  5   w        union Word             value
// CHECK-NEXT: {{^}}  6   mode     enum Mode              value
// CHECK-NEXT: {{^}}  7   out      __global real *        out    *out
// CHECK-NEXT: {{^}}  8   table    __constant float *     in
// CHECK-NEXT: {{^}}  9   scratch  __local real *         local
// CHECK-NEXT: {{^}}  10  opaque   const __global void *  unused{{$}}
// CHECK-NEXT: launch no dimension asked for
// CHECK-NEXT: local memory  scratch

// JSON: "name": "scale",
// JSON-NEXT: "pos": 1,
// JSON-NEXT: "type": "real",
// JSON-NEXT: "kind": "value",
// JSON-NEXT: "element": "float",
// JSON-NEXT: "elementBytes": 4
// JSON: "element": "uint4",
// JSON-NEXT: "elementBytes": 16
// JSON: "element": "struct Size",
// JSON-NEXT: "elementBytes": 8
// JSON: "element": "struct Particle",
// JSON-NEXT: "elementBytes": 32
// JSON: "element": "union Word",
// JSON-NEXT: "elementBytes": 4
// JSON: "element": "uint",
// JSON: "addressSpace": "global",
// JSON: "addressSpace": "constant",
// JSON: "addressSpace": "local",
// JSON-NEXT: "element": "float",
// JSON-NEXT: "elementBytes": 4
// JSON: "type": "const __global void *",
// JSON-NEXT: "kind": "pointer",
// JSON-NEXT: "addressSpace": "global",
// JSON-NEXT: "element": "void",
// JSON-NEXT: "role": "unused"
