kernel void broken(int n, global float *x) { x[0] = undeclared; }
