/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/step_facts.h"

#include <inttypes.h>
#include <string.h>

#include "model/equations.h"
#include "plan/degrees.h"

/* ---- how chips share a step ---- */

/* Layers that an engine shares alike. */
typedef enum layer_class { ATTENTION = 0, DENSE, EXPERTS, CLASS_COUNT } layer_class;

static layer_class class_of(const dsm_layer *layer) {
  return dsm__has_own_groups(layer) ? ATTENTION : layer->experts > 0 ? EXPERTS : DENSE;
}

static dsm_serving_shares shares_of(const dsm_network *network, dsm_parallelism parallelism) {
  dsm_serving_shares shares = {1, 1, 1, 1};
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    const uint64_t chips = network->axes[a].chips;
    shares.expert *= dsm__makes_degree(DSM__DEGREE_EXPERT, role) ? chips : 1;
    shares.tensor *= dsm__makes_degree(DSM__DEGREE_TENSOR, role) ? chips : 1;
    shares.context *= dsm__makes_degree(DSM__DEGREE_CONTEXT, role) ? chips : 1;
    shares.data *=
        dsm__makes_degree(DSM__DEGREE_DATA, role) && !dsm__makes_degree(DSM__DEGREE_EXPERT, role)
            ? chips
            : 1;
  }
  return shares;
}

/* The time of all layers of a class that are shared in the way of one of them. */
static double cycles_like(const dsm_plan *plan, layer_class of, const dsm_serving_shares *shares) {
  double cycles = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_pass_plan *const pass = &plan->layers[i].passes[DSM_PASS_FORWARD];
    if (pass->exists && class_of(plan->layers[i].layer) == of) {
      const dsm_serving_shares own = shares_of(&plan->system->system, pass->decisions.parallelism);
      cycles += memcmp(&own, shares, sizeof own) == 0 ? pass->cycles.total : 0;
    }
  }
  return cycles;
}

dsm_serving_ways dsm__serving_ways_of(const dsm_plan *plan) {
  dsm_serving_shares found[CLASS_COUNT] = {{0, 0, 0, 0}};
  double most[CLASS_COUNT] = {0};
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_pass_plan *const pass = &plan->layers[i].passes[DSM_PASS_FORWARD];
    const layer_class of = class_of(plan->layers[i].layer);
    const dsm_serving_shares own = shares_of(&plan->system->system, pass->decisions.parallelism);
    if (!pass->exists || memcmp(&own, &found[of], sizeof own) == 0) {
      continue;
    }
    const double cycles = cycles_like(plan, of, &own);
    if (cycles > most[of]) {
      found[of] = own;
      most[of] = cycles;
    }
  }
  return (dsm_serving_ways){found[ATTENTION], found[DENSE], found[EXPERTS]};
}

/* "TP 4 DP 2"; "whole" for one chip, or where all compute the same. */
static const char *shares_text(const dsm_serving_shares *shares, dsm__arena *arena) {
  const struct {
    const char *word;
    uint64_t chips;
  } all[] = {{"TP", shares->tensor},
             {"EP", shares->expert},
             {"DP", shares->data},
             {"CP", shares->context}};
  const char *text = "";
  for (size_t i = 0; i < sizeof all / sizeof *all && text != NULL; i++) {
    text = all[i].chips < 2
               ? text
               : dsm__arena_printf(arena, "%s%s%s %" PRIu64, text, text[0] == '\0' ? "" : " ",
                                   all[i].word, all[i].chips);
  }
  return text != NULL && text[0] == '\0' ? "whole" : text;
}

const char *dsm__serving_ways_text(const dsm_serving_ways *ways, dsm__arena *arena) {
  static const char *const names[] = {"attention", "dense layers", "experts"};
  const dsm_serving_shares *const all[] = {&ways->attention, &ways->dense, &ways->experts};
  const char *texts[CLASS_COUNT] = {NULL};
  const char *text = "";
  for (int c = 0; c < CLASS_COUNT; c++) {
    texts[c] = all[c]->tensor == 0 ? "" : shares_text(all[c], arena);
    if (texts[c] == NULL) {
      return NULL;
    }
  }
  if (texts[EXPERTS][0] == '\0' &&
      (texts[ATTENTION][0] == '\0' || strcmp(texts[ATTENTION], texts[DENSE]) == 0)) {
    return texts[DENSE];
  }
  for (int c = 0; c < CLASS_COUNT && text != NULL; c++) {
    text = texts[c][0] == '\0' ? text
                               : dsm__arena_printf(arena, "%s%s%s %s", text,
                                                   text[0] == '\0' ? "" : ", ", names[c], texts[c]);
  }
  return text;
}

/* ---- where a step's time goes ---- */

/* Resources that decide how long something takes, by the parts that people know. */
static const size_t part_of_bound[DSM_BOUND_COUNT] = {
    [DSM_BOUND_COMPUTE] = offsetof(dsm_serving_parts, products),
    [DSM_BOUND_AXIS] = offsetof(dsm_serving_parts, collectives),
    [DSM_BOUND_AXIS + 1] = offsetof(dsm_serving_parts, collectives),
    [DSM_BOUND_AXIS + 2] = offsetof(dsm_serving_parts, collectives),
    [DSM_BOUND_MEMORY] = offsetof(dsm_serving_parts, weights),
    [DSM_BOUND_RING] = offsetof(dsm_serving_parts, products),
    [DSM_BOUND_CORES] = offsetof(dsm_serving_parts, products),
    [DSM_BOUND_SHARED] = offsetof(dsm_serving_parts, products),
    [DSM_BOUND_AUXILIARY] = offsetof(dsm_serving_parts, others),
    [DSM_BOUND_STARTUP] = offsetof(dsm_serving_parts, products),
    [DSM_BOUND_SCRATCHPAD] = offsetof(dsm_serving_parts, products),
    [DSM_BOUND_LATENCY] = offsetof(dsm_serving_parts, collectives),
    [DSM_BOUND_AUXILIARY_MEMORY] = offsetof(dsm_serving_parts, others),
    [DSM_BOUND_OVERHEAD] = offsetof(dsm_serving_parts, overhead),
    [DSM_BOUND_BUBBLE] = offsetof(dsm_serving_parts, others)};

dsm_serving_parts dsm__serving_parts_of(const dsm_plan *plan, double host_seconds) {
  dsm_serving_parts parts = {.host = host_seconds};
  const double second = plan->result.step_cycles > 0
                            ? dsm_plan_computing_seconds(plan) / plan->result.step_cycles
                            : 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const bool is_attention = class_of(plan->layers[i].layer) == ATTENTION;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      for (int b = 0; pass->exists && b < DSM_BOUND_COUNT; b++) {
        const bool is_cache = is_attention && b == DSM_BOUND_MEMORY;
        double *const part =
            is_cache ? &parts.cache : (double *)(void *)((char *)&parts + part_of_bound[b]);
        *part += pass->resources.cycles[b] * second;
      }
    }
  }
  return parts;
}
