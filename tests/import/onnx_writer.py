# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes ONNX models in the wire format of protocol buffers, without the onnx package.

The numbers of fields are those of onnx.proto (ONNX 1.12, as in Debian's libonnx-dev).
"""
import struct

FLOAT, UINT8, INT64, BOOL, FLOAT16 = 1, 2, 7, 9, 10
FORMS = {FLOAT: "<f", UINT8: "<B", INT64: "<q", BOOL: "<?", FLOAT16: "<e"}


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """A field: whole numbers as varint, floats as fixed32, all else as bytes."""
    if isinstance(value, bool) or isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    out = field(1, name)
    if isinstance(value, (bool, int)):
        return out + field(3, int(value)) + field(20, 2)
    if isinstance(value, float):
        return out + field(2, value) + field(20, 1)
    if isinstance(value, str):
        return out + field(4, value) + field(20, 3)
    if isinstance(value, bytes):
        return out + field(5, value) + field(20, 4)
    if value and isinstance(value[0], float):
        return out + b"".join(field(7, one) for one in value) + field(20, 6)
    return out + b"".join(field(8, one) for one in value) + field(20, 7)


def tensor(name, dims, kind=FLOAT, numbers=None, external=False, raw=True):
    """A tensor; without numbers its data is left out, as if it were of a huge model."""
    out = b"".join(field(1, dim) for dim in dims) + field(2, kind)
    if external:
        return out + field(8, name) + field(13, field(1, "location") + field(2, "w.bin")) + field(14, 1)
    if numbers is not None:
        if raw:
            out += field(9, b"".join(struct.pack(FORMS[kind], one) for one in numbers))
        elif kind == INT64:
            out += field(7, b"".join(varint(one) for one in numbers))
        else:
            out += field(4, b"".join(struct.pack("<f", one) for one in numbers))
    return out + field(8, name)


def value_info(name, dims, kind=FLOAT):
    shape = b""
    for dim in dims:
        shape += field(1, field(2, dim) if isinstance(dim, str) else field(1, dim) if dim else b"")
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def node(op, inputs, outputs, name="", domain="", **attributes):
    out = b"".join(field(1, one) for one in inputs) + b"".join(field(2, one) for one in outputs)
    out += field(3, name) if name else b""
    out += field(4, op)
    out += b"".join(field(5, attribute(key, value)) for key, value in attributes.items())
    return out + (field(7, domain) if domain else b"")


class Model:
    """A graph that is built node by node; names of values are made where none are given."""

    def __init__(self, opset=13, weights="initializers"):
        self.opset = opset
        self.weights = weights  # initializers, inputs, constants, external
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.count = 0

    def fresh(self, stem="t"):
        self.count += 1
        return f"{stem}{self.count}"

    def input(self, name, dims, kind=FLOAT):
        self.inputs.append(value_info(name, dims, kind))
        return name

    def weight(self, dims, name=None):
        name = name or self.fresh("w")
        if self.weights == "constants":
            self.nodes.append(node("Constant", [], [name], value=tensor(name, dims)))
        elif self.weights == "inputs":
            self.inputs.append(value_info(name, dims))
        else:
            self.initializers.append(tensor(name, dims, external=self.weights == "external"))
        return name

    def data(self, dims, numbers, kind=FLOAT, raw=True):
        name = self.fresh("d")
        self.initializers.append(tensor(name, dims, kind, numbers, raw=raw))
        return name

    def ints(self, numbers, scalar=False):
        name = self.fresh("n")
        self.initializers.append(tensor(name, [] if scalar else [len(numbers)], INT64, numbers))
        return name

    def floats(self, numbers, dims=None):
        name = self.fresh("f")
        self.initializers.append(tensor(name, [len(numbers)] if dims is None else dims, FLOAT, numbers))
        return name

    def add(self, op, *inputs, name="", outputs=1, domain="", **attributes):
        made = [self.fresh("v") for _ in range(outputs)]
        self.nodes.append(node(op, inputs, made, name, domain, **attributes))
        return made[0] if outputs == 1 else made

    def output(self, name):
        self.outputs.append(name)

    def bytes(self):
        graph = b"".join(field(1, one) for one in self.nodes) + field(2, "graph")
        graph += b"".join(field(5, one) for one in self.initializers)
        graph += b"".join(field(11, one) for one in self.inputs)
        graph += b"".join(field(12, value_info(one, [])) for one in self.outputs)
        return field(1, 8) + field(2, "writer") + field(7, graph) + field(8, field(1, "") + field(2, self.opset))
