# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks as exporters write them."""
import math
import random

from onnx_writer import BOOL, FLOAT, INT64, UINT8, Model


def conv(m, x, out, inp, kernel, stride=1, relu=True, norm=True, groups=1, name="", residual=None):
    pad = kernel // 2
    x = m.add("Conv", x, m.weight([out, inp // groups, kernel, kernel]), name=name, kernel_shape=[kernel] * 2,
              strides=[stride] * 2, pads=[pad] * 4, group=groups)
    if norm:
        x = m.add("BatchNormalization", x, *(m.weight([out]) for _ in range(4)))
    if residual is not None:
        x = m.add("Add", x, residual)
    return m.add("Relu", x) if relu else x


def resnet50(weights="initializers", batch="batch", shuffled=False):
    m = Model(weights=weights)
    x = m.input("image", [batch, 3, 224, 224])
    x = conv(m, x, 64, 3, 7, 2, name="conv1")
    x = m.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    features = 64
    for stage, (blocks, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)], 2):
        for block in range(1, blocks + 1):
            stride = 2 if stage > 2 and block == 1 else 1
            name = f"conv{stage}_{block}"
            short = x
            if block == 1:
                short = conv(m, x, 4 * width, features, 1, stride, relu=False, name=name + "_proj")
            y = conv(m, x, width, features, 1, STRIDE_FIRST and stride or 1, name=name + "_reduce")
            y = conv(m, y, width, width, 3, not STRIDE_FIRST and stride or 1, name=name + "_3x3")
            x = conv(m, y, 4 * width, width, 1, name=name + "_expand", residual=short)
            features = 4 * width
    x = m.add("GlobalAveragePool", x)
    x = m.add("Flatten", x)
    x = m.add("Gemm", x, m.weight([1000, 2048]), m.weight([1000]), name="fc", transB=1)
    m.output(m.add("Softmax", x))
    if shuffled:
        m.nodes.reverse()
    return m


# Where a bottleneck halves the image: in its 3 x 3 convolution.
STRIDE_FIRST = False


def layer_norm(m, x, size, decomposed=True):
    if not decomposed:
        return m.add("LayerNormalization", x, m.weight([size]), m.weight([size]))
    mean = m.add("ReduceMean", x, axes=[-1])
    d = m.add("Sub", x, mean)
    var = m.add("ReduceMean", m.add("Pow", d, m.floats([2.0], [])), axes=[-1])
    y = m.add("Div", d, m.add("Sqrt", m.add("Add", var, m.floats([1e-12], []))))
    return m.add("Add", m.add("Mul", y, m.weight([size])), m.weight([size]))


def gelu(m, x):
    erf = m.add("Erf", m.add("Div", x, m.floats([1.4142135], [])))
    return m.add("Mul", m.add("Mul", x, m.add("Add", erf, m.floats([1.0], []))), m.floats([0.5], []))


def linear(m, x, inp, out, name=""):
    return m.add("Add", m.add("MatMul", x, m.weight([inp, out]), name=name), m.weight([out]))


def encoder(m, x, hidden, heads, inner, prefix, positions, decomposed=True):
    """A block as torch exports it: shapes are computed in the graph."""
    def split(y, order):
        shape = m.add("Concat", m.add("Unsqueeze", m.add("Gather", m.add("Shape", y), m.ints([0], True)), m.ints([0])),
                      m.ints([-1]), m.ints([heads]), m.ints([hidden // heads]), axis=0)
        return m.add("Transpose", m.add("Reshape", y, shape), perm=order)
    q = split(linear(m, x, hidden, hidden, prefix + "query"), [0, 2, 1, 3])
    k = split(linear(m, x, hidden, hidden, prefix + "key"), [0, 2, 3, 1])
    v = split(linear(m, x, hidden, hidden, prefix + "value"), [0, 2, 1, 3])
    scores = m.add("Div", m.add("MatMul", q, k, name=prefix + "score"), m.floats([8.0], []))
    p = m.add("Softmax", scores, axis=-1)
    y = m.add("Transpose", m.add("MatMul", p, v, name=prefix + "attention"), perm=[0, 2, 1, 3])
    y = m.add("Reshape", y, m.ints([0, 0, hidden]))
    y = linear(m, y, hidden, hidden, prefix + "output")
    x = layer_norm(m, m.add("Add", y, x), hidden, decomposed)
    y = gelu(m, linear(m, x, hidden, inner, prefix + "ff1"))
    y = linear(m, y, inner, hidden, prefix + "ff2")
    return layer_norm(m, m.add("Add", y, x), hidden, decomposed)


def bert(blocks=2, hidden=768, heads=12, positions=128, vocabulary=30522, decomposed=True, token_types=0):
    m = Model()
    ids = m.input("input_ids", ["batch", "sequence"], INT64)
    x = m.add("Gather", m.weight([vocabulary, hidden]), ids, name="embed")
    if token_types:
        types = m.input("token_type_ids", ["batch", "sequence"], INT64)
        x = m.add("Add", x, m.add("Gather", m.weight([token_types, hidden]), types, name="token_types"))
    x = m.add("Add", x, m.weight([1, positions, hidden]))
    x = layer_norm(m, x, hidden, decomposed)
    for block in range(blocks):
        x = encoder(m, x, hidden, heads, 4 * hidden, f"encoder.{block}.", positions, decomposed)
    first = m.add("Gather", x, m.ints([0], True), axis=1)
    m.output(m.add("Tanh", m.add("Gemm", first, m.weight([hidden, hidden]), m.weight([hidden]), name="pooler")))
    return m


def block_of_bert(weights, decomposed):
    m = Model(weights=weights)
    m.output(encoder(m, m.input("x", ["batch", 128, 768]), 768, 12, 3072, "", 128, decomposed))
    return m


def small_cnn(m=None):
    """Convolutions, a pool, a shortcut, two branches that are joined, and a classifier."""
    m = m or Model()
    x = conv(m, m.input("image", ["batch", 3, 32, 32]), 8, 3, 3, name="stem")
    x = m.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = conv(m, conv(m, x, 8, 8, 3, name="a"), 8, 8, 3, name="b", residual=x)
    x = m.add("Concat", conv(m, x, 8, 8, 1, name="c"), conv(m, x, 16, 8, 3, name="d"), axis=1)
    x = m.add("Flatten", m.add("AveragePool", x, kernel_shape=[16, 16]))
    x = m.add("Gemm", x, m.weight([24, 10]), m.weight([10]), name="fc")
    m.output(m.add("Softmax", x))
    return m


def recurrent():
    """As torch exports two layers, the first in both directions, and the last timestep's class."""
    m = Model()
    x = m.add("Transpose", m.input("tokens", ["batch", 7, 20]), perm=[1, 0, 2])
    x = m.add("LSTM", x, m.weight([2, 120, 20]), m.weight([2, 120, 30]), m.weight([2, 240]), name="both",
              outputs=3, hidden_size=30, direction="bidirectional")[0]
    x = m.add("Reshape", m.add("Transpose", x, perm=[0, 2, 1, 3]), m.ints([0, 0, -1]))
    x = m.add("LSTM", x, m.weight([1, 160, 60]), m.weight([1, 160, 40]), name="one", outputs=3, hidden_size=40)[0]
    x = m.add("Gather", m.add("Squeeze", x, m.ints([1])), m.ints([-1], True), axis=0)
    m.output(m.add("Gemm", x, m.weight([5, 40]), m.weight([5]), name="class", transB=1))
    return m


def unet():
    m = Model()
    x = conv(m, m.input("image", [2, 3, 16, 16]), 8, 3, 3, name="down1")
    y = conv(m, x, 16, 8, 3, 2, name="down2")
    y = m.add("ConvTranspose", y, m.weight([16, 8, 2, 2]), m.weight([8]), name="up", kernel_shape=[2, 2],
              strides=[2, 2])
    y = conv(m, m.add("Concat", y, x, axis=1), 8, 16, 3, name="joined")
    y = m.add("Resize", y, m.floats([], [0]), m.floats([1.0, 1.0, 2.0, 2.0]), mode="nearest")
    m.output(conv(m, y, 3, 8, 1, name="wide"))
    return m


def patches(batch=1, token=1, kernel=4, classes=5):
    """An image of 8 x 12 in patches of 4 x 4 with a token before them, its positions, a layer, the token's class."""
    m = Model()
    x = m.add("Conv", m.input("image", [batch, 3, 8, 12]), m.weight([16, 3, kernel, kernel]), m.weight([16]),
              name="patches", kernel_shape=[kernel, kernel], strides=[4, 4], pads=[0, 0, kernel - 4, kernel - 4])
    x = m.add("Transpose", m.add("Reshape", x, m.ints([0, 16, 6])), perm=[0, 2, 1])
    x = m.add("Concat", m.add("Expand", m.weight([1, token, 16]), m.ints([batch, token, 16])), x, name="token", axis=1)
    x = m.add("Add", x, m.weight([1, 6 + token, 16]))
    x = m.add("Add", linear(m, x, 16, 16, "mixed"), x)
    x = m.add("Gather", x, m.ints([0], True), axis=1)
    m.output(m.add("Gemm", x, m.weight([classes, 16]), m.weight([classes]), name="class", transB=1))
    return m


def vit(blocks=2, hidden=32, heads=4, inner=96, patch=4, side=12, classes=10, tokens=1, fused=True,
        heads_of=1):
    """As torch exports it: tokens before the patches of an image, learned positions, and a class of the first."""
    m = Model(opset=14)
    count = (side // patch) ** 2
    x = m.add("Conv", m.input("image", ["batch", 3, side, side]), m.weight([hidden, 3, patch, patch]), m.weight([hidden]),
              name="patches", kernel_shape=[patch] * 2, strides=[patch] * 2)
    x = m.add("Transpose", m.add("Reshape", x, m.ints([0, hidden, count])), perm=[0, 2, 1])
    rows = [m.add("Expand", m.weight([1, 1, hidden]), m.ints([1, 1, hidden])) for _ in range(tokens)]
    x = m.add("Concat", *rows, x, name="tokens", axis=1)
    x = m.add("Add", x, m.weight([1, count + tokens, hidden]))
    for block in range(blocks):
        called = f"encoder.{block}."
        y = layer_norm(m, x, hidden, not fused)
        def split(y, order):
            return m.add("Transpose", m.add("Reshape", y, m.ints([0, 0, heads, hidden // heads])), perm=order)
        q, k, v = (split(linear(m, y, hidden, hidden, called + name), order)
                   for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])))
        p = m.add("Softmax", m.add("Div", m.add("MatMul", q, k), m.floats([3.0], [])), axis=-1)
        y = m.add("Transpose", m.add("MatMul", p, v, name=called + "attention"), perm=[0, 2, 1, 3])
        x = m.add("Add", linear(m, m.add("Reshape", y, m.ints([0, 0, hidden])), hidden, hidden, called + "out"), x)
        y = gelu(m, linear(m, layer_norm(m, x, hidden, not fused), hidden, inner, called + "ff1"))
        x = m.add("Add", linear(m, y, inner, hidden, called + "ff2"), x)
    x = layer_norm(m, x, hidden, not fused)
    made = [m.add("Gemm", m.add("Gather", x, m.ints([i], True), axis=1), m.weight([classes, hidden]),
                  m.weight([classes]), name=name, transB=1) for i, name in zip(range(heads_of), ("class", "distilled"))]
    m.output(made[0] if heads_of == 1 else m.add("Div", m.add("Add", *made), m.floats([2.0], [])))
    return m


def pre_norm(fused=True):
    """A block that normalises what it reads, with queries, keys and values of one product."""
    m = Model(opset=17)
    x = linear(m, m.input("x", ["batch", 6, 32]), 32, 32, "embed")
    y = layer_norm(m, x, 32, False)
    qkv = m.add("Reshape", linear(m, y, 32, 96, "qkv"), m.ints([0, 0, 3, 4, 8]))
    qkv = m.add("Transpose", qkv, perm=[2, 0, 3, 1, 4])
    q, k, v = (m.add("Gather", qkv, m.ints([i], True), axis=0) for i in range(3))
    k = m.add("Transpose", k, perm=[0, 1, 3, 2])
    p = m.add("Softmax", m.add("Mul", m.add("MatMul", q, k), m.floats([0.3], [])), axis=-1)
    y = m.add("Transpose", m.add("MatMul", p, v, name="attention"), perm=[0, 2, 1, 3])
    y = linear(m, m.add("Reshape", y, m.ints([0, 0, 32])), 32, 32, "out")
    x = m.add("Add", x, y)
    y = layer_norm(m, x, 32, False)
    gate = linear(m, y, 32, 64, "gate")
    y = m.add("Mul", m.add("Mul", gate, m.add("Sigmoid", gate)), linear(m, y, 32, 64, "up"))
    m.output(m.add("Add", linear(m, y, 64, 32, "down"), x))
    return m


LOWEST = -3.4028234663852886e38  # of single precision


def triangle(count, low, high, diagonal=0):
    """`low` where a column is at most `diagonal` behind the row, and `high` beyond."""
    return [low if j - i <= diagonal else high for i in range(count) for j in range(count)]


def side_of(m, x, axis):
    return m.add("Gather", m.add("Shape", x), m.ints([axis], True), axis=0)


def list_of(m, *sides):
    return m.add("Concat", *(m.add("Unsqueeze", one, m.ints([0])) for one in sides), axis=0)


def buffered(m, scores, room, positions):
    """A part of a table of truth values, as GPT-2 has it."""
    keys, queries = side_of(m, scores, 3), side_of(m, scores, 2)
    first = m.add("Sub", keys, queries)
    mask = m.data([1, 1, room, room], triangle(room, 1, 0), UINT8)
    ends = [m.add("Unsqueeze", one, m.ints([0])) for one in (first, keys)]
    mask = m.add("Slice", mask, *ends, m.ints([2]), m.ints([1]))
    mask = m.add("Slice", mask, m.ints([0]), ends[1], m.ints([3]), m.ints([1]))
    return m.add("Where", m.add("Cast", mask, to=BOOL), scores, m.floats([LOWEST], []))


def produced(m, scores, room, positions):
    """A table of ones and zeros that scores are multiplied by, and what is taken from those that it hides."""
    mask = m.data([1, 1, room, room], triangle(room, 1.0, 0.0))
    mask = m.add("Slice", mask, m.ints([0, 0]), m.ints([positions] * 2), m.ints([2, 3]))
    hidden = m.add("Mul", m.add("Sub", m.floats([1.0], []), mask), m.floats([10000.0], []))
    return m.add("Sub", m.add("Mul", scores, mask), hidden)


def cut(m, scores, room, positions):
    """The upper triangle of a matrix of minus infinities."""
    shape = list_of(m, side_of(m, scores, 2), side_of(m, scores, 3))
    whole = m.add("Expand", m.floats([-math.inf], []), shape)
    return m.add("Add", scores, m.add("Trilu", whole, m.ints([1], True), upper=1))


def compared(m, scores, room, positions):
    """Positions of keys that are compared with those of queries."""
    side = side_of(m, scores, 3)
    places = m.add("Range", m.ints([0], True), side, m.ints([1], True))
    rows = m.add("Reshape", m.add("Add", places, m.ints([1], True)), m.ints([-1, 1]))
    whole = m.add("Expand", m.floats([LOWEST], []), list_of(m, side, side))
    mask = m.add("Where", m.add("Less", places, rows), m.floats([0.0], []), whole)
    mask = m.add("Unsqueeze", m.add("Unsqueeze", mask, m.ints([0])), m.ints([0]))
    return m.add("Add", scores, m.add("Expand", mask, m.ints([1, 1, positions, positions])))


def chosen(m, scores, room, positions):
    """As a product of queries, keys and values in one operator is written: ones below, infinities where none is."""
    whole = m.add("Expand", m.floats([1.0], []), list_of(m, side_of(m, scores, 2), side_of(m, scores, 3)))
    below = m.add("Trilu", whole, upper=0)
    mask = m.add("Where", m.add("Equal", below, m.floats([0.0], [])), m.floats([-math.inf], []), m.floats([0.0], []))
    return m.add("Add", scores, mask)


MASKS = {"buffered": buffered, "produced": produced, "cut": cut, "compared": compared, "chosen": chosen}


def gelu_tanh(m, x):
    cube = m.add("Mul", m.add("Pow", x, m.floats([3.0], [])), m.floats([0.044715], []))
    inner = m.add("Mul", m.add("Add", x, cube), m.floats([0.7978846], []))
    return m.add("Mul", m.add("Mul", x, m.floats([0.5], [])), m.add("Add", m.add("Tanh", inner), m.floats([1.0], [])))


def rows_by(m, x, inp, out, name):
    """A layer of GPT-2: rows of all samples times weights that stand as the product needs them."""
    shape = list_of(m, side_of(m, x, 0), side_of(m, x, 1), m.ints([out], True))
    y = m.add("Gemm", m.add("Reshape", x, m.ints([-1, inp])), m.weight([inp, out]), m.weight([out]), name=name)
    return m.add("Reshape", y, shape)


def table_of(rows, columns, seed=17):
    chosen = random.Random(seed)
    return [chosen.uniform(-1, 1) for _ in range(rows * columns)]


def turned(numbers, rows, columns):
    return [numbers[r * columns + c] for c in range(columns) for r in range(rows)]


def gpt2(blocks=2, hidden=32, heads=4, positions=12, vocabulary=100, mask="buffered", head="turned", room=None):
    """As torch exports it: shapes are computed, constants folded; the head's weights are those of the table."""
    m = Model()
    numbers = table_of(vocabulary, hidden)
    table = m.data([vocabulary, hidden], numbers)
    ids = m.input("input_ids", ["batch", "sequence"], INT64)
    places = m.add("Range", m.ints([0], True), side_of(m, ids, 1), m.ints([1], True))
    places = m.add("Reshape", places, m.ints([-1, positions]))
    x = m.add("Add", m.add("Gather", table, ids, name="tokens"), m.add("Gather", m.weight([positions, hidden]), places))
    for block in range(blocks):
        called = f"decoder.{block}."
        y = rows_by(m, layer_norm(m, x, hidden), hidden, 3 * hidden, called + "qkv")
        parts = m.add("Split", y, m.ints([hidden] * 3), axis=2, outputs=3)
        def split(y, order):
            shape = list_of(m, side_of(m, y, 0), side_of(m, y, 1), *(m.ints([n], True) for n in (heads, hidden // heads)))
            return m.add("Transpose", m.add("Reshape", y, shape), perm=order)
        q, k, v = (split(part, order) for part, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])))
        scores = m.add("Div", m.add("MatMul", q, k), m.floats([8.0], []))
        if mask:
            scores = MASKS[mask](m, scores, room or positions, positions)
        y = m.add("MatMul", m.add("Softmax", scores, axis=-1), v, name=called + "attention")
        y = m.add("Reshape", m.add("Transpose", y, perm=[0, 2, 1, 3]), m.ints([0, 0, hidden]))
        x = m.add("Add", rows_by(m, y, hidden, hidden, called + "attention_out"), x)
        y = gelu_tanh(m, rows_by(m, layer_norm(m, x, hidden), hidden, 4 * hidden, called + "ff1"))
        x = m.add("Add", x, rows_by(m, y, 4 * hidden, hidden, called + "ff2"))
    weights = {"turned": lambda: m.data([hidden, vocabulary], turned(numbers, vocabulary, hidden)),
               "transposed": lambda: m.add("Transpose", table, perm=[1, 0]),
               "copied": lambda: m.add("Transpose", m.data([vocabulary, hidden], numbers, raw=False), perm=[1, 0]),
               "apart": lambda: m.data([hidden, vocabulary], table_of(hidden, vocabulary, 18))}[head]()
    m.output(m.add("MatMul", layer_norm(m, x, hidden), weights, name="head"))
    return m


def mixed(m, x, hidden, heads, name, fused):
    """torch's MultiheadAttention, of rows of positions of samples: [positions, samples, features]."""
    steps, samples = side_of(m, x, 0), side_of(m, x, 1)
    y = linear(m, x, hidden, 3 * hidden, name + "in_proj")
    y = m.add("Reshape", y, list_of(m, steps, samples, m.ints([3], True), m.ints([hidden], True)))
    y = m.add("Transpose", m.add("Unsqueeze", y, m.ints([0])), perm=[3, 1, 2, 0, 4])
    y = m.add("Squeeze", y, m.ints([3]))
    q, k, v = (m.add("Gather", y, m.ints([i], True), axis=0) for i in range(3))
    both = m.add("Mul", samples, m.ints([heads], True))
    shape = list_of(m, steps, both, m.ints([hidden // heads], True))
    q, k, v = (m.add("Transpose", m.add("Reshape", one, shape), perm=[1, 0, 2]) for one in (q, k, v))
    if fused:  # [samples, heads, positions, features]
        shape = list_of(m, samples, m.ints([heads], True), steps, m.ints([hidden // heads], True))
        q, k, v = (m.add("Reshape", one, shape) for one in (q, k, v))
    k = m.add("Transpose", k, perm=[0, 1, 3, 2] if fused else [0, 2, 1])
    p = m.add("Softmax", m.add("MatMul", m.add("Div", q, m.floats([2.0], [])), k), axis=-1)
    y = m.add("MatMul", p, v, name=name + "attention")
    y = m.add("Transpose", y, perm=[2, 0, 1, 3] if fused else [1, 0, 2])
    y = m.add("Reshape", y, list_of(m, m.add("Mul", steps, samples), m.ints([hidden], True)))
    y = m.add("Gemm", y, m.weight([hidden, hidden]), m.weight([hidden]), name=name + "out_proj", transB=1)
    return m.add("Reshape", y, list_of(m, steps, samples, m.ints([hidden], True)))


def torch_encoder(blocks=2, hidden=32, heads=4, positions=12, samples=3, first="positions", fused=False, ids=False):
    """torch's TransformerEncoder, with positions or samples first; of features, or of words."""
    m = Model(opset=14)
    sides = [positions, samples] if first == "positions" else [samples, positions]
    if ids:
        x = m.add("Gather", m.weight([100, hidden]), m.input("words", sides, INT64), name="embed")
    else:
        x = linear(m, m.input("x", sides + [hidden]), hidden, hidden, "embed")
    for block in range(blocks):
        name = f"encoder.{block}."
        y = x if first == "positions" else m.add("Transpose", x, perm=[1, 0, 2])
        y = mixed(m, y, hidden, heads, name, fused)
        y = y if first == "positions" else m.add("Transpose", y, perm=[1, 0, 2])
        x = layer_norm(m, m.add("Add", x, y), hidden)
        y = m.add("Relu", linear(m, x, hidden, 4 * hidden, name + "linear1"))
        x = layer_norm(m, m.add("Add", x, linear(m, y, 4 * hidden, hidden, name + "linear2")), hidden)
    x = m.add("Gather", x, m.ints([0], True), axis=0 if first == "positions" else 1)
    m.output(m.add("Gemm", x, m.weight([5, hidden]), m.weight([5]), name="class", transB=1))
    return m


def rms_norm(m, x, size):
    mean = m.add("ReduceMean", m.add("Pow", x, m.floats([2.0], [])), axes=[-1])
    y = m.add("Mul", x, m.add("Reciprocal", m.add("Sqrt", m.add("Add", mean, m.floats([1e-6], [])))))
    return m.add("Mul", m.weight([size]), y)


def waves_of(m, places, features, positions, how):
    """Cosines and sines by which positions turn: of constants, computed of positions, or of a table by these."""
    if how == "constants":
        return [m.weight([1, 1, positions, features]) for _ in range(2)]
    if how == "tables":
        tables = [m.add("Squeeze", m.add("Slice", m.weight([1, 1, 64, features]), m.ints([0]), m.ints([positions]),
                                         m.ints([2])), m.ints([0, 1])) for _ in range(2)]
        return [m.add("Unsqueeze", m.add("Gather", table, places), m.ints([1])) for table in tables]
    rates = m.add("Expand", m.weight([1, features // 2, 1]), m.ints([1, features // 2, 1]))
    angles = m.add("MatMul", rates, m.add("Cast", m.add("Unsqueeze", places, m.ints([1])), to=FLOAT))
    angles = m.add("Transpose", angles, perm=[0, 2, 1])
    both = m.add("Concat", angles, angles, axis=-1)
    return [m.add("Unsqueeze", m.add("Mul", m.add(op, both), m.floats([1.0], [])), m.ints([1])) for op in ("Cos", "Sin")]


def turn(m, x, waves, features):
    """Halves of a head change places."""
    low = m.add("Slice", x, m.ints([0]), m.ints([features // 2]), m.ints([3]), m.ints([1]))
    high = m.add("Slice", x, m.ints([features // 2]), m.ints([1 << 62]), m.ints([3]), m.ints([1]))
    halves = m.add("Concat", m.add("Neg", high), low, axis=-1)
    return m.add("Add", m.add("Mul", x, waves[0]), m.add("Mul", halves, waves[1]))


def turn_pairs(m, x, waves, features):
    """Elements next to each other change places, in a head that is wholly turned."""
    first, second = (m.add("Slice", x, m.ints([i]), m.ints([1 << 62]), m.ints([3]), m.ints([2])) for i in range(2))
    pairs = (m.add("Unsqueeze", m.add("Neg", second), m.ints([-1])), m.add("Unsqueeze", first, m.ints([-1])))
    halves = m.add("Reshape", m.add("Concat", *pairs, axis=-1), m.ints([0, 0, 0, -1]))
    return m.add("Add", m.add("Mul", halves, waves[1]), m.add("Mul", x, waves[0]))


def llama(blocks=2, hidden=32, heads=4, kv_heads=2, inner=96, positions=12, vocabulary=100, waves="computed",
          turned=None, turn=turn, ids=False):
    """As torch exports it; positions may be an input. `turned` features of each head are."""
    m = Model()
    size = hidden // heads
    turned = turned or size
    words = m.input("input_ids", ["batch", "sequence"], INT64)
    if ids:
        places = m.input("position_ids", ["batch", "sequence"], INT64)
    else:
        places = m.add("Unsqueeze", m.add("Range", m.ints([0], True), side_of(m, words, 1), m.ints([1], True)), m.ints([0]))
    x = m.add("Gather", m.weight([vocabulary, hidden]), words, name="tokens")
    table = waves_of(m, places, turned, positions, waves)

    def product(y, inp, out, name):
        return m.add("MatMul", y, m.weight([inp, out]), name=name)

    def split(y, count):
        return m.add("Transpose", m.add("Reshape", y, m.ints([0, 0, count, size])), perm=[0, 2, 1, 3])

    def turn_part(y):
        if turned == size:
            return turn(m, y, table, turned)
        part = m.add("Slice", y, m.ints([0]), m.ints([turned]), m.ints([3]), m.ints([1]))
        rest = m.add("Slice", y, m.ints([turned]), m.ints([1 << 62]), m.ints([3]), m.ints([1]))
        return m.add("Concat", turn(m, part, table, turned), rest, axis=-1)

    def repeat(y):
        shape = m.ints([1, kv_heads, heads // kv_heads, positions, size])
        return m.add("Reshape", m.add("Expand", m.add("Unsqueeze", y, m.ints([2])), shape), m.ints([0, heads, -1, size]))

    for block in range(blocks):
        called = f"decoder.{block}."
        y = rms_norm(m, x, hidden)
        q = turn_part(split(product(y, hidden, hidden, called + "q"), heads))
        k = turn_part(split(product(y, hidden, kv_heads * size, called + "k"), kv_heads))
        v = split(product(y, hidden, kv_heads * size, called + "v"), kv_heads)
        k, v = (repeat(one) for one in (k, v)) if kv_heads < heads else (k, v)
        scores = m.add("Mul", m.add("MatMul", q, m.add("Transpose", k, perm=[0, 1, 3, 2])), m.floats([0.3], []))
        p = m.add("Softmax", cut(m, scores, positions, positions), axis=-1)
        y = m.add("Transpose", m.add("MatMul", p, v, name=called + "attention"), perm=[0, 2, 1, 3])
        y = product(m.add("Reshape", y, m.ints([0, 0, hidden])), hidden, hidden, called + "out")
        x = m.add("Add", x, y)
        y = rms_norm(m, x, hidden)
        gate = product(y, hidden, inner, called + "gate")
        gate = m.add("Mul", gate, m.add("Sigmoid", gate))
        y = m.add("Mul", gate, product(y, hidden, inner, called + "up"))
        x = m.add("Add", x, product(y, inner, hidden, called + "down"))
    m.output(product(rms_norm(m, x, hidden), hidden, vocabulary, "head"))
    return m
