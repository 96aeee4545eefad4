# SPDX-License-Identifier: GPL-3.0-or-later
"""How the headline numbers respond to each parameter, from what `dsm describe --elasticity` says."""
import math
from dataclasses import dataclass, field

NETWORKS = (("VGG16", "vgg16"), ("ResNet-50", "resnet50"), ("GNMT", "gnmt"))
NUMBERS = ("base", "best", "gain")
HEADLINES = tuple(f"{title} {number}" for title, _ in NETWORKS for number in NUMBERS)
BASE_MINIBATCH, BEST_MINIBATCH = 256, 2048
BASE_OPTIONS = (f"--minibatch={BASE_MINIBATCH}", "--optimize=none")
BEST_OPTIONS = (f"--minibatch={BEST_MINIBATCH}", "--optimize=all")
# Only their product is published: alone, each changes the peak.
ARRAY_SHAPE = ("pe.simd_macs", "array.rows", "array.columns")
# Smaller changes cannot be seen in three decimals.
VISIBLE = 0.0005


@dataclass
class Variation:
    """One other value of a parameter. ratios: of each headline number over what it is with the
    parameter as it is; None where there is none, and then why."""
    name: str
    value: str
    factor: float
    ratios: list
    reasons: list

    def size(self):
        """The largest one-sided elasticity, by size."""
        return max((abs(math.log(ratio) / math.log(self.factor)) for ratio in self.ratios if ratio),
                   default=0)


@dataclass
class Parameter:
    path: str
    value: str
    unit: str
    source: str
    is_free: bool
    variations: list = field(default_factory=list)

    def influence(self):
        return max((variation.size() for variation in self.variations), default=0)

    def is_number(self):
        return bool(self.variations) and self.variations[0].name == "halved"

    def is_visible(self):
        return any(ratio and abs(ratio - 1) >= VISIBLE
                   for variation in self.variations for ratio in variation.ratios)

    def is_explored(self):
        return any(ratio for variation in self.variations for ratio in variation.ratios)

    def elasticity(self, headline):
        """d ln number / d ln parameter, and whether it is one-sided; None if there is none."""
        if not self.is_number():
            return None
        known = [(math.log(variation.factor), math.log(variation.ratios[headline]))
                 for variation in self.variations if variation.ratios[headline]]
        if not known:
            return None
        (low, at_low), (high, at_high) = known[0], known[-1]
        if len(known) == 1:
            low, at_low = 0, 0
        return (at_high - at_low) / (high - low), len(known) == 1


def shown(value):
    """A value as a description has it; None where the networks have different ones."""
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(
        value, float) else str(value)


class Study:
    """All explorations of one system: its base is the system with symmetric links."""

    def __init__(self, dsm, system):
        self.dsm = dsm
        self.system = system
        self.base_system = f"{system}_symmetric"
        base = self.describe(self.base_system, BASE_OPTIONS)
        best = self.describe(self.system, BEST_OPTIONS)
        self.values = headline_values(*(utilizations(item["networks"]) for item in (base, best)))
        base_parameters = {parameter["path"]: parameter for parameter in base["parameters"]}
        self.parameters = [self.parameter(base_parameters[parameter["path"]], parameter)
                           for parameter in best["parameters"]]
        self.parameters.append(self.array_shape())
        self.parameters.sort(key=lambda parameter: -parameter.influence())

    def describe(self, system, options):
        workloads = [workload for _, workload in NETWORKS]
        return self.dsm.run("describe", system, *workloads, "--elasticity", *options,
                            "--threads=2")["items"][0]

    def parameter(self, base, best):
        value = shown(best["value"])
        if base["value"] != best["value"]:
            value += f" (base: {shown(base['value'])})"
        made = Parameter(best["path"], value, best["unit"], best["source"],
                         best["is_free"] and best["path"] not in ARRAY_SHAPE)
        for base_variation, variation in zip(base["variations"], best["variations"]):
            name = variation["kind"] if variation["kind"] != "other" else shown(variation["value"])
            ratios, reasons = self.compare(*(utilizations(each["responses"])
                                             for each in (base_variation, variation)))
            reasons += [f"{title}: {response['why_not']}"
                        for each in (base_variation, variation)
                        for (title, _), response in zip(NETWORKS, each["responses"])
                        if "why_not" in response]
            made.variations.append(Variation(name, shown(variation["value"]),
                                             variation.get("factor", 2), ratios, reasons))
        return made

    def compare(self, base, best):
        values = headline_values(base, best)
        return [value and value / usual for value, usual in zip(values, self.values)], []

    def array_shape(self):
        """Rows against columns at the same number of MACs: half the rows with twice the columns,
        and the other way round."""
        described = self.dsm.run("describe", self.system)["items"][0]["parameters"]
        now = {parameter["path"]: parameter["value"] for parameter in described}
        rows, columns = now["array.rows"], now["array.columns"]
        made = Parameter("array.rows, array.columns", f"{rows}, {columns}", "PEs",
                         "assumption: 16 x 8 x 8 of the 1024 MACs a core of Fig. 10; varied "
                         "together, so that they stay 1024", True)
        for name, factor in (("halved", 0.5), ("doubled", 2)):
            shape = (int(rows * factor), int(columns / factor))
            overrides = (f"array.rows={shape[0]}", f"array.columns={shape[1]}")
            base = [self.dsm.utilization(workload, self.base_system, BASE_MINIBATCH, "none",
                                         *overrides) for _, workload in NETWORKS]
            best = [self.dsm.utilization(workload, self.system, BEST_MINIBATCH, "all", *overrides)
                    for _, workload in NETWORKS]
            ratios, reasons = self.compare(base, best)
            made.variations.append(Variation(name, f"{shape[0]}, {shape[1]}", factor, ratios,
                                             reasons))
        return made


def utilizations(responses):
    """Of the networks, in their order; None where there is no time."""
    found = {response["workload"]: response.get("utilization") for response in responses}
    return [found[workload] for _, workload in NETWORKS]


def headline_values(base, best):
    """Base, best and gain of each network; None where one is missing."""
    values = []
    for one, other in zip(base, best):
        values += [one, other, other / one if one and other else None]
    return values
