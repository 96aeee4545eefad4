# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of an SVG that gnuplot wrote, with the boxes that they take."""
import dataclasses
import re
import unicodedata
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# Parts of the font's size that letters take: a bit more than those of usual sans-serif fonts.
SLIM, NARROW, DIGIT, SMALL, CAPITAL, WIDE = 0.33, 0.41, 0.64, 0.63, 0.79, 1.0
ASCENT, DESCENT = 0.75, 0.22
# Boxes that share less than this much have nothing in common.
TOLERANCE = 0.3


@dataclasses.dataclass
class Box:
    text: str
    size: float
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other):
        return (min(self.right, other.right) - max(self.left, other.left) > TOLERANCE and
                min(self.bottom, other.bottom) - max(self.top, other.top) > TOLERANCE)


def letter_width(letter):
    if unicodedata.combining(letter):
        return 0
    if letter in "ijlI.,:;'| ":
        return SLIM
    if letter in "!()[]ft/\\-r\"":
        return NARROW
    if letter in "mwMW@%…+<=>^~&#" or unicodedata.east_asian_width(letter) in "WF":
        return WIDE
    if letter.isdigit():
        return DIGIT
    return CAPITAL if letter.isupper() else SMALL


def text_width(text, size):
    return size * sum(letter_width(letter) for letter in text)


def box_of(group, text):
    """The box of a text in a group with a transform such as "translate(1,2) rotate(-90)"."""
    x, y = map(float, re.search(r"translate\(([^,]+),([^)]+)\)", group.get("transform")).groups())
    is_upward = "rotate(-90" in group.get("transform")
    size = float(group.get("font-size"))
    width = text_width(text, size)
    start = {"start": 0, "middle": -width / 2, "end": -width}[group.get("text-anchor")]
    if is_upward:
        return Box(text, size, x - ASCENT * size, y - start - width, x + DESCENT * size, y - start)
    return Box(text, size, x + start, y - ASCENT * size, x + start + width, y + DESCENT * size)


def read(path):
    """(width, height, boxes) of a picture."""
    root = ElementTree.parse(path).getroot()
    boxes = []
    for group in root.iter(f"{SVG}g"):
        for text in group.findall(f"{SVG}text"):
            shown = "".join(text.itertext())
            if shown.strip():
                boxes.append(box_of(group, shown.strip()))
    return float(root.get("width")), float(root.get("height")), boxes


def faults(path, smallest):
    """What is wrong with the texts of a picture: a list of sentences."""
    width, height, boxes = read(path)
    found = []
    for box in boxes:
        if box.left < 0 or box.top < 0 or box.right > width or box.bottom > height:
            found.append(f"outside of {width:g} x {height:g}: {box}")
        if box.size < smallest:
            found.append(f"smaller than {smallest}: {box}")
    ordered = sorted(boxes, key=lambda box: box.left)
    for i, box in enumerate(ordered):
        for other in ordered[i + 1:]:
            if other.left >= box.right:
                break
            if box.overlaps(other):
                found.append(f"overlap: {box} and {other}")
    return found, boxes
