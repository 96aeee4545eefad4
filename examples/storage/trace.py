#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a made-up trace of metrics for `dsm storage --adaptive`: what a training callback would log after each repeat
of a mini-epoch. A loss that falls and levels off, with a jump down at each new mini-epoch and noise; no real run.

Usage: trace.py [ROWS [SEED]] > trace.csv
"""
import math
import random
import sys


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    numbers = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print("repeat,loss,train_error,validation_error")
    for row in range(rows):
        trend = math.exp(-row / (rows / 3))
        loss = 0.2 + 2 * trend + 0.08 * numbers.random() - 0.3 * trend * (row % 40 > 30)
        train = 0.05 + 0.5 * trend + 0.02 * numbers.random()
        validation = 0.1 + 0.45 * trend + 0.03 * numbers.random()
        print(f"{row},{loss:.5f},{train:.5f},{validation:.5f}")


if __name__ == "__main__":
    main()
