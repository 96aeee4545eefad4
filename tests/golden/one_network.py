#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Has a network one predicted time, however it is written?

Writes a transformer's blocks, a convolution net and LSTM nets in all the ways that the format has:
positions that are stated, inherited, or a convolution of 1 x 1 over them; queries, keys and values
of one, two or three layers; blocks that repeat, or layers one by one; expressions of parameters, or
numbers; defaults stated or left out. A small BERT, GPT-2 and Llama are models in ONNX, configurations of a
hub and the bundled networks with other sizes. Their plans must be equal but for what they are called.

Usage: one_network.py DSM_BINARY
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "import"))
import onnx_networks  # noqa: E402
from hub_configs import CONFIGS  # noqa: E402

POSITIONS, HIDDEN, HEADS, BLOCKS = 12, 32, 4, 2
CALLED = {"name", "type", "workload", "dsm_version", "source"}  # what plans may differ in


def network(layers, **top):
    return {"format": "dsm-workload/1", "name": "one", "minibatch": 16, **top, "layers": layers}


def dense(name, inputs, outputs, aux=(), reads=None):
    layer = {"name": name, "type": "fc", "in": inputs, "out": outputs, "aux": list(aux)}
    return {**layer, "inputs": reads} if reads else layer


def block(before, prefix, apart):
    """An encoder layer as fc that have the positions of what they read."""
    called = lambda name: prefix + name
    parts = {called(part): HIDDEN * len(part) for part in apart}
    attention = {"name": called("attention"), "type": "attention", "heads": HEADS,
                 "head_features": HIDDEN // HEADS, "causal": True, "inputs": list(parts)}
    return [dense(name, HIDDEN, features, [{"op": "bias"}], [before])
            for name, features in parts.items()] + [
        attention,
        dense(called("out"), HIDDEN, HIDDEN,
              [{"op": "bias"}, {"op": "dropout"}, {"op": "residual", "from": before},
               {"op": "layer_norm"}]),
        dense(called("gate"), HIDDEN, 2 * HIDDEN,
              [{"op": "rms_norm", "on": "input"}, {"op": "silu"}]),
        dense(called("up"), HIDDEN, 2 * HIDDEN, [{"op": "multiply", "from": called("gate")}],
              [called("out")]),
        dense(called("down"), 2 * HIDDEN, HIDDEN, [{"op": "residual", "from": called("out")}]),
    ]


def transformer(apart=("q", "k", "v")):
    layers = [{"name": "embed", "type": "embedding", "vocabulary": 100, "out": HIDDEN,
               "positions": POSITIONS}]
    for i in range(BLOCKS):
        layers += block("embed" if i == 0 else f"encoder.{i - 1}.down", f"encoder.{i}.", apart)
    layers.append(dense("head", HIDDEN, 100, [{"op": "cross_entropy"}]))
    return network(layers, input={"features": 1, "feature": [POSITIONS, 1]})


KV_HEADS = 2
HEAD = HIDDEN // HEADS
FEATURES = {"q": HEADS * HEAD, "k": KV_HEADS * HEAD, "v": KV_HEADS * HEAD}


def llama(apart, is_unrolled=True):
    """Heads of keys and values that several of queries share, a norm of the input that one of the
    layers has, and queries and keys that are turned: layers of the given letters."""
    layers = []
    for part in apart:
        features = sum(FEATURES[one] for one in part)
        turned = sum(FEATURES[one] for one in part if one in "qk")
        norm = {"op": "rms_norm", "on": "input"}
        aux = [{**norm, "from": apart[0]} if layers else norm]
        aux += [{"op": "rotary", "share": turned / features}] if turned else []
        layers.append(dense(part, HIDDEN, features, aux, ["@before"]))
    layers += [
        {"name": "attention", "type": "attention", "heads": HEADS, "kv_heads": KV_HEADS,
         "head_features": HEAD, "causal": True, "inputs": list(apart)},
        dense("out", HIDDEN, HIDDEN, [{"op": "residual", "from": "@before"}]),
        dense("gate", HIDDEN, 3 * HIDDEN, [{"op": "rms_norm", "on": "input"}, {"op": "silu"}]),
        dense("up", HIDDEN, 3 * HIDDEN,
              [{"op": "rms_norm", "on": "input", "from": "gate"}, {"op": "multiply", "from": "gate"}],
              ["out"]),
        dense("down", 3 * HIDDEN, HIDDEN, [{"op": "residual", "from": "out"}])]
    embed = {"name": "embed", "type": "embedding", "vocabulary": 100, "out": HIDDEN,
             "positions": POSITIONS}
    made = [{"block": "decoder", "repeat": BLOCKS, "layers": layers}]
    if is_unrolled:
        made = [layer for i in range(BLOCKS)
                for layer in unrolled(layers, f"decoder.{i}.", f"decoder.{i - 1}.down" if i else "embed")]
    return network([embed] + made, input={"features": 1, "feature": [POSITIONS, 1]})


def unrolled(layers, prefix, before):
    """A repetition of a block as layers of their own."""
    names = {layer["name"]: prefix + layer["name"] for layer in layers} | {"@before": before}
    made = copy.deepcopy(layers)
    for layer in made:
        layer["name"] = names[layer["name"]]
        if "inputs" in layer:
            layer["inputs"] = [names[name] for name in layer["inputs"]]
        for aux in layer.get("aux", []):
            aux.update({"from": names[aux["from"]]} if "from" in aux else {})
    return made


def decoder(apart):
    """Queries of one network and keys and values of another."""
    layers = [{"name": "words", "type": "embedding", "vocabulary": 90, "out": HIDDEN, "positions": 20},
              dense("encoded", HIDDEN, HIDDEN, [{"op": "relu"}]),
              {"name": "target", "type": "embedding", "inputs": ["@input"], "vocabulary": 80,
               "out": HIDDEN, "positions": 20},
              dense("q", HIDDEN, HIDDEN, reads=["target"])]
    layers += [dense(part, HIDDEN, HIDDEN * len(part), reads=["encoded"]) for part in apart]
    layers += [{"name": "cross", "type": "attention", "heads": HEADS, "head_features": HEAD,
                "inputs": ["q"] + list(apart)},
               dense("out", HIDDEN, HIDDEN, [{"op": "residual", "from": "target"}])]
    return network(layers, input={"features": 1, "feature": [20, 1]})


def with_positions(written):
    """All positions stated."""
    written = copy.deepcopy(written)
    for layer in written["layers"]:
        if layer["type"] in ("fc", "attention"):
            layer["positions"] = POSITIONS
    return written


def as_convolutions(written):
    """Each fc a convolution of 1 x 1."""
    written = copy.deepcopy(written)
    for layer in written["layers"]:
        if layer["type"] == "fc":
            layer.update({"type": "conv", "feature": [POSITIONS, 1]})
            layer.pop("positions", None)
    return written


def with_defaults(written):
    """What is the default in any case is stated."""
    written = copy.deepcopy(written)
    positions = written["layers"][0]["positions"]
    for layer in written["layers"]:
        if layer["type"] == "attention":
            layer.update({"kv_heads": HEADS, "value_features": HIDDEN // HEADS,
                          "context": layer.get("context", positions)})
    return written


def chain(step, repeat, first, **top):
    """`repeat` layers, each of which reads the one before, one by one and as a block."""
    apart = [first] + [{"name": f"stack.{i}.{step['name']}",
                        **{k: v for k, v in step.items() if k != "name"}} for i in range(repeat)]
    together = [first, {"block": "stack", "repeat": repeat, "layers": [step]}]
    return network(apart, **top), network(together, **top)


CONVOLUTIONS = chain(
    {"name": "conv", "type": "conv", "in": 16, "out": 16, "feature": [14, 14], "kernel": [3, 3],
     "aux": [{"op": "batch_norm"}, {"op": "relu"}]}, 3,
    {"name": "stem", "type": "conv", "in": 3, "out": 16, "feature": [14, 14], "kernel": [3, 3],
     "stride": [2, 2]})
RECURRENT = chain(
    {"name": "cell", "type": "lstm", "in": 32, "out": 32, "timesteps": 8}, 3,
    {"name": "first", "type": "lstm", "in": 24, "out": 32, "timesteps": 8})
BOTH_WAYS = chain(
    {"name": "cell", "type": "lstm", "in": 64, "out": 32, "timesteps": 8, "bidirectional": True}, 2,
    {"name": "first", "type": "lstm", "in": 24, "out": 32, "timesteps": 8, "bidirectional": True})


def by_parameters(written, **parameters):
    """The same with expressions in place of numbers."""
    written = copy.deepcopy(written)

    def expressed(layer):
        for key in ("in", "out", "timesteps", "vocabulary", "positions"):
            name = next((n for n, value in parameters.items() if layer.get(key) == value), None)
            double = next((n for n, value in parameters.items() if layer.get(key) == 2 * value), None)
            layer.update({key: f"={name}"} if name else {key: f"=2*{double}"} if double else {})
        for inner in layer.get("layers", []):
            expressed(inner)
        return layer

    layers = [expressed(layer) for layer in written["layers"]]
    return {**written, "parameters": parameters, "layers": layers}


def stated_input(written, features, size):
    return {**copy.deepcopy(written), "input": {"features": features, "feature": size}}


# A small BERT, of which models in ONNX have no dropout.
SIZES = {"hidden": HIDDEN, "inner": 4 * HIDDEN, "blocks": BLOCKS, "heads": HEADS,
         "sequence": POSITIONS, "vocabulary": 100}
BERT_CONFIG = {**CONFIGS["bert_base"], "architectures": ["BertModel"], "hidden_dropout_prob": 0.0,
               "attention_probs_dropout_prob": 0.0, "hidden_size": HIDDEN,
               "intermediate_size": 4 * HIDDEN, "max_position_embeddings": POSITIONS,
               "num_attention_heads": HEADS, "num_hidden_layers": BLOCKS, "vocab_size": 100}


def bundled(name, sizes):
    """A bundled network of other sizes, without what models in ONNX have not: dropout and a loss."""
    written = json.loads((ROOT / "workloads" / f"{name}.json").read_text())

    def undropped(layer):
        left_out = ("dropout", "cross_entropy")
        layer["aux"] = [aux for aux in layer.get("aux", []) if aux["op"] not in left_out]
        if "layers" in layer:
            layer["layers"] = [undropped(inner) for inner in layer["layers"]]
            del layer["aux"]
        return layer

    return {**written, "parameters": sizes, "minibatch": 1,
            "layers": [undropped(layer) for layer in written["layers"]]}


def of_onnx(decomposed):
    model = onnx_networks.bert(BLOCKS, HIDDEN, HEADS, POSITIONS, 100, decomposed, token_types=2)
    return ("bert.onnx", model.bytes(), ["--dimension", f"sequence={POSITIONS}"])


GPT2_CONFIG = {**CONFIGS["gpt2"], "attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0,
               "n_ctx": POSITIONS, "n_embd": HIDDEN, "n_head": HEADS, "n_layer": BLOCKS,
               "n_positions": POSITIONS, "vocab_size": 100}


GPT2_SIZES = {key: value for key, value in SIZES.items() if key != "inner"}


def gpt2_of_onnx(mask, head):
    model = onnx_networks.gpt2(BLOCKS, HIDDEN, HEADS, POSITIONS, 100, mask, head)
    return ("gpt2.onnx", model.bytes(), ["--dimension", f"sequence={POSITIONS}"])


# One head of keys and values for four of queries, as llama3_8b has.
LLAMA_CONFIG = {**CONFIGS["llama2_7b"], "hidden_size": HIDDEN, "intermediate_size": 3 * HIDDEN,
                "num_hidden_layers": BLOCKS, "num_attention_heads": HEADS,
                "num_key_value_heads": 1, "vocab_size": 100,
                "max_position_embeddings": POSITIONS}
LLAMA_SIZES = {**SIZES, "inner": 3 * HIDDEN, "kv_heads": 1, "head_features": "=hidden/heads"}


def llama_of_onnx(waves):
    model = onnx_networks.llama(BLOCKS, HIDDEN, HEADS, 1, 3 * HIDDEN, POSITIONS, 100, waves,
                                ids=waves == "tables")
    return ("llama.onnx", model.bytes(), ["--dimension", f"sequence={POSITIONS}"])


PATCH, SIDE, CLASSES = 4, 12, 10
VIT_CONFIG = {**CONFIGS["vit_b16"], "hidden_size": HIDDEN, "intermediate_size": 3 * HIDDEN,
              "num_attention_heads": HEADS, "num_hidden_layers": BLOCKS, "image_size": SIDE,
              "patch_size": PATCH, "id2label": {str(i): "" for i in range(CLASSES)}}


def bundled_vit():
    """The bundled network has sizes of its patches and classes as numbers."""
    patches = (SIDE // PATCH) ** 2
    sizes = {**{key: SIZES[key] for key in ("hidden", "blocks", "heads")}, "inner": 3 * HIDDEN,
             "patches": patches, "sequence": "=patches+1"}
    written = bundled("vit_b16", sizes)
    written["layers"][0]["in"] = 3 * PATCH * PATCH
    head = written["layers"][-1]
    head.update({"out": CLASSES, "aux": [aux for aux in head["aux"] if aux["op"] != "softmax"]})
    return written


def vit_of_onnx(fused):
    model = onnx_networks.vit(BLOCKS, HIDDEN, HEADS, 3 * HIDDEN, PATCH, SIDE, CLASSES, 1, fused)
    return ("vit.onnx", model.bytes(), [])


def as_file(way):
    """Name, content and options of a way, which may be a network in the format itself."""
    if isinstance(way, tuple):
        return way
    return ("one.json", json.dumps(way).encode(), [])


WAYS = {
    "transformer": [transformer(), with_positions(transformer()), as_convolutions(transformer()),
                    with_defaults(transformer()),
                    *(variant(transformer(apart)) for apart in (["qkv"], ["q", "kv"])
                      for variant in (lambda same: same, with_positions, as_convolutions))],
    "shared heads of keys and values": [llama(apart, is_unrolled)
                                        for apart in (["qkv"], ["q", "k", "v"], ["q", "kv"])
                                        for is_unrolled in (True, False)],
    "decoder of an encoder": [decoder(["k", "v"]), decoder(["kv"]),
                              with_defaults(decoder(["k", "v"]))],
    "convolutions": [*CONVOLUTIONS, stated_input(CONVOLUTIONS[0], 3, [28, 28])],
    "lstm": [*RECURRENT, stated_input(RECURRENT[0], 24, [1, 1]),
             by_parameters(RECURRENT[0], units=32, first=24, steps=8),
             by_parameters(RECURRENT[1], units=32, first=24, steps=8)],
    "lstm in both directions": [*BOTH_WAYS, by_parameters(BOTH_WAYS[1], units=32, steps=8)],
    "bert": [bundled("bert_base", SIZES), ("config.json", json.dumps(BERT_CONFIG).encode(), []),
             of_onnx(True), of_onnx(False)],
    "gpt2": [bundled("gpt2", GPT2_SIZES), ("config.json", json.dumps(GPT2_CONFIG).encode(), []),
             gpt2_of_onnx("buffered", "turned"),
             gpt2_of_onnx("compared", "transposed")],
    "llama": [bundled("llama3_8b", LLAMA_SIZES),
              ("config.json", json.dumps(LLAMA_CONFIG).encode(), []),
              llama_of_onnx("computed"), llama_of_onnx("tables")],
    "vit": [bundled_vit(), ("config.json", json.dumps(VIT_CONFIG).encode(), []),
            vit_of_onnx(True), vit_of_onnx(False)],
}
SYSTEMS = [("chip1", []), ("torus64", []), ("torus64_refined", []),
           ("torus64", ["--set", "system.model.fused_attention=true"]),
           ("torus64", ["--set", "system.model.tile_schedule=true"])]
MODES = ("training", "inference")


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def uncalled(value):
    """A plan without what its parts are called."""
    if isinstance(value, dict):
        return {k: uncalled(v) for k, v in value.items() if k not in CALLED}
    return [uncalled(v) for v in value] if isinstance(value, list) else value


def plan_of(program, folder, way, system, options, mode):
    name, content, own = as_file(way)
    path = folder / name
    path.write_bytes(content)
    # A configuration of a hub is trained with adam_mixed where nothing else is said.
    arguments = ("explore", str(path), system, "--mode", mode, "--format", "json",
                 "--set", "workload.optimizer=none", *own, *options)
    return json.loads(run(program, *arguments))


def difference(a, b, place="$"):
    """The first place where two values differ, or None."""
    if type(a) is not type(b):
        return f"{place}: {a!r} and {b!r}"
    if isinstance(a, dict):
        if a.keys() != b.keys():
            return f"{place}: {sorted(a.keys() ^ b.keys())}"
        return next(filter(None, (difference(a[k], b[k], f"{place}.{k}") for k in a)), None)
    if isinstance(a, list):
        if len(a) != len(b):
            return f"{place}: {len(a)} and {len(b)}"
        pairs = enumerate(zip(a, b))
        return next(filter(None, (difference(x, y, f"{place}[{i}]") for i, (x, y) in pairs)), None)
    return None if a == b else f"{place}: {a!r} and {b!r}"


def check_ways(program, folder):
    for name, ways in WAYS.items():
        for system, options in SYSTEMS:
            for mode in MODES:
                plans = [uncalled(plan_of(program, folder, way, system, options, mode))
                         for way in ways]
                for i, plan in enumerate(plans[1:], 1):
                    found = difference(plans[0], plan)
                    if found:
                        yield f"{name} on {system} {options}, {mode}, way {i}: {found}"


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        complaints = list(check_ways(program, folder))
    count = sum(len(ways) for ways in WAYS.values())
    print("\n".join(complaints) or f"{count} ways to write {len(WAYS)} networks have one time each")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
