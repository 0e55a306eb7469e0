// Layouts of structures: nested ones, arrays, attributes, unions, names that are missing; as values and in buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// RUN: %kinfo %s --json --kernel=nested | FileCheck --check-prefix=JSON %s
// RUN: %kinfo %s --json --kernel=fields 2>%t.err | FileCheck --check-prefix=FIELDS %s
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
typedef struct { char c; int x; } Pair;
struct Outer { short first; Pair pairs[2][3]; struct { float3 v; union { uint u; uchar4 b; }; } in; };

kernel void nested(struct Outer o, global struct Outer *all) { all[get_global_id(0)] = o; }
// CHECK: kernel nested
// CHECK: {{^}}  structure  struct Outer, 96 bytes: short first, struct Pair pairs[2][3] at 4, struct in at 64
// CHECK-NEXT: {{^}}  structure  struct Pair, 8 bytes: char c, int x at 4
// CHECK-NEXT: {{^}}  structure  struct, 32 bytes: float3 v, union at 16
// CHECK-NEXT: {{^}}  union      union, 4 bytes: uint u, uchar4 b
// JSON: "name": "o",
// JSON: "elementBytes": 96,
// JSON-NEXT: "structure": 0
// JSON: "name": "all",
// JSON: "elementBytes": 96,
// JSON-NEXT: "structure": 0,
// JSON-NEXT: "role": "out",
// JSON: "structures": [
// JSON-NEXT: {
// JSON-NEXT: "name": "struct Outer",
// JSON-NEXT: "union": false,
// JSON-NEXT: "packed": false,
// JSON-NEXT: "file": "{{.*}}structures.cl",
// JSON-NEXT: "line": 8,
// JSON-NEXT: "bytes": 96,
// JSON-NEXT: "alignment": 16,
// JSON-NEXT: "members": [
// JSON: "name": "pairs",
// JSON-NEXT: "type": "struct Pair",
// JSON-NEXT: "array": [
// JSON-NEXT: 2,
// JSON-NEXT: 3
// JSON-NEXT: ],
// JSON-NEXT: "offset": 4,
// JSON-NEXT: "bytes": 48,
// JSON-NEXT: "structure": 1
// JSON: "name": "in",
// JSON: "structure": 2
// JSON: "name": "",
// JSON-NEXT: "type": "union",
// JSON-NEXT: "offset": 16,
// JSON-NEXT: "bytes": 4,
// JSON-NEXT: "structure": 3

struct __attribute__((packed)) Tight { char c; int x; long y; };
struct __attribute__((aligned(32))) Wide { int x; };
struct Member { char c; int x __attribute__((packed)); int y __attribute__((aligned(16))); };
kernel void attributes(struct Tight t, struct Wide w, struct Member m, global float *y) {
  y[0] = t.x + w.x + m.y;
}
// CHECK: kernel attributes
// CHECK: {{^}}  structure {{ *}}struct Tight, 13 bytes, packed: char c, int x at 1, long y at 5
// CHECK-NEXT: {{^}}  structure {{ *}}struct Wide, 32 bytes: int x
// CHECK-NEXT: {{^}}  structure {{ *}}struct Member, 32 bytes: char c, int x at 1, int y at 16

// A name that is declared only, bit fields, members without a size.
struct Unknown;
struct Bits { uint low : 4; };
struct Open { int n; float rest[]; };
struct Has { struct Bits b; int i; };
kernel void fields(global struct Unknown *u, struct Bits b, global struct Open *o, global struct Has *h) {
  o[0].n = h[0].i;
}
// CHECK: kernel fields
// CHECK-NOT: struct Bits,
// CHECK: {{^}}  structure {{ *}}struct Open, 4 bytes: int n, float rest[0] at 4
// CHECK-NEXT: {{^}}  structure {{ *}}struct Has, 8 bytes: struct Bits b, int i at 4
// FIELDS: "element": "struct Unknown",
// FIELDS-NEXT: "role": "unused"
// FIELDS: "element": "struct Bits",
// FIELDS-NEXT: "elementBytes": 4
// FIELDS-NEXT: }
// FIELDS: "name": "b",
// FIELDS-NEXT: "type": "struct Bits",
// FIELDS-NEXT: "offset": 0,
// FIELDS-NEXT: "bytes": 4
// FIELDS-NEXT: }
