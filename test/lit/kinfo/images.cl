// Images and samplers: their roles are what their qualifiers say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s -cl-std=CL2.0 | FileCheck %s
// RUN: %kinfo %s -cl-std=CL2.0 --json | FileCheck --check-prefix=JSON %s
// RUN: %kinfo %s -cl-std=CL2.0 --spec --kernel=only | FileCheck --check-prefix=SPEC %s
constant sampler_t Nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void shade(read_only image2d_t in, write_only image2d_t out, image1d_buffer_t plain, sampler_t how) {
  int2 at = {get_global_id(0), get_global_id(1)};
  write_imagef(out, at, read_imagef(in, how, at) + read_imagef(plain, 0));
}
// CHECK: kernel shade
// CHECK-NEXT: 0  in     {{.*}}image2d_t         in{{$}}
// CHECK-NEXT: 1  out    {{.*}}image2d_t        out{{$}}
// CHECK-NEXT: 2  plain  {{.*}}image1d_buffer_t  in{{$}}
// CHECK-NEXT: 3  how    sampler_t                    sampler{{$}}
// CHECK: uses{{ +}}images{{$}}
// JSON: "inputBuffers": [],
// JSON: "kind": "image",
// JSON-NEXT: "element": "{{.*}}image2d_t",
// JSON-NEXT: "role": "in"
// JSON: "kind": "sampler",

kernel void twice(read_write image2d_t both) {
  int2 at = {get_global_id(0), get_global_id(1)};
  write_imagef(both, at, 2 * read_imagef(both, at));
}
// CHECK: kernel twice
// CHECK-NEXT: 0  both  {{.*}}image2d_t  inout{{$}}

kernel void volume(write_only image3d_t out) { write_imagef(out, (int4)(get_global_id(2)), (float4)(0)); }
// CHECK: kernel volume
// CHECK: launch{{ +}}3 dimensions
// CHECK: uses{{ +}}images, 3d-image-writes{{$}}


// Images and samplers alone: no buffers.
kernel void only(read_only image1d_array_t in, write_only image2d_array_t out, sampler_t how) {
  int2 at = {get_global_id(0), get_global_id(1)};
  write_imagef(out, (int4)(at, 0, 0), read_imagef(in, how, at));
}
// CHECK: kernel only
// CHECK-NEXT: 0  in   {{.*}}image1d_array_t   in{{$}}
// CHECK-NEXT: 1  out  {{.*}}image2d_array_t  out{{$}}
// CHECK-NEXT: 2  how  sampler_t                     sampler{{$}}
// CHECK-NEXT: launch  2 dimensions, global size get_global_size(0) x get_global_size(1)
// CHECK-NEXT: uses    images{{$}}
// SPEC: "inputBuffers": [],
// SPEC-NEXT: "outputBuffers": [],
// SPEC-NEXT: "ioBuffers": [],
// SPEC-NEXT: "varArguments": [
// SPEC: "value": "$in$"
// SPEC: "value": "$out$"
// SPEC: "type": "sampler_t",
// SPEC-NEXT: "pos": 2,
// SPEC: "guidance": [
// SPEC: "$in$",
// SPEC-NEXT: "$out$",
// SPEC-NEXT: "$how$"

kernel void sampled(sampler_t how) {}
// CHECK: kernel sampled
// CHECK-NEXT: 0  how  sampler_t  sampler{{$}}
// CHECK-NEXT: launch  no dimension asked for
