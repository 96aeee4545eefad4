/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serving_phase.c: what serving a network runs of it: the declared layers with other positions,
 * written as a description and read again, so that all checks between layers are those of any other
 * network.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "workload/workload_internal.h"

static const dsm__word phase_words[] = {
    [DSM_PHASE_PREFILL].key = "prefill",
    [DSM_PHASE_DECODE].key = "decode",
};
DSM__NAMED_WORDS(dsm__phase_words, "phase of a network", phase_words, DSM_PHASE_COUNT, dsm_phase,
                 dsm_phase_name);

typedef struct derivation {
  const dsm_workload *from;
  dsm_phase phase;
  uint64_t positions;
  uint64_t context;
  uint64_t declared; /* positions of the network as it is described */
  bool is_causal;    /* some attention is */
  dsm__arena *arena; /* of what the changed layers have */
  dsm_diags *diags;
} derivation;

static dsm_status refuse_layer(const derivation *d, const dsm_layer_spec *spec, const char *why) {
  return dsm__refuse(d->diags, DSM_ERROR_INVALID,
                     "%s has no %s: expected a transformer, found layer %s, %s", d->from->name,
                     dsm_phase_name(d->phase), spec->name, why);
}

/* Why an attention cannot be split into phases; NULL: it can. */
static const char *why_not_attention(const derivation *d, const dsm_layer_spec *spec) {
  const char *const later = "whose queries see later positions";
  if (spec->feature.rows != d->declared) {
    return "whose queries have positions of their own";
  }
  if (spec->context > 0 && spec->context != spec->feature.rows) {
    return "whose keys have positions of their own";
  }
  return spec->is_causal || (d->phase == DSM_PHASE_PREFILL && d->context == d->positions) ? NULL
                                                                                          : later;
}

/* The same of any layer. */
static const char *why_not(const derivation *d, const dsm_layer_spec *spec) {
  const uint64_t positions = spec->feature.rows * spec->feature.columns;
  if (d->from->is_list) {
    return "which is connected to no other";
  }
  if (spec->type == DSM_LAYER_ATTENTION) {
    return why_not_attention(d, spec);
  }
  if (spec->type != DSM_LAYER_FC && spec->type != DSM_LAYER_EMBEDDING) {
    return "which is none of embedding, fc and attention";
  }
  return spec->timesteps > 1                         ? "which has timesteps"
         : d->declared == 0                          ? "and no attention"
         : positions > 1 && positions != d->declared ? "which has positions of its own"
                                                     : NULL;
}

/* Positions and a context that are not asked for are those of the network. */
static dsm_status settle_positions(derivation *d) {
  d->context = d->context > 0 ? d->context : d->declared;
  d->positions = d->positions > 0 ? d->positions : d->phase == DSM_PHASE_PREFILL ? d->context : 1;
  return d->context >= d->positions && d->context <= DSM_SIDE_MAX
             ? DSM_OK
             : dsm__refuse(d->diags, DSM_ERROR_USAGE,
                           "expected a context of at least the %llu new positions and at most %d, "
                           "found %llu",
                           (unsigned long long)d->positions, DSM_SIDE_MAX,
                           (unsigned long long)d->context);
}

static dsm_status check_layers(derivation *d) {
  const dsm_workload *const from = d->from;
  const dsm_layer_spec *sees_all = NULL; /* an attention that is not causal */
  for (size_t i = 0; i < from->spec_count; i++) {
    const dsm_layer_spec *const spec = &from->specs[i];
    if (spec->type == DSM_LAYER_ATTENTION) {
      d->declared = d->declared > 0 ? d->declared : spec->feature.rows;
      d->is_causal = d->is_causal || spec->is_causal;
      sees_all = spec->is_causal ? sees_all : spec;
    }
  }
  const dsm_status settled = d->declared > 0 ? settle_positions(d) : DSM_OK;
  if (settled != DSM_OK) {
    return settled;
  }
  for (size_t i = 0; i < from->spec_count; i++) {
    const char *const why = why_not(d, &from->specs[i]);
    if (why != NULL) {
      return refuse_layer(d, &from->specs[i], why);
    }
  }
  if (sees_all != NULL && d->is_causal) {
    return refuse_layer(d, sees_all,
                        "whose queries see later positions, beside others that do not");
  }
  return DSM_OK;
}

/* Keeps the operations that inference has. A layer that `selects` works on the last position alone,
 * which an operation before the others picks. */
static bool keep_operations(const derivation *d, dsm_layer_spec *spec, bool selects) {
  dsm_aux *const kept = dsm__arena_array(d->arena, spec->aux_count + 1, sizeof *kept);
  if (kept == NULL) {
    return false;
  }
  size_t count = 0;
  if (selects) {
    kept[count++] = (dsm_aux){.op = DSM_AUX_SELECT, .positions = 1};
    spec->feature.rows = 1;
  }
  for (size_t i = 0; i < spec->aux_count; i++) {
    const dsm_aux_op op = spec->aux[i].op;
    if (op != DSM_AUX_CROSS_ENTROPY && op != DSM_AUX_DROPOUT) {
      kept[count++] = spec->aux[i];
    }
  }
  spec->aux = kept;
  spec->aux_count = count;
  return true;
}

/* Of a prefill only the last position of a sample makes a token. */
static bool makes_logits(const derivation *d, size_t index) {
  const dsm_layer_spec *const spec = &d->from->specs[index];
  return d->phase == DSM_PHASE_PREFILL && index + 1 == d->from->spec_count &&
         spec->type == DSM_LAYER_FC && spec->feature.rows == d->declared && d->positions > 1 &&
         d->is_causal;
}

static bool change_layer(const derivation *d, size_t index, dsm_layer_spec *spec) {
  *spec = d->from->specs[index];
  if (spec->has_positions && spec->feature.rows == d->declared) {
    spec->feature.rows = d->positions;
  }
  if (spec->type == DSM_LAYER_ATTENTION) {
    spec->context = d->context > d->positions ? d->context : 0;
    spec->has_dropout = false;
  }
  return keep_operations(d, spec, makes_logits(d, index));
}

dsm_status dsm__workload_reread(dsm_workload **made, const dsm_workload *changed,
                                dsm_diags *diags) {
  char *text;
  size_t length;
  dsm_status status = dsm__workload_text(&text, &length, changed, diags);
  if (status == DSM_OK) {
    status = dsm_workload_parse(made, text, length, changed->name, NULL, 0, diags);
  }
  free(text);
  return status;
}

static dsm_status derive(dsm_workload **made, const derivation *d) {
  dsm_workload changed = *d->from;
  dsm_layer_spec *const specs = dsm__arena_array(d->arena, changed.spec_count, sizeof *specs);
  const char *const phase = dsm_phase_name(d->phase);
  changed.name = dsm__arena_printf(
      d->arena, "%.*s_%s", (int)(DSM_NAME_BYTES_MAX - strlen(phase) - 1), d->from->name, phase);
  changed.specs = specs;
  changed.dataset = (dsm_dataset){0};
  if (changed.is_input_stated && changed.input_features == d->declared) {
    changed.input_features = d->positions;
  }
  bool is_good = specs != NULL && changed.name != NULL;
  for (size_t i = 0; is_good && i < changed.spec_count; i++) {
    is_good = change_layer(d, i, &specs[i]);
  }
  return is_good ? dsm__workload_reread(made, &changed, d->diags) : dsm__out_of_memory(d->diags);
}

dsm_status dsm_workload_phase(dsm_workload **made, const dsm_workload *workload, dsm_phase phase,
                              uint64_t positions, uint64_t context, dsm_diags *diags) {
  *made = NULL;
  derivation d = {.from = workload,
                  .phase = phase,
                  .positions = positions,
                  .context = context,
                  .arena = dsm__arena_new(),
                  .diags = diags};
  dsm_status status = d.arena == NULL ? dsm__out_of_memory(diags) : check_layers(&d);
  if (status == DSM_OK) {
    status = derive(made, &d);
  }
  dsm__arena_free(d.arena);
  return status;
}
