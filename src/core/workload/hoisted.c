/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hoisted.c: the loops of an lstm whose input products are hoisted out of its timesteps (section
 * 7). */
#include "workload/workload_internal.h"

/* Loops of so many input features, with what the lstm has for each sample aside. */
static dsm_layer loops_of(const dsm_layer *lstm, uint64_t in) {
  dsm_layer loops = *lstm;
  loops.in = in;
  loops.input_elements = in;
  loops.weight_elements = in * lstm->out;
  loops.macs = in * lstm->out;
  loops.fork_elements = 0;
  loops.hoisted = NULL;
  return loops;
}

/* An fc that stores the gates' sums, of which all auxiliary work is the timesteps'. */
static dsm_layer input_loops(const dsm_layer *lstm) {
  dsm_layer loops = loops_of(lstm, lstm->in - lstm->out / lstm->gates);
  loops.gates = 0;
  loops.timesteps = 1;
  loops.stored_elements = loops.output_elements;
  loops.state_elements = 0;
  loops.fork_elements = lstm->fork_elements;
  for (int op = 0; op < DSM_AUX_OP_COUNT; op++) {
    loops.has_op[op] = false;
  }
  return loops;
}

/* Those of the hidden units, which are the lstm's own. */
static dsm_layer unit_loops(const dsm_layer *lstm) {
  dsm_layer loops = loops_of(lstm, lstm->out / lstm->gates);
  loops.bytes.input = lstm->bytes.output;
  return loops;
}

static dsm_layer step_loops(const dsm_layer *lstm) {
  dsm_layer loops = unit_loops(lstm);
  loops.gate_elements = lstm->out;
  return loops;
}

static dsm_layer gradient_loops(const dsm_layer *lstm) {
  dsm_layer loops = unit_loops(lstm);
  loops.timesteps = 1;
  return loops;
}

/* The loops of an lstm with hoisted input products. */
static void layer_hoist(const dsm_layer *lstm, dsm_layer hoisted[DSM_HOISTED_COUNT]) {
  hoisted[DSM_HOISTED_INPUT] = input_loops(lstm);
  hoisted[DSM_HOISTED_STEP] = step_loops(lstm);
  hoisted[DSM_HOISTED_GRADIENT] = gradient_loops(lstm);
}

bool dsm__workload_derive_hoisted(dsm_workload *workload, dsm_layer *layers) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (layers[i].gates == 0 || layers[i].timesteps == 1) {
      continue;
    }
    dsm_layer *const hoisted =
        dsm__arena_array(workload->arena, DSM_HOISTED_COUNT, sizeof *hoisted);
    if (hoisted == NULL) {
      return false;
    }
    layer_hoist(&layers[i], hoisted);
    hoisted[DSM_HOISTED_INPUT].bytes.input = dsm__produced_bytes(workload, &layers[i]);
    layers[i].hoisted = hoisted;
  }
  return true;
}
