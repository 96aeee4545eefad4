#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topologies of SCALE-Sim as workloads.

Usage: test_scale_sim.py DSM
"""
import math
import random
import sys
import unittest

import cases

CONVOLUTIONS = "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
PRODUCTS = "Layer,M,N,K\n"
# As topologies/conv_nets/alexnet.csv of SCALE-Sim v2 has it.
ALEXNET = [(224, 224, 11, 11, 3, 96, 4), (27, 27, 5, 5, 96, 256, 1), (13, 13, 3, 3, 256, 384, 1),
           (13, 13, 3, 3, 384, 384, 1), (13, 13, 3, 3, 384, 256, 1)]


def convolutions(rows, end=",\n"):
    return CONVOLUTIONS + "".join(f"Conv{i},{','.join(map(str, row))}{end}" for i, row in enumerate(rows))


def macs(rows):
    """As topo_calc_hyperparams of SCALE-Sim counts them."""
    total = 0
    for height, width, filter_height, filter_width, channels, filters, stride in rows:
        out = math.ceil((height - filter_height + stride) / stride) * math.ceil((width - filter_width + stride) / stride)
        total += out * filter_height * filter_width * channels * filters
    return total


class ScaleSim(cases.Case):
    def test_totals(self):
        path = self.write(convolutions(ALEXNET), "alexnet.csv")
        totals = self.described(path)
        self.assertEqual(totals["macs_forward_per_sample"], macs(ALEXNET))
        self.assertEqual(totals["weights"], 11 * 11 * 3 * 96 + 5 * 5 * 96 * 256 + 9 * (256 * 384 + 384 * 384 + 384 * 256))
        draw = random.Random(3)
        rows = []
        for _ in range(100):
            kernel = draw.randint(1, 7)
            rows.append((kernel + draw.randint(0, 40), kernel + draw.randint(0, 40), kernel, kernel, draw.randint(1, 9),
                         draw.randint(1, 9), draw.randint(1, 5)))
        totals = self.described(self.write(convolutions(rows), "drawn.csv"))
        self.assertEqual(totals["macs_forward_per_sample"], macs(rows))

    def test_a_list_where_rows_do_not_fit(self):
        workload, said = self.made(self.write(convolutions(ALEXNET), "alexnet.csv"))
        self.assertEqual((workload["name"], workload["connected"]), ("alexnet", False))
        self.assertIn("line 3: note: reads 96 features of 27 x 27, where 96 of 55 x 55 are made before it", said)
        self.assertIn("line 3: error", self.refused(self.write(convolutions(ALEXNET), "alexnet.csv"), "--strict"))

    def test_a_network_where_they_fit(self):
        rows = [(10, 10, 3, 3, 3, 8, 1), (8, 8, 3, 3, 8, 4, 1), (6, 6, 6, 6, 4, 10, 1), (1, 1, 1, 1, 10, 5, 1)]
        workload, said = self.made(self.write(convolutions(rows), "net.csv"), "--strict")
        self.assertEqual(said, "")
        self.assertNotIn("connected", workload)
        self.assertEqual([layer["type"] for layer in workload["layers"]], ["conv", "conv", "conv", "fc"])
        rows[2:] = [(1, 1, 1, 1, 4 * 36, 5, 1)]
        workload, _ = self.made(self.write(convolutions(rows), "net.csv"), "--strict")
        self.assertEqual(workload["layers"][2], {"name": "Conv2", "type": "fc", "in": 144, "out": 5})

    def test_files_whose_names_are_none(self):
        for name in ("a\nb.csv", "x" * 129 + ".csv"):
            workload, _ = self.made(self.write(PRODUCTS + "a,1,4,4\n", name))
            self.assertEqual(workload["name"], "network")

    def test_padding(self):
        path = self.write(convolutions([(13, 14, 3, 5, 2, 4, 2)]), "net.csv")
        self.assertEqual(self.made(path, "--padding", "same")[0]["layers"][0]["feature"], [7, 7])
        self.assertEqual(self.made(path, "--padding", "valid")[0]["layers"][0]["feature"], [6, 6])
        self.assertEqual(self.made(path)[0]["layers"][0]["feature"], [6, 6])

    def test_products(self):
        path = self.write(PRODUCTS + "a,16,32,64\nb,16,8,32\n", "gemm.csv")
        workload, said = self.made(path)
        self.assertEqual(said, "")
        self.assertEqual(workload["layers"][0],
                         {"name": "a", "type": "fc", "in": 64, "out": 32, "positions": 16})
        self.assertEqual(self.described(path)["macs_forward_per_sample"], 16 * 32 * 64 + 16 * 8 * 32)
        workload, _ = self.made(self.write(PRODUCTS + "a,1,32,64,\nb,7,8,32,\n", "gemm.csv"))
        self.assertIs(workload["connected"], False)

    def test_channels_apart(self):
        workload, _ = self.made(self.write(CONVOLUTIONS + "Conv_DP,8,8,3,3,16,1,1,\n", "net.csv"))
        self.assertEqual([workload["layers"][0][key] for key in ("in", "out", "groups")], [16, 16, 16])
        totals = self.described(self.write(CONVOLUTIONS + "FC_DP,1,1,1,1,16,2,1,\n", "net.csv"))
        self.assertEqual((totals["macs_forward_per_sample"], totals["weights"]), (16 * 2, 16 * 2))

    def test_texts_as_they_occur(self):
        row = "  Conv1\t, 8 ,\t8,3,3,2,4,1"
        plain = self.made(self.write(convolutions([(8, 8, 3, 3, 2, 4, 1)]).replace("Conv0", "Conv1"), "net.csv"))
        for text in (CONVOLUTIONS + row, "\ufeff" + CONVOLUTIONS + row + ",\n", CONVOLUTIONS + "\n,,,,\n" + row + ",#dw\n\n",
                     (CONVOLUTIONS + row + ",\n").replace("\n", "\r\n"),
                     CONVOLUTIONS.replace(",\n", ",,,Eh,Ew\n") + row + ",,,6,6\n", CONVOLUTIONS.upper() + row,
                     CONVOLUTIONS.replace("Strides", "Stride height,Stride width") + row + ",1,\n"):
            self.assertEqual(self.made(self.write(text.encode(), "net.csv")), plain)
        text = CONVOLUTIONS.replace("Strides", "Stride height, Stride width") + row + ",2"
        self.assertEqual(self.made(self.write(text, "net.csv"))[0]["layers"][0]["stride"], [1, 2])

    def test_names_that_occur_twice(self):
        workload, _ = self.made(self.write(PRODUCTS + "x,4,4,4\ny,4,4,4\nx,4,4,4\nx,4,4,4\n", "gemm.csv"))
        self.assertEqual([layer["name"] for layer in workload["layers"]], ["x", "y", "x_2", "x_3"])
        self.assertIn("error", self.refused(self.write(PRODUCTS + "x,4,4,4\nx_2,4,4,4\nx,4,4,4\n", "gemm.csv")))

    def test_what_is_wrong(self):
        def says(text, content, *options):
            self.assertIn(text, self.refused(self.write(content, "net.csv"), "--from", "scale_sim", *options))
        says('line 2: error: expected a stride, a whole number from 1 to 1048576, found ""', convolutions([(8, 8, 3, 3, 1, 1)]))
        says('line 2: error: expected a height of features, a whole number from 1 to 1048576, found "0"',
             convolutions([(0, 8, 3, 3, 1, 1, 1)]))
        says('found "1e3"', convolutions([("1e3", 8, 3, 3, 1, 1, 1)]))
        says('found "-4"', PRODUCTS + "a,-4,1,1")
        says('found "0000', PRODUCTS + f"a,{19:032},4,4")
        says('found "12"', PRODUCTS + "a,12\0 34,4,4")
        says("found \"9223372036854775808\"", PRODUCTS + f"a,1,{2 ** 63},1")
        says("expected a filter of at most the 3 that it reads, found 5", convolutions([(3, 8, 5, 3, 1, 1, 1)]))
        says("expected a name", PRODUCTS + ",4,4,4")
        says("expected a name", PRODUCTS + "@x,4,4,4")
        says("expected a name", PRODUCTS + "x" * 200 + ",4,4,4")
        says("line 3: error: expected a name of at most 128 bytes with", PRODUCTS + 2 * ("x" * 128 + ",1,4,4\n"))
        says("expected a name", PRODUCTS.encode() + b"\xff,4,4,4")
        says("expected a heading", "a,b,c\n1,2,3\n")
        says("expected a heading", "")
        says("expected 1 to 12000 layers", PRODUCTS)
        says("expected 1 to 12000 layers", PRODUCTS + "".join(f"x{i},1,1,1\n" for i in range(12002)))
        says("expected at most 1048576 channels", CONVOLUTIONS + f"DP,9,9,3,3,{2 ** 31 - 1},{2 ** 31 - 1},1")
        says("expected windows within", convolutions([(2 ** 20, 9, 3, 3, 1, 1, 2 ** 20 - 1)]))

    def test_any_bytes_end_well(self):
        draw = random.Random(5)
        for text in (convolutions(ALEXNET), PRODUCTS + "a,16,32,64\nb,16,8,32\n"):
            for _ in range(40):
                data = bytearray(text.encode())
                for _ in range(draw.randint(1, 4)):
                    data[draw.randrange(len(data))] = draw.choice(b"\x00\xff,,\n\"99-\t")
                ran = self.run_dsm("import", self.write(bytes(data), "net.csv"), "--from", "scale_sim", limit=10)
                self.assertIn(ran.returncode, (cases.DONE, cases.INVALID), data)


if __name__ == "__main__":
    cases.Case.DSM = sys.argv.pop(1)
    unittest.main()
