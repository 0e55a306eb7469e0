"""Arrays for samples that are files of kernels: hsched-run's random numbers, .npy files, and references in double precision.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Without NumPy, since it need not be there; sizes are those of a test.
"""
import array
import struct

MASK = (1 << 64) - 1


def random(seed, count, low=0.0, high=1.0):
    """What {"random": seed, "low": low, "high": high} gives floats: a generator with one state of 64 bits."""
    state, out = seed & MASK, array.array("f")
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
        out.append(low + (high - low) * ((z >> 11) * 2.0**-53))
    return list(out)


def save(path, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * ((64 - (10 + len(head) + 1) % 64) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + array.array("f", values).tobytes())


def product(a, b, m, n, k):
    """a, m rows of k, times b, k rows of n."""
    columns = [b[j::n] for j in range(n)]
    return [sum(map(float.__mul__, a[i * k:(i + 1) * k], column)) for i in range(m) for column in columns]


def transposed(a, m, n):
    return [a[i * n + j] for j in range(n) for i in range(m)]


def by_vector(a, x, m, n):
    return [sum(map(float.__mul__, a[i * n:(i + 1) * n], x)) for i in range(m)]


def argument(role, size=None, kind="float", **more):
    return {"role": role, "type": kind, **({"size": size} if size is not None else {}), **more}


def value(v, kind="int"):
    return {"role": "value", "type": kind, "value": v}
