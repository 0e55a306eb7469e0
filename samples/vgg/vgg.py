#!/usr/bin/env python3
"""Writes a block of a VGG-like network as a file for hsched-run: convolutions in groups of channels, and a pooling layer.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: vgg.py FOLDER [--size N] [--inputs C] [--channels K] [--groups G] [--layers L] [--check]
FOLDER gets dag.json and vgg.cl. Each layer's K channels are in G groups: a group adds up what all groups of the layer before give it, so groups
run side by side, and each layer begins as soon as one group of the layer before is there. With --check FOLDER also gets what a reference in
double precision computes, which results are compared with.
"""
import argparse
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from arrays import random, save, value  # noqa: E402


def convolved(image, weights, sums, inputs, outputs, n):
    out = list(sums)
    for output in range(outputs):
        for given in range(inputs):
            for j in range(3):
                for i in range(3):
                    w = weights[((output * inputs + given) * 3 + j) * 3 + i]
                    for row in range(max(0, 1 - j), min(n, n + 1 - j)):
                        for column in range(max(0, 1 - i), min(n, n + 1 - i)):
                            out[(output * n + row) * n + column] += w * image[(given * n + row + j - 1) * n + column + i - 1]
    return out


def pooled(image, channels, n):
    at = lambda c, y, x: image[(c * 2 * n + y) * 2 * n + x]  # noqa: E731
    return [max(at(c, 2 * y + j, 2 * x + i) for j in (0, 1) for i in (0, 1)) for c in range(channels) for y in range(n) for x in range(n)]


class Block:
    def __init__(self, options):
        self.options, self.buffers, self.kernels, self.data, self.seed = options, {}, [], {}, 0

    def buffer(self, name, size, count, low=None, high=1.0):
        """Random from `low` on; else zeros."""
        self.buffers[name] = {"type": "float", "size": size}
        if low is None:
            self.data[name] = [0.0] * count if self.options.check else None
            return
        self.seed += 1
        self.buffers[name]["init"] = {"random": self.seed, "low": str(low), "high": str(high)}
        self.data[name] = random(self.seed, count, low, high) if self.options.check else None

    def kernel(self, name, function, sizes, *args):
        self.kernels.append({"id": name, "name": function, "src": "vgg.cl", "global": sizes, "args": list(args)})

    def layer(self, number, before, inputs):
        """A convolution of `before`, groups of `inputs` channels each; returns its groups."""
        o, groups = self.options, []
        per = o.channels // o.groups
        bound = (6 / (9 * inputs * len(before))) ** 0.5  # So that values stay of one size from layer to layer.
        for g in range(o.groups):
            name = f"l{number}g{g}"
            self.buffer(name, "K * N * N", per * o.size ** 2)
            self.buffer(name + "b", "K", per, -0.1, 0.1)
            for h, image in enumerate(before):
                weights = f"{name}w{h}"
                self.buffer(weights, f"K * {inputs} * 9", per * inputs * 9, -round(bound, 6), round(bound, 6))
                self.kernel(f"{name}.{h}", "convolve", ["N", "N", "K"], {"role": "in", "buffer": image}, {"role": "in", "buffer": weights},
                            {"role": "io", "buffer": name}, value(inputs), value("N"))
                if o.check:
                    self.data[name] = convolved(self.data[image], self.data[weights], self.data[name], inputs, per, o.size)
            self.kernel(f"{name}.relu", "bias_relu", ["N", "N", "K"], {"role": "io", "buffer": name}, {"role": "in", "buffer": name + "b"}, value("N"))
            if o.check:
                area = o.size ** 2
                self.data[name] = [max(v + self.data[name + "b"][at // area], 0.0) for at, v in enumerate(self.data[name])]
            groups.append(name)
        return groups

    def pool(self, groups):
        o = self.options
        half, per = o.size // 2, o.channels // o.groups
        for g, name in enumerate(groups):
            self.buffer(f"pooled{g}", "K * (N // 2) ** 2", per * half ** 2)
            self.buffers[f"pooled{g}"]["output"] = f"pooled{g}.npy"
            self.kernel(f"pool{g}", "pool", ["N // 2", "N // 2", "K"], {"role": "in", "buffer": name}, {"role": "out", "buffer": f"pooled{g}"},
                        value("N // 2"))
            if o.check:
                self.buffers[f"pooled{g}"]["expect"] = {"npy": f"pooled{g}-expected.npy", "relative": 1e-5, "absolute": 2e-6}
                save(o.folder / f"pooled{g}-expected.npy", pooled(self.data[name], per, half))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=64, help="rows and columns of the image, even")
    parser.add_argument("--inputs", type=int, default=3, help="channels of the image")
    parser.add_argument("--channels", type=int, default=64, help="of each layer")
    parser.add_argument("--groups", type=int, default=4, help="that a layer's channels are in")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if min(options.size, options.inputs, options.channels, options.groups, options.layers) < 1 or options.size % 2 or options.channels % options.groups:
        parser.error("sizes are at least 1, the image's is even, and groups divide channels")
    options.folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "vgg.cl", options.folder)
    block = Block(options)
    block.buffer("image", f"{options.inputs} * N * N", options.inputs * options.size ** 2, 0.0)
    groups, inputs = ["image"], options.inputs
    for number in range(options.layers):
        groups, inputs = block.layer(number, groups, inputs), options.channels // options.groups
    block.pool(groups)
    file = {"hsched-dag": 1, "symbols": {"N": options.size, "K": options.channels // options.groups}, "buffers": block.buffers, "kernels": block.kernels}
    (options.folder / "dag.json").write_text(json.dumps(file, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
