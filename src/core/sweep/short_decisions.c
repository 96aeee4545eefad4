/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/point.h"

#include <inttypes.h>

#include "plan/strategy_rules.h"

/* Do all passes of all layers have the parallelism of their layer's forward pass? */
static bool are_passes_alike(const dsm_plan *plan) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_pass_plan *const passes = plan->layers[i].passes;
    for (int p = DSM_PASS_FORWARD + 1; p < DSM_PASS_COUNT; p++) {
      if (passes[p].exists &&
          passes[p].share.parallelism != passes[DSM_PASS_FORWARD].share.parallelism) {
        return false;
      }
    }
  }
  return true;
}

/* A decision of a layer; 0: it has none. */
typedef uint64_t decision(const dsm_layer_plan *layer, int pass);

static uint64_t parallelism_of(const dsm_layer_plan *layer, int pass) {
  const dsm_pass_plan *const each = &layer->passes[pass];
  return each->exists ? 1 + (uint64_t)each->share.parallelism : 0;
}

static uint64_t factor_of(const dsm_layer_plan *layer, int pass) {
  (void)pass;
  return layer->decisions.dysm_factor;
}

/* How many layers have a value, and the least value above it; 0 if there is none. */
static size_t count_value(const dsm_plan *plan, decision *of, int pass, uint64_t value,
                          uint64_t *next) {
  size_t count = 0;
  *next = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const uint64_t each = of(&plan->layers[i], pass);
    count += each == value ? 1 : 0;
    *next = each > value && (*next == 0 || each < *next) ? each : *next;
  }
  return count;
}

/* " data 12, model 4": the layers by the parallelism of a pass. Roles are of the system's axes. */
static void put_parallelisms(const dsm_plan *plan, int pass, const char *before,
                             dsm__text_buffer *text) {
  const char *separator = before;
  uint64_t next = 0;
  (void)count_value(plan, parallelism_of, pass, 0, &next);
  while (next != 0) {
    const dsm_parallelism parallelism = (dsm_parallelism)(next - 1);
    const size_t count = count_value(plan, parallelism_of, pass, next, &next);
    dsm__text_printf(text, "%s%s %zu", separator,
                     dsm_parallelism_has_roles(parallelism)
                         ? dsm_plan_parallelism_name(plan, parallelism)
                         : dsm_parallelism_name(parallelism),
                     count);
    separator = ", ";
  }
}

static void put_all_parallelisms(const dsm_plan *plan, dsm__text_buffer *text) {
  if (are_passes_alike(plan)) {
    put_parallelisms(plan, DSM_PASS_FORWARD, "", text);
    return;
  }
  static const char *const begins[] = {
      [DSM_PASS_FORWARD] = "forward ",
      [DSM_PASS_BACKWARD] = "; backward ",
      [DSM_PASS_UPDATE] = "; update ",
  };
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    put_parallelisms(plan, p, begins[p], text);
  }
}

static void put_factors(const dsm_plan *plan, dsm__text_buffer *text) {
  uint64_t next = 0;
  const size_t plain = count_value(plan, factor_of, 0, 1, &next);
  const char *separator = "";
  if (next == 0) {
    return;
  }
  dsm__text_printf(text, "; dysm %zu (", plan->layer_count - plain);
  while (next != 0) {
    const uint64_t factor = next;
    const size_t count = count_value(plan, factor_of, 0, factor, &next);
    dsm__text_printf(text, "%sx%" PRIu64 " %zu", separator, factor, count);
    separator = ", ";
  }
  dsm__text_puts(text, ")");
}

static void put_count(const char *word, size_t count, dsm__text_buffer *text) {
  if (count > 0) {
    dsm__text_printf(text, "; %s %zu", word, count);
  }
}

static uint64_t at_least_one(uint64_t count) {
  return count > 0 ? count : 1;
}

dsm_point_step dsm__step_decisions(const dsm_plan *plan) {
  dsm_point_step step = {.micro_batches = at_least_one(plan->micro_batches),
                         .stages = at_least_one(plan->stages.count),
                         .interleave = at_least_one(plan->stages.interleave),
                         .sharded_layers = dsm__choice_count(DSM__CHOICE_SHARD, plan),
                         .recomputed_layers = dsm__choice_count(DSM__CHOICE_RECOMPUTED, plan)};
  return step;
}

void dsm__short_decisions(const dsm_plan *plan, dsm__text_buffer *text) {
  static const struct {
    const char *word;
    dsm__choice choice;
  } counted[] = {{"on chip", DSM__CHOICE_OUTPUT},
                 {"preloaded", DSM__CHOICE_PRELOADED},
                 {"pipelined", DSM__CHOICE_GROUP},
                 {"hoisted", DSM__CHOICE_HOISTED},
                 {"sharded", DSM__CHOICE_SHARD},
                 {"recomputed", DSM__CHOICE_RECOMPUTED},
                 {"micro-batches", DSM__CHOICE_MICRO_BATCHES}};
  put_all_parallelisms(plan, text);
  put_factors(plan, text);
  for (size_t i = 0; i < DSM__COUNT_OF(counted); i++) {
    put_count(counted[i].word, dsm__choice_count(counted[i].choice, plan), text);
  }
  put_count("stages", plan->stages.count > 1 ? plan->stages.count : 0, text);
  put_count("runs of each", plan->stages.interleave > 1 ? plan->stages.interleave : 0, text);
}
