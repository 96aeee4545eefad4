#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times the import of large models: residual networks, transformers and chains of operations on elements.

Usage: import_models.py DSM TESTS_IMPORT_DIR [NODES]
"""
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, sys.argv[2])
import onnx_networks as networks  # noqa: E402
from onnx_writer import Model  # noqa: E402


def residual(nodes):
    m = Model()
    x = networks.conv(m, m.input("image", ["batch", 64, 56, 56]), 64, 64, 3)
    while len(m.nodes) < nodes:
        x = networks.conv(m, x, 64, 64, 3, residual=x)
    m.output(x)
    return m


def transformer(nodes):
    m = Model()
    x = networks.linear(m, m.input("x", ["batch", 512, 1024]), 1024, 1024)
    while len(m.nodes) < nodes:
        x = networks.encoder(m, x, 1024, 16, 4096, f"block.{len(m.nodes)}.", 512)
    m.output(x)
    return m


def elements(nodes):
    m = Model()
    x = networks.conv(m, m.input("image", ["batch", 64, 56, 56]), 64, 64, 3)
    while len(m.nodes) < nodes:
        x = m.add("Mul", m.add("Sigmoid", m.add("Add", x, m.floats([2.0], []))), m.floats([0.5], []))
    m.output(x)
    return m


def main():
    dsm = sys.argv[1]
    nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
    print(f"import of models of {nodes} nodes, the shortest of 5 runs")
    with tempfile.TemporaryDirectory() as folder:
        for make in (residual, transformer, elements):
            path = pathlib.Path(folder, f"{make.__name__}.onnx")
            path.write_bytes(make(nodes).bytes())
            times = []
            for _ in range(5):
                start = time.perf_counter()
                subprocess.run([dsm, "import", str(path), "-q", "-o", str(path.with_suffix(".json"))], check=True)
                times.append(time.perf_counter() - start)
            print(f"{make.__name__:12} {path.stat().st_size / 1e6:6.2f} MB {min(times):7.3f} s")


if __name__ == "__main__":
    main()
