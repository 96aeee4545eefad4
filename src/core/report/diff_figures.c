/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/diff_figures.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "check/drift.h"
#include "model/names.h"
#include "report/loss.h"

static const double per_milli = 1e3;
static const double per_micro = 1e6;
static const double per_mega = 1e-6;

/* ---- results ---- */

typedef enum better { LOWER = 0, HIGHER, NEITHER } better;

typedef struct result_row {
  const char *name;
  size_t offset; /* in dsm_plan_result */
  const char *label;
  const double *scale;
  better better;
  bool is_main;
} result_row;

static const double one = 1;
static const double percent = 100;

#define ROW(field, name, label, scale, better, is_main)                                            \
  { name, offsetof(dsm_plan_result, field), label, scale, better, is_main }
#define CYCLES(field) ROW(cycles.field, "cycles." #field, NULL, &one, LOWER, false)
#define MEMORY(field, label, better)                                                               \
  ROW(memory.field, "memory." #field, label, &per_mega, better, false)

static const result_row result_rows[] = {
    ROW(step_seconds, "step_seconds", "step (ms)", &per_milli, LOWER, true),
    ROW(step_cycles, "step_cycles", NULL, &one, LOWER, false),
    ROW(samples_per_second, "samples_per_second", "samples per second", &one, HIGHER, true),
    ROW(utilization, "utilization", "utilization (%)", &percent, HIGHER, true),
    ROW(ideal_cycles, "ideal_cycles", NULL, &one, LOWER, false),
    CYCLES(primary),
    CYCLES(overlapped),
    CYCLES(overlapped_visible),
    CYCLES(auxiliary),
    CYCLES(non_overlapped),
    MEMORY(weights_bytes, "weights (MB a chip)", LOWER),
    MEMORY(activations_bytes, "activations (MB a chip)", LOWER),
    MEMORY(gradients_bytes, "weight gradients (MB a chip)", LOWER),
    MEMORY(errors_bytes, "activation gradients (MB a chip)", LOWER),
    MEMORY(optimizer_bytes, "optimizer (MB a chip)", LOWER),
    MEMORY(total_bytes, "memory used (MB a chip)", LOWER),
    MEMORY(capacity_bytes, "memory capacity (MB a chip)", NEITHER),
    ROW(energy.step_joules, "energy.step_joules", "energy of a step (J)", &one, LOWER, false),
    ROW(energy.chip_watts, "energy.chip_watts", "power (W a chip)", &one, LOWER, false),
    ROW(energy.step_dollars, "energy.step_dollars", "cost of a step (10^-6 $)", &per_micro, LOWER,
        false),
};
_Static_assert(DSM__COUNT_OF(result_rows) == DSM__DIFF_RESULTS, "a figure for each row");

static double value_of(const dsm_plan_result *result, const result_row *row) {
  double value;
  memcpy(&value, (const char *)result + row->offset, sizeof value);
  return value;
}

void dsm__diff_results(const dsm_diff *diff, dsm__diff_figure figures[DSM__DIFF_RESULTS]) {
  for (size_t i = 0; i < DSM__DIFF_RESULTS; i++) {
    const result_row *const row = &result_rows[i];
    figures[i] =
        (dsm__diff_figure){.name = row->name,
                           .label = row->label,
                           .scale = *row->scale,
                           .is_main = row->is_main,
                           .is_lower_better = row->better == LOWER,
                           .is_neutral = row->better == NEITHER,
                           .moved = dsm__moved_between(value_of(&diff->a->result, row),
                                                       value_of(&diff->b->result, row), 0)};
  }
}

/* ---- parts ---- */

/* Those that are groups go by the names of these, in their order. */
static const dsm__word part_words[] = {
    [DSM__PART_BUSY] = {.key = "busy"},
    [DSM__PART_ARRAY] = {.key = "array_underuse", .text = "array underuse"},
    [DSM__PART_TRANSFER] = {.key = "visible_transfers"},
    [DSM__PART_AUXILIARY] = {.key = "auxiliary", .text = "auxiliary computation"},
    [DSM__PART_GROUPS] = {.key = "partial_sum"},
    {.key = "layout_move"},
    {.key = "rotation"},
    {.key = "collective"},
    {.key = "hand_over"},
    {.key = "sum_of_gradients"},
    {.key = "broadcast_weights"},
    {.key = "weight_update"},
    {.key = "tied_weights"},
    {.key = "relayout"},
    [DSM__PART_OVERHEAD] = {.key = "overhead", .text = "starting and issuing kernels"},
    [DSM__PART_RECOMPUTE] = {.key = "recompute", .text = "recomputing what is not kept"},
    [DSM__PART_BUBBLE] = {.key = "bubble", .text = "waiting for other stages"},
    [DSM__PART_WAITING] = {.key = "waiting_for_data", .text = "waiting for data"},
};
DSM__WORDS(dsm__diff_part_words, "part of a time", part_words, DSM__DIFF_PARTS);

/* The parts in seconds, in place of cycles. */
static dsm__time_parts seconds_of_plan(const dsm_plan *plan) {
  const dsm__loss loss = dsm__loss_of_plan(plan);
  dsm__time_parts parts = dsm__time_parts_of(&loss);
  for (size_t part = 0; part < DSM__PART_COUNT; part++) {
    parts.cycles[part] /= dsm__hertz(plan->system->core.frequency_GHz);
  }
  return parts;
}

void dsm__diff_parts(const dsm_diff *diff, dsm__diff_figure figures[DSM__DIFF_PARTS]) {
  const dsm__time_parts a_parts = seconds_of_plan(diff->a);
  const dsm__time_parts b_parts = seconds_of_plan(diff->b);
  for (size_t part = 0; part < DSM__PART_COUNT; part++) {
    const dsm_group group = dsm__group_of_part((dsm__time_part)part);
    const bool has_own = group == DSM_GROUP_COUNT || part_words[part].text != NULL;
    const double a = a_parts.cycles[part];
    const double b = b_parts.cycles[part];
    figures[part] =
        (dsm__diff_figure){.name = dsm__word_key(&dsm__diff_part_words, part),
                           .label = has_own ? dsm__word_text(&dsm__diff_part_words, part)
                                            : dsm__word_text(&dsm__group_words, group),
                           .scale = per_milli,
                           .is_main = a > 0 || b > 0,
                           .is_lower_better = true,
                           .moved = dsm__moved_between(a, b, 0)};
  }
}

double dsm__diff_of(const dsm_moved *moved) {
  return moved->after - moved->before;
}

double dsm__diff_share(const dsm_diff *diff, const dsm_moved *seconds) {
  const double difference = dsm__diff_of(seconds);
  return fabs(diff->difference_seconds) > 0 && fabs(difference) > 0
             ? difference / diff->difference_seconds
             : 0;
}
