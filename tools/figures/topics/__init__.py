# SPDX-License-Identifier: GPL-3.0-or-later
"""Why figures differ: one module a topic. A topic has a HEADING, the keys of the figures that it
EXPLAINS, and section(found), the lines below its heading. UNEXPLAINED: what of it no topic explains;
a topic that finds the reason takes its entry away."""
from figures.topics import (core_splits, fc1_relayout, fc_rotation, first_layers, gnmt,
                            gnmt_pipelining, held_outputs, inference_gnmt, inference_resnet50,
                            more_chips, one_factor, reduction, resnet50_hybrid, resnet50_reuse,
                            scratchpads)

TOPICS = (resnet50_hybrid, resnet50_reuse, gnmt, gnmt_pipelining, one_factor, held_outputs,
          core_splits, first_layers, fc1_relayout, fc_rotation, reduction, more_chips, scratchpads,
          inference_resnet50, inference_gnmt)

UNEXPLAINED = (
    ("timestep pipelining that gains only 1.30x at 256", gnmt_pipelining.HEADING),
    ("the 3.6x of ResNet-50's inference", inference_resnet50.HEADING),
    ("the 22.7x of Fig. 14", more_chips.HEADING),
    ("the rotation in the update of the fully connected layers", fc_rotation.HEADING))
