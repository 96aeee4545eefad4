#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the bundled networks have the parameters and MACs that they are known to have?

Each is counted here by hand, from its publication and by arithmetic alone, and what `dsm describe`
prints is compared exactly: parameters, those of them that are weights, biases, norms and embeddings,
and MACs of a sample in the forward pass, masks counted whole. Published totals, where there are, must
be what the count comes to.

Usage: totals.py DSM_BINARY
"""
import dataclasses
import json
import subprocess
import sys


@dataclasses.dataclass
class Count:
    """Of a network, or of a part of it."""
    weights: int = 0
    biases: int = 0
    norms: int = 0
    embeddings: int = 0
    macs: int = 0

    def __add__(self, other):
        mine, others = dataclasses.astuple(self), dataclasses.astuple(other)
        return Count(*(a + b for a, b in zip(mine, others)))

    def __mul__(self, times):
        return Count(*(times * a for a in dataclasses.astuple(self)))

    @property
    def parameters(self):
        return self.weights + self.biases + self.norms + self.embeddings


def matrix(rows, columns, positions, bias=True):
    """A product with weights at each of some positions."""
    return Count(weights=rows * columns, biases=columns * bias, macs=positions * rows * columns)


def table(words, features):
    return Count(embeddings=words * features)


def layer_norm(features):
    return Count(norms=2 * features)


# ---- encoders ----

def encoder_layer(hidden, inner, sequence):
    """Queries, keys, values and the projection, two products of all positions with all, two products of
    the feed-forward part: 4 S H^2 + 2 S^2 H + 2 S H F; every matrix has biases, and there are two norms."""
    return Count(weights=4 * hidden ** 2 + 2 * hidden * inner, biases=4 * hidden + inner + hidden,
                 norms=2 * 2 * hidden,
                 macs=4 * sequence * hidden ** 2 + 2 * sequence ** 2 * hidden
                 + 2 * sequence * hidden * inner)


def bert(hidden, layers, sequence=512, vocabulary=30522):
    """Words, two segments and positions with a norm; the pooler works on one position."""
    tables = table(vocabulary + 2 + sequence, hidden) + layer_norm(hidden)
    return tables + encoder_layer(hidden, 4 * hidden, sequence) * layers + matrix(hidden, hidden, 1)


def bert_pretraining(hidden, layers, masked=76, sequence=512, vocabulary=30522):
    """A product and a norm at the masked words, and all words there by the shared table, with biases; and
    whether the second segment follows the first."""
    words = Count(biases=vocabulary, macs=masked * hidden * vocabulary)
    return (bert(hidden, layers, sequence, vocabulary) + matrix(hidden, hidden, masked) + layer_norm(hidden)
            + words + matrix(hidden, 2, 1))


def vision_transformer(hidden, layers, patches=196, pixels=3 * 16 * 16, classes=1000):
    """Patches with biases; a class token, which the layer of patches works on too, and a position for each;
    a norm behind the encoder; the class token alone is classified."""
    sequence = patches + 1
    tables = table(1 + sequence, hidden)
    return (matrix(pixels, hidden, sequence) + tables + encoder_layer(hidden, 4 * hidden, sequence) * layers
            + layer_norm(hidden) + matrix(hidden, classes, 1))


def translator(hidden, layers, sequence, vocabulary):
    """An encoder and a decoder, whose layers also attend to what is encoded; attention has no biases, the
    feed-forward parts have; a norm behind each side; one table for both sides and the output."""
    inner = 4 * hidden
    feed_forward = matrix(hidden, inner, sequence) + matrix(inner, hidden, sequence)
    attention = (matrix(hidden, hidden, sequence, bias=False) * 4 + Count(macs=2 * sequence ** 2 * hidden)
                 + layer_norm(hidden))
    one = feed_forward + layer_norm(hidden)
    return ((attention + one) * layers + (attention * 2 + one) * layers + layer_norm(hidden) * 2
            + table(vocabulary, hidden) + Count(macs=sequence * hidden * vocabulary))


# ---- decoders ----

def gpt(hidden, layers, sequence, vocabulary):
    """Blocks as those of encoders; a norm behind them, and all words at each position by the shared table."""
    words = Count(macs=sequence * hidden * vocabulary)
    return (table(vocabulary + sequence, hidden) + encoder_layer(hidden, 4 * hidden, sequence) * layers
            + layer_norm(hidden) + words)


def llama(hidden, inner, layers, heads, kv_heads, sequence, vocabulary):
    """Queries and the projection of all heads, keys and values of some of them; three matrices of the gated
    part; norms without a mean, and no biases; the output has weights of its own."""
    kept = kv_heads * (hidden // heads)
    weights = 2 * hidden ** 2 + 2 * hidden * kept + 3 * hidden * inner
    block = Count(weights=weights, norms=2 * hidden, macs=sequence * weights + 2 * sequence ** 2 * hidden)
    return (table(vocabulary, hidden) + block * layers + Count(norms=hidden)
            + matrix(hidden, vocabulary, sequence, bias=False))


def mixtral(hidden, inner, layers, heads, kv_heads, sequence, vocabulary, experts, active):
    """Blocks as those of llama, but that each position goes to some of the experts, as a router says."""
    dense = llama(hidden, inner, layers, heads, kv_heads, sequence, vocabulary)
    gated = 3 * hidden * inner
    router = hidden * experts
    more = Count(weights=(experts - 1) * gated + router,
                 macs=sequence * ((active - 1) * gated + router))
    return dense + more * layers


def qwen3(hidden, inner, layers, heads, kv_heads, sequence, vocabulary, experts=0, active=0):
    """Heads of 128 features, whatever the hidden ones, with a norm for all of queries and one for all of keys; the
    gated part, or experts of such parts and a router."""
    made = (heads + 2 * kv_heads) * 128
    attention = hidden * made + heads * 128 * hidden
    part = 3 * hidden * inner
    router = hidden * experts
    weights = attention + router + part * max(experts, 1)
    block = Count(weights=weights, norms=2 * hidden + 2 * 128,
                  macs=sequence * (attention + router + part * max(active, 1)) + 2 * sequence ** 2 * heads * 128)
    return (table(vocabulary, hidden) + block * layers + Count(norms=hidden)
            + matrix(hidden, vocabulary, sequence, bias=False))


def gemma3(hidden, inner, layers, heads, kv_heads, sequence, vocabulary):
    """As qwen3, but that what both parts of a block make is normalised too, and that the output has the
    embedding's weights."""
    usual = qwen3(hidden, inner, layers, heads, kv_heads, sequence, vocabulary)
    return usual + Count(norms=2 * hidden) * layers + Count(weights=-vocabulary * hidden)


def deepseek(hidden, inner, expert_inner, dense, layers, heads, sequence, vocabulary, experts, active, shared):
    """Queries of a latent of 1536 features and keys and values of one of 512, each with a norm; heads of 128
    features, and 64 more of queries and keys, which all heads have in common in keys. The first layers have a gated
    part; the others experts, a router with a bias of each, and as many shared ones as said."""
    latents = hidden * 1536 + 1536 * heads * (128 + 64) + hidden * (512 + 64)
    made = 512 * heads * (128 + 128) + heads * 128 * hidden
    attention = Count(weights=latents + made, norms=2 * hidden + 1536 + 512,
                      macs=sequence * (latents + made) + sequence ** 2 * heads * (128 + 64 + 128))
    part = 3 * hidden * expert_inner
    router = hidden * experts
    sparse = Count(weights=router + part * (experts + shared), biases=experts,
                   macs=sequence * (router + part * (active + shared)))
    plain = Count(weights=3 * hidden * inner, macs=sequence * 3 * hidden * inner)
    return (table(vocabulary, hidden) + attention * layers + plain * dense + sparse * (layers - dense)
            + Count(norms=hidden) + matrix(hidden, vocabulary, sequence, bias=False))


def gpt_oss(hidden, inner, layers, heads, kv_heads, sequence, vocabulary, experts, active, window):
    """Heads of 64 features, each with a number of its own in the softmax; biases of all products, also of those of
    experts and of their router. Every second block has a window, whose positions read that and those before it."""
    products = matrix(hidden, (heads + 2 * kv_heads) * 64, sequence) + matrix(heads * 64, hidden, sequence)
    expert = matrix(hidden, inner, 0) * 2 + matrix(inner, hidden, 0)
    block = (products + matrix(hidden, experts, sequence) + expert * experts
             + Count(biases=heads, norms=2 * hidden, macs=sequence * active * 3 * hidden * inner))
    keys = sequence + min(sequence, window + sequence - 1)
    return (table(vocabulary, hidden) + block * layers + Count(macs=layers // 2 * keys * 2 * sequence * heads * 64)
            + Count(norms=hidden) + matrix(hidden, vocabulary, sequence, bias=False))


def scans(hidden, layers, heads, state, chunk, sequence, vocabulary):
    """Values of twice the hidden features, their gate, keys and queries of the state's and a rate of each head; a
    filter of 4 positions over all but gate and rates; two numbers of each head; a norm of what is read, and one of what
    is scanned. Within chunks all with all, and a state that is added to and read; the output has the embedding's
    weights."""
    inner = 2 * hidden
    mixed = inner + 2 * state
    products = matrix(hidden, inner + mixed, sequence, bias=False) + matrix(hidden, heads, sequence)
    block = (products + Count(weights=4 * mixed, biases=mixed, macs=sequence * 4 * mixed) + layer_norm(heads)
             + matrix(inner, hidden, sequence, bias=False) + Count(norms=hidden + inner)
             + Count(macs=sequence * chunk * (state + inner) + 2 * sequence * state * inner))
    return (table(vocabulary, hidden) + block * layers + Count(norms=hidden, macs=sequence * hidden * vocabulary))


# ---- convolutional networks ----

def conv(inputs, outputs, kernel, size):
    """A convolution with a batch norm, on features of size x size."""
    weights = inputs * outputs * kernel ** 2
    return Count(weights=weights, norms=2 * outputs, macs=weights * size ** 2)


def residual_part(inputs, width, size, stride, expansion):
    """Two convolutions of 3 x 3, or one between two of 1 x 1 that make it narrow and wide; a strided 3 x 3
    reads features of the size before. A shortcut of another shape has a convolution."""
    if expansion == 1:
        body = conv(inputs, width, 3, size) + conv(width, width, 3, size)
    else:
        body = (conv(inputs, width, 1, size * stride) + conv(width, width, 3, size)
                + conv(width, expansion * width, 1, size))
    is_same = inputs == expansion * width and stride == 1
    return body if is_same else body + conv(inputs, expansion * width, 1, size)


def residual_network(counts, expansion):
    total = conv(3, 64, 7, 112)
    inputs = 64
    for stage, count in enumerate(counts):
        for index in range(count):
            stride = 2 if stage > 0 and index == 0 else 1
            total += residual_part(inputs, 64 << stage, 56 >> stage, stride, expansion)
            inputs = expansion * (64 << stage)
    return total + matrix(inputs, 1000, 1)


def scaled_conv(inputs, outputs, kernel, rows, columns, norm=True, bias=False, groups=1):
    """A convolution on features of rows x columns; a transposed one has those of its input."""
    weights = inputs // groups * outputs * kernel ** 2
    return Count(weights=weights, norms=2 * outputs * norm, biases=outputs * bias,
                 macs=weights * rows * columns)


def u_network(size=512, widths=(64, 128, 256, 512, 1024), colours=3, classes=2):
    """Two convolutions at each of five sizes on the way down; on the way up a transposed one of 2 x 2 and two
    convolutions, of which the first also reads what went down."""
    sides = [size >> depth for depth in range(len(widths))]
    total = scaled_conv(widths[0], classes, 1, size, size, norm=False, bias=True)
    for inputs, width, side in zip((colours,) + widths[:-1], widths, sides):
        total += scaled_conv(inputs, width, 3, side, side) + scaled_conv(width, width, 3, side, side)
    for width, side in zip(widths[:-1], sides[:-1]):
        total += (scaled_conv(2 * width, width, 2, side // 2, side // 2, norm=False, bias=True)
                  + scaled_conv(2 * width, width, 3, side, side) + scaled_conv(width, width, 3, side, side))
    return total


def single_shot_detector(classes=81):
    """Three stages of a residual network of 34 layers, the last of them not smaller; five pairs of convolutions
    with biases; locations and classes of boxes at six sizes."""
    total = conv(3, 64, 7, 150)
    inputs = 64
    for count, width, side in ((3, 64, 75), (4, 128, 38), (6, 256, 38)):
        for index in range(count):
            stride = 2 if width == 128 and index == 0 else 1
            total += residual_part(inputs, width, side, stride, 1)
            inputs = width
    features = (256, 512, 512, 256, 256, 256)
    sides = (38, 19, 10, 5, 3, 1)
    plain = {"norm": False, "bias": True}
    for width, before, side, after, smaller in zip((256, 256, 128, 128, 128), features, sides, features[1:],
                                                   sides[1:]):
        total += (scaled_conv(before, width, 1, side, side, **plain)
                  + scaled_conv(width, after, 3, smaller, smaller, **plain))
    for boxes, width, side in zip((4, 6, 6, 6, 4, 4), features, sides):
        total += scaled_conv(width, boxes * (4 + classes), 3, side, side, **plain)
    return total


def separable(inputs, outputs, rows, columns, norm=True):
    return (scaled_conv(inputs, inputs, 3, rows, columns, norm=False, groups=inputs)
            + scaled_conv(inputs, outputs, 1, rows, columns, norm=norm))


def separable_part(inputs, outputs, rows, columns, stride=1, is_last=False):
    """Two separable convolutions; a third without a norm where the size changes, or at the end of the encoder,
    where the first does not grow; a shortcut of another shape has a convolution."""
    smaller = (rows // stride, columns // stride)
    width = inputs if is_last else outputs
    total = separable(inputs, width, rows, columns) + separable(width, outputs, rows, columns)
    if stride > 1 or is_last:
        total += separable(outputs, outputs, *smaller, norm=False)
    return total + scaled_conv(inputs, outputs, 1, *smaller)


def climate_segmentation(rows=768, columns=1152, channels=16, classes=3):
    half, quarter, eighth, last = ((rows // n, columns // n) for n in (2, 4, 8, 16))
    total = scaled_conv(channels, 32, 3, *half) + scaled_conv(32, 64, 3, *half)
    total += (separable_part(64, 128, *half, stride=2) + separable_part(128, 256, *quarter, stride=2)
              + separable_part(256, 728, *eighth, stride=2))
    total += separable(728, 728, *last) * 3 * 16  # the middle, with shortcuts as they are
    total += separable_part(728, 1024, *last, is_last=True)
    total += separable(1024, 1536, *last) + separable(1536, 1536, *last) + separable(1536, 2048, *last)
    # pyramid: a product, three dilated convolutions, and what is pooled; then the bottleneck
    total += scaled_conv(2048, 256, 1, *last) + scaled_conv(2048, 256, 3, *last) * 3
    total += scaled_conv(2048, 256, 1, 1, 1) + scaled_conv(5 * 256, 256, 1, *last)
    # up to the size of the input, joined by 48 features of a fourth of it
    total += scaled_conv(256, 256, 3, *last) + scaled_conv(256, 256, 3, *eighth)
    total += scaled_conv(128, 48, 1, *quarter) + scaled_conv(256 + 48, 256, 3, *quarter)
    total += scaled_conv(256, 256, 3, *quarter) + scaled_conv(256, 256, 1, *quarter, norm=False, bias=True)
    return total + scaled_conv(256, 256, 3, *quarter) + scaled_conv(256, classes, 3, *half, norm=False)


# ---- diffusion ----

def diffusion(hidden, layers, patches, pixels, classes, frequencies=256):
    """Patches with biases and a table of their places; the time through two products, and a table of classes, of
    which none is one too. In a block 12 H^2 with biases as in an encoder, and a product of what conditions it,
    which makes scale, shift and gate of both parts for all positions: norms have nothing of their own. The end
    has scale and shift too, and makes two numbers of each of a patch."""
    conditions = table(classes + 1, hidden) + matrix(frequencies, hidden, 1) + matrix(hidden, hidden, 1)
    block = (matrix(hidden, 6 * hidden, 1) + matrix(hidden, 3 * hidden, patches) + matrix(hidden, hidden, patches)
             + matrix(hidden, 4 * hidden, patches) + matrix(4 * hidden, hidden, patches)
             + Count(macs=2 * patches ** 2 * hidden))
    return (conditions + matrix(pixels, hidden, patches) + table(patches, hidden) + block * layers
            + matrix(hidden, 2 * hidden, 1) + matrix(hidden, 2 * pixels, patches))


# ---- sound ----

def listener(hidden, layers, bands, frames, vocabulary, sequence):
    """Two convolutions over three frames with biases, of which the second halves them, and a table of the moments
    left; in both halves 4 H^2 of queries, keys, values and the projection, of which keys alone have no bias, 8 H^2
    of the feed-forward part with biases; the decoder has attention twice, keys and values of the second of what is
    heard, all behind norms; a norm behind each half; words and output share a table."""
    sound, inner = frames // 2, 4 * hidden

    def attention(positions, keys):
        return (matrix(hidden, hidden, positions) * 2 + matrix(hidden, hidden, keys, bias=False)
                + matrix(hidden, hidden, keys) + Count(macs=2 * positions * keys * hidden) + layer_norm(hidden))

    def feed_forward(positions):
        return matrix(hidden, inner, positions) + matrix(inner, hidden, positions) + layer_norm(hidden)

    encoder = (matrix(3 * bands, hidden, frames) + matrix(3 * hidden, hidden, sound) + table(sound, hidden)
               + (attention(sound, sound) + feed_forward(sound)) * layers + layer_norm(hidden))
    decoder = (attention(sequence, sequence) + attention(sequence, sound) + feed_forward(sequence)) * layers
    return (encoder + table(vocabulary + sequence, hidden) + decoder + layer_norm(hidden)
            + Count(macs=sequence * hidden * vocabulary))


# ---- recurrent networks ----

def recurrent(inputs, hidden, steps):
    """Four gates of the input and of the state."""
    return matrix(inputs + hidden, 4 * hidden, steps, bias=False)


def recurrent_translator(hidden=1024, steps=50, vocabulary=32320):
    """Two directions, a layer of both, two more; in the decoder a layer that attention queries, and three that
    read what it finds. Attention has two matrices, a vector for sums of query and key, and sums of what is
    encoded. The output has weights of its own."""
    encoder = (recurrent(hidden, hidden, steps) * 2 + recurrent(2 * hidden, hidden, steps)
               + recurrent(hidden, hidden, steps) * 2)
    attention = (matrix(hidden, hidden, steps, bias=False) * 2
                 + Count(weights=hidden, macs=2 * steps ** 2 * hidden))
    decoder = recurrent(hidden, hidden, steps) + recurrent(2 * hidden, hidden, steps) * 3
    return (table(vocabulary, hidden) + encoder + attention + decoder
            + matrix(hidden, vocabulary, steps, bias=False))


@dataclasses.dataclass
class Known:
    """What a network comes to, and what is published of it (None: nothing)."""
    count: Count
    parameters: int = None
    macs: int = None


NETWORKS = {
    "bert_base": Known(bert(768, 12), 109482240, 48318971904),
    "bert_large": Known(bert(1024, 24), 335141888, 167504773120),
    "bert_large_pretrain": Known(bert_pretraining(1024, 24), 336226108, 169959811072),
    "deepcam": Known(climate_segmentation(), 56454720, 327668833280),
    "deepseek_v3": Known(deepseek(7168, 18432, 2048, 3, 61, 128, 4096, 129280, 256, 8, 1), 671026419200),
    "dit_xl": Known(diffusion(1152, 28, 256, 16, 1000), 675129632),
    "gemma3_27b": Known(gemma3(5376, 21504, 62, 32, 16, 32768, 262208), 27009346304),
    "gnmt_mlperf": Known(recurrent_translator(), 160564224),
    "gpt": Known(gpt(2048, 24, 2048, 50257)),
    "gpt2": Known(gpt(768, 12, 1024, 50257), 124439808, 145824153600),
    "gpt2_large": Known(gpt(1280, 36, 1024, 50257), 774030080, 887285350400),
    "gpt2_medium": Known(gpt(1024, 24, 1024, 50257), 354823168, 413475536896),
    "gpt3_175b": Known(gpt(12288, 96, 2048, 50257)),
    "gpt_oss_120b": Known(gpt_oss(2880, 2880, 36, 64, 8, 4096, 201088, 128, 4, 128), 116829156672),
    "llama2_13b": Known(llama(5120, 13824, 40, 40, 40, 4096, 32000), 13015864320),
    "llama2_70b": Known(llama(8192, 28672, 80, 64, 8, 4096, 32000), 68976648192),
    "llama2_7b": Known(llama(4096, 11008, 32, 32, 32, 4096, 32000), 6738415616),
    "llama3_405b": Known(llama(16384, 53248, 126, 128, 8, 8192, 128256), 405853388800),
    "llama3_70b": Known(llama(8192, 28672, 80, 64, 8, 8192, 128256), 70553706496),
    "llama3_8b": Known(llama(4096, 14336, 32, 32, 8, 8192, 128256), 8030261248),
    "mamba2": Known(scans(2560, 64, 80, 128, 256, 2048, 50288), 2702599680),
    "mistral_7b": Known(llama(4096, 14336, 32, 32, 8, 8192, 32000), 7241732096),
    "mixtral_8x7b": Known(mixtral(4096, 14336, 32, 32, 8, 4096, 32000, 8, 2), 46702792704),
    "phi3": Known(llama(3072, 8192, 32, 32, 32, 4096, 32064), 3821079552),
    "qwen3_235b": Known(qwen3(4096, 1536, 94, 64, 4, 4096, 151936, 128, 8), 235093634560),
    "qwen3_32b": Known(qwen3(5120, 25600, 64, 64, 8, 4096, 151936), 32762123264),
    "resnet101": Known(residual_network((3, 4, 23, 3), 4), 44549160),
    "resnet152": Known(residual_network((3, 8, 36, 3), 4), 60192808),
    "resnet18": Known(residual_network((2, 2, 2, 2), 1), 11689512),
    "resnet34": Known(residual_network((3, 4, 6, 3), 1), 21797672),
    "resnet50": Known(residual_network((3, 4, 6, 3), 4), 25557032, 4089184256),
    "ssd_resnet34": Known(single_shot_detector(), 19972534, 15862078720),
    "transformer_big": Known(translator(1024, 6, 256, 33708), 210804736, 56349425664),
    "unet": Known(u_network()),
    "vit_b16": Known(vision_transformer(768, 12), 86567656),
    "vit_l16": Known(vision_transformer(1024, 24), 304326632),
    "whisper_large": Known(listener(1280, 32, 80, 3000, 51865, 448), 1543304960),
}


def totals_of(program, names):
    """What the program says of networks, by their names."""
    output = subprocess.run([program, "describe", *names, "--format", "json"], stdout=subprocess.PIPE,
                            check=True, timeout=120)
    return {item["name"]: item["totals"] for item in json.loads(output.stdout)["items"]}


def complaints_of(name, known, totals):
    count = known.count
    pairs = [("parameters", known.parameters or count.parameters, count.parameters),
             ("MACs", known.macs or count.macs, count.macs)]
    complaints = [f"{name}: {published} {what} are published, {counted} are counted by hand"
                  for what, published, counted in pairs if published != counted]
    expected = {"parameters": count.parameters, "macs_forward_per_sample": count.macs}
    expected |= {kind: getattr(count, kind) for kind in KINDS}
    return complaints + [f"{name}: {key}: expected {value}, found {totals[key]}"
                         for key, value in expected.items() if totals[key] != value]


def main():
    totals = totals_of(sys.argv[1], NETWORKS)
    complaints = [f"{name}: a network of another name" for name in NETWORKS if name not in totals]
    for name in set(NETWORKS) & set(totals):
        complaints += complaints_of(name, NETWORKS[name], totals[name])
    print("\n".join(complaints) or f"{len(NETWORKS)} networks come to what they are known to have")
    return 1 if complaints else 0


KINDS = ("weights", "biases", "norms", "embeddings")

if __name__ == "__main__":
    sys.exit(main())
