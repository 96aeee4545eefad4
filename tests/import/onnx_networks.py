# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks as exporters write them."""
from onnx_writer import INT64, Model


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
