#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the files that fuzzing begins with.

Usage: write_seeds.py tests/fuzz/corpus/import
"""
import json
import pathlib
import sys

import onnx_networks as networks
import test_systems
from hub_configs import CONFIGS
from onnx_writer import BOOL, INT64, Model, node

HEADING = "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
TABLES = {"convolutions": HEADING + "Conv1,10,10,3,3,3,8,1,\nConv2_DP,8,8,3,3,8,1,2,#dw\n\n\tFC,1,1,1,1,72,5,1\n",
          "list": "\ufeff" + HEADING + "Conv1 ,224 ,224,11,11,3,96,4 ,\r\nConv1,27,27,5,5,96,256,1,\r\n",
          "products": "Layer,M,N,K\nQKT,1024,1024,64\nQKTV,1024,64,1024\n"}


def many_operators():
    m = Model(opset=17)
    x = networks.conv(m, m.input("x", ["n", 4, 9, 9]), 4, 4, 3)
    x = m.add("Pad", x, m.ints([0, 0, 1, 1, 0, 0, 1, 1]))
    x = m.add("Conv", x, m.weight([6, 2, 3, 3]), group=2, auto_pad="SAME_LOWER", dilations=[2, 2])
    a, b = m.add("Split", x, outputs=2, axis=1)
    x = m.add("Concat", m.add("Clip", a), m.add("Slice", b, m.ints([0]), m.ints([100]), m.ints([2])), axis=1)
    x = m.add("Add", x, m.add("Expand", m.weight([6, 1, 1]), m.ints([1, 6, 1, 1])))
    x = m.add("ReduceMean", x, axes=[2, 3], keepdims=0)
    shape = m.add("Shape", x)
    length = m.add("Mul", m.add("Gather", shape, m.ints([1], True)), m.ints([1], True))
    x = m.add("Reshape", x, m.add("Concat", m.ints([-1]), m.add("Unsqueeze", length, m.ints([0])), axis=0))
    m.output(m.add("MatMul", x, m.weight([6, 3])))
    return m


def crashing():
    """Models that crashed the reader once."""
    made = {name: Model() for name in ("no_output", "keys_of_graph", "places", "read_products", "sum_of_constants")}
    m = made["no_output"]
    m.nodes.append(node("Cast", [m.input("input", [3, 4])], [], to=8))
    m = made["keys_of_graph"]
    x = m.add("Reshape", m.add("MatMul", m.input("x", [1, 4, 8]), m.weight([8, 8])), m.ints([1, 1, 4, 8]))
    x = m.add("Softmax", m.add("MatMul", x, m.input("keys", [1, 1, 8, 4])))
    m.output(m.add("MatMul", x, m.input("values", [1, 1, 4, 8])))
    m = made["places"]
    x = m.add("Where", m.data([8, 1], [1] * 8, BOOL), m.data([8, 1], range(8), INT64), m.data([1, 8], range(8), INT64))
    m.output(m.add("Slice", m.add("Reshape", x, m.ints([64])), m.ints([0]), m.ints([64])))
    m = made["read_products"]
    x = m.add("MatMul", m.input("x", [1, 6, 8]), m.weight([8, 8]))
    low, high = m.add("Split", x, axis=2, outputs=2)
    turned = m.add("Concat", m.add("Neg", high), low, axis=-1)
    products = [m.add("Mul", one, m.weight([1, 6, 8])) for one in (x, turned)]
    for name in (m.add("Add", *products), *products):
        m.output(m.add("MatMul", name, m.weight([8, 4])))
    m = made["sum_of_constants"]
    m.output(m.add("MatMul", m.input("x", [2, 8]), m.add("Sum", m.weight([8, 4]), m.weight([8, 4]))))
    return made


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    gru = Model()
    gru.add("GRU", gru.input("x", [5, "n", 6]), gru.weight([1, 24, 6]), gru.weight([1, 24, 8]), hidden_size=8)
    models = {"small_cnn": networks.small_cnn(), "recurrent": networks.recurrent(), "unet": networks.unet(),
              "pre_norm": networks.pre_norm(), "patches": networks.patches(), "bert": networks.bert(1, 64, 4, 16, 100),
              "fused_norms": networks.bert(1, 64, 4, 16, 100, decomposed=False),
              "operators": many_operators(), "gru": gru, "constants": networks.small_cnn(Model(weights="constants")),
              "external": networks.small_cnn(Model(weights="external"))}
    models |= {f"torch_{first}": networks.torch_encoder(1, 8, 2, 5, first=first, fused=first == "samples")
               for first in ("positions", "samples")}
    models |= {f"llama_{waves}": networks.llama(1, 8, 2, 1, 12, 6, 12, waves, ids=waves == "tables")
               for waves in ("computed", "tables")}
    models |= crashing()
    models["two_tokens"] = networks.vit(1, 8, 2, 12, 4, 8, 3, 2, heads_of=2)
    models |= {f"mask_{mask}": networks.gpt2(1, 8, 2, 6, 12, mask, room=9) for mask in networks.MASKS}
    for name, model in models.items():
        (folder / f"{name}.onnx").write_bytes(model.bytes())
    for name, document in {"application": test_systems.APPLICATION, "system": test_systems.SYSTEM}.items():
        (folder / f"{name}.calculon.json").write_text(json.dumps(document))
    (folder / "network.yml").write_text(test_systems.NETWORK)
    (folder / "newline.json").write_text('\n{"model_type": "none"}')
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_bytes(text.encode())
    more = {"infinity": {**CONFIGS["gpt2"], "architectures": ["GPT2Model"], "odd": [float("inf"), -float("inf")]},
            "classifier": {**CONFIGS["llama3_8b"], "architectures": ["LlamaForSequenceClassification"]},
            "encoder": {**CONFIGS["flan_t5_large"], "architectures": ["T5EncoderModel"]}}
    for name, config in {**CONFIGS, **more}.items():
        short = {key: {"0": "a", "1": "b"} if key == "id2label" else value for key, value in config.items()}
        (folder / f"{name}.json").write_text(json.dumps(short))


if __name__ == "__main__":
    main()
