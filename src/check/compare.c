/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.c: two records of the same question, side by side.
 *
 * Everything is compared twice by the same code: at first it is only counted, then written into
 * lists of the right size.
 */
#include <math.h>
#include <string.h>

#include "check/drift.h"
#include "model/axis_words.h"
#include "plan/plan_record.h"
#include "workload/name_index.h"

dsm_recorded dsm__record_of_plan(const dsm_plan *plan) {
  return (dsm_recorded){
      .result = plan->result,
      .cycles_per_second = 1e9 * plan->system->core.frequency_GHz,
      .is_stopped = plan->statistics.is_stopped,
      .micro_batches = plan->micro_batches,
      .stages = plan->stages,
      .layers = plan->layers,
      .layer_count = plan->layer_count,
      .renaming = plan->renaming,
  };
}

/* ---- figures ---- */

dsm_moved dsm__moved_between(double before, double after, double tolerance) {
  dsm_moved moved = {.before = before, .after = after};
  const double difference = after - before;
  if (fabs(difference) > 0) {
    moved.change = fabs(before) > 0 && isfinite(difference) ? difference / before
                                                            : copysign(HUGE_VAL, difference);
  }
  moved.is_beyond = fabs(moved.change) > tolerance + DSM_TOLERANCE_ROUNDING;
  return moved;
}

/* ---- equal layers ---- */

static bool alike_sides_find(dsm__alike_sides *sides, const dsm_recorded *before,
                             const dsm_recorded *after, dsm__arena *arena) {
  return dsm__alike_find(&sides->before, before->layers, before->layer_count, DSM__ALIKE_NUMBERS,
                         arena) &&
         dsm__alike_find(&sides->after, after->layers, after->layer_count, DSM__ALIKE_NUMBERS,
                         arena);
}

size_t dsm__alike_number(const dsm__alike_sides *sides, size_t before, size_t after) {
  const size_t class_before =
      before == SIZE_MAX ? sides->before.count : sides->before.class_of[before];
  const size_t class_after = after == SIZE_MAX ? sides->after.count : sides->after.class_of[after];
  return 1 + class_before * (sides->after.count + 1) + class_after;
}

/* ---- what is found ---- */

/* Lists that are only counted while `is_counting`. */
typedef struct findings {
  dsm__arena *arena;
  const dsm__alike_sides *sides;
  bool is_counting;
  bool has_failed;
  dsm_layer_drift *layers;
  size_t layer_count;
  dsm_decision_drift *decisions;
  size_t decision_count;
  dsm__text_buffer before; /* texts of the decision that is compared */
  dsm__text_buffer after;
  const dsm__renaming *renaming; /* of words in them */
} findings;

static const char *kept_text(findings *found, const char *text) {
  const char *const copy = dsm__arena_strdup(found->arena, text);
  found->has_failed = found->has_failed || copy == NULL;
  return copy;
}

static void add_layer(findings *found, const char *layer, dsm_presence presence, size_t alike) {
  if (!found->is_counting) {
    found->layers[found->layer_count] =
        (dsm_layer_drift){.layer = kept_text(found, layer), .presence = presence, .alike = alike};
  }
  found->layer_count++;
}

/* The records of a layer or pass on both sides, whose decisions are compared field by field. */
typedef struct subject {
  findings *found;
  const char *layer; /* NULL: the step */
  size_t alike;
  dsm_pass pass; /* DSM_PASS_COUNT: the layer itself */
  const void *before;
  const void *after;
} subject;

/* The texts in the buffers, which differ. */
static void add_decision(const subject *of, const char *decision) {
  findings *const found = of->found;
  if (!found->is_counting) {
    found->decisions[found->decision_count] =
        (dsm_decision_drift){.layer = of->layer == NULL ? NULL : kept_text(found, of->layer),
                             .pass = of->pass,
                             .decision = decision,
                             .before = kept_text(found, found->before.text),
                             .after = kept_text(found, found->after.text),
                             .alike = of->alike};
  }
  found->decision_count++;
}

/* Two machines may compute a fraction with other last bits. */
static bool are_equal_numbers(const dsm__field *field, const void *before, const void *after) {
  if (field->kind != DSM__FIELD_REAL) {
    return false;
  }
  const double a = *(const double *)dsm__field_in(field, before);
  const double b = *(const double *)dsm__field_in(field, after);
  return a > 0 && b > 0 && fabs(a - b) <= DSM_TOLERANCE_ROUNDING;
}

static void put_decision(const dsm__field *field, const dsm__renaming *renaming, const void *record,
                         dsm__text_buffer *out) {
  if (field->put_compared != NULL && dsm__field_is_stated(field, record)) {
    field->put_compared(record, out);
  } else {
    dsm__field_put_text(field, renaming, record, "none", out);
  }
}

/* Do the buffers hold different texts? */
static bool are_texts_different(findings *found) {
  found->has_failed = found->has_failed || found->before.failed || found->after.failed;
  return !found->has_failed && strcmp(found->before.text, found->after.text) != 0;
}

static void clear_texts(findings *found) {
  dsm__text_clear(&found->before);
  dsm__text_clear(&found->after);
}

static bool compare_decision(void *context, const dsm__field *field, const void *record) {
  const subject *const of = context;
  const ptrdiff_t part = (const unsigned char *)record - (const unsigned char *)of->before;
  const void *const other = (const unsigned char *)of->after + part;
  if ((field->flags & DSM__FIELD_IS_DECISION) == 0) {
    return true;
  }
  clear_texts(of->found);
  put_decision(field, of->found->renaming, record, &of->found->before);
  put_decision(field, of->found->renaming, other, &of->found->after);
  if (are_texts_different(of->found) && !are_equal_numbers(field, record, other)) {
    add_decision(of, field->key);
  }
  return true;
}

/* ---- what is compared ---- */

/* "2 along gpu: words, decoder.3.qkv"; "2 along gpu, of 2 runs each: ..." */
static void put_stages(const void *record, dsm__text_buffer *out) {
  const dsm_stages *const stages = &((const dsm_recorded *)record)->stages;
  dsm__text_printf(out, "%zu along %s", stages->count, stages->axis_name);
  if (stages->interleave > 1) {
    dsm__text_printf(out, ", of %zu runs each", stages->interleave);
  }
  for (size_t r = 0; r < stages->run_count; r++) {
    dsm__text_printf(out, "%s%s", r == 0 ? ": " : ", ", stages->first_layer_names[r]);
  }
}

DSM__OWN_RECORD(step_record, dsm_recorded, false, "What is decided for the step.",
                DSM__FIELD(COUNT, dsm_recorded, micro_batches, "micro_batches",
                           DSM__FIELD_IS_DECISION, .help = "As in a plan."),
                DSM__FIELD(RECORD, dsm_recorded, stages, "stages", DSM__FIELD_IS_DECISION,
                           .stated_if = DSM__IF_ABOVE(dsm_recorded, stages.count, 1),
                           .put_compared = put_stages,
                           .help = "How many, along which axis, and where each begins."));

/* A record whose stages name their axis as that of the other side would, where axes have other
 * names there. */
static dsm_recorded renamed(const dsm_recorded *record, const dsm_recorded *other) {
  static const char *const letters[DSM_AXES_MAX] = {"x", "y", "z"};
  dsm_recorded renamed = *record;
  if (record->stages.count > 1 && record->stages.axis < DSM_AXES_MAX &&
      !dsm__renamings_agree(record->renaming, other->renaming)) {
    renamed.stages.axis_name = letters[record->stages.axis];
  }
  return renamed;
}

static void compare_step(findings *found, const dsm_recorded *before, const dsm_recorded *after) {
  const dsm_recorded sides[] = {renamed(before, after), renamed(after, before)};
  subject of = {.found = found, .pass = DSM_PASS_COUNT, .before = &sides[0], .after = &sides[1]};
  (void)dsm__record_each(&step_record, of.before, compare_decision, &of);
}

/* "steady: in 2", or that there is none: of the invocations after the first. */
static void put_later_split(const dsm_pass_plan *pass, dsm__text_buffer *out) {
  if (pass->invocation_count < 2) {
    dsm__text_puts(out, "none");
    return;
  }
  for (size_t k = 1; k < pass->invocation_count; k++) {
    const dsm_invocation *const later = &pass->invocations[k];
    const void *record = later;
    const dsm__field *const split =
        dsm__record_field(&dsm__invocation_record, "core_split", &record);
    dsm__text_printf(out, "%s%s: ", k > 1 ? ", " : "", dsm_invocation_kind_name(later->kind));
    dsm__field_put_text(split, NULL, record, "none", out);
  }
}

/* A pass that does not list its invocations does not say whether there are later ones. */
static void compare_later_split(const subject *of, const dsm_pass_plan *before,
                                const dsm_pass_plan *after) {
  clear_texts(of->found);
  put_later_split(before, &of->found->before);
  put_later_split(after, &of->found->after);
  if (before->invocation_count > 0 && after->invocation_count > 0 &&
      are_texts_different(of->found)) {
    add_decision(of, "later_core_split");
  }
}

static void compare_layer(findings *found, const dsm_layer_plan *before,
                          const dsm_layer_plan *after, size_t alike) {
  subject of = {.found = found,
                .layer = before->name,
                .alike = alike,
                .pass = DSM_PASS_COUNT,
                .before = &before->decisions,
                .after = &after->decisions};
  (void)dsm__record_each(&dsm__decisions_record, of.before, compare_decision, &of);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &before->passes[p];
    if (pass->exists && after->passes[p].exists) {
      of.pass = (dsm_pass)p;
      of.before = &pass->decisions;
      of.after = &after->passes[p].decisions;
      (void)dsm__record_each(&dsm__pass_decisions_record, of.before, compare_decision, &of);
      compare_later_split(&of, pass, &after->passes[p]);
    }
  }
}

/* Partners as of dsm__layer_partners, from before to after and back. */
static void compare_layers(findings *found, const dsm_recorded *before, const dsm_recorded *after,
                           const size_t *partner, const size_t *partner_before) {
  compare_step(found, before, after);
  for (size_t i = 0; i < before->layer_count; i++) {
    const size_t alike = dsm__alike_number(found->sides, i, partner[i]);
    if (partner[i] == SIZE_MAX) {
      add_layer(found, before->layers[i].name, DSM_PRESENCE_MISSING, alike);
    } else {
      compare_layer(found, &before->layers[i], &after->layers[partner[i]], alike);
    }
  }
  for (size_t i = 0; i < after->layer_count; i++) {
    if (partner_before[i] == SIZE_MAX) {
      add_layer(found, after->layers[i].name, DSM_PRESENCE_NEW,
                dsm__alike_number(found->sides, SIZE_MAX, i));
    }
  }
}

static bool make_lists(findings *found) {
  found->layers = dsm__arena_array(found->arena, found->layer_count, sizeof *found->layers);
  found->decisions =
      dsm__arena_array(found->arena, found->decision_count, sizeof *found->decisions);
  found->layer_count = 0;
  found->decision_count = 0;
  found->is_counting = false;
  return found->layers != NULL && found->decisions != NULL;
}

const size_t *dsm__layer_partners(const dsm_recorded *from, const dsm_recorded *to,
                                  dsm__arena *arena) {
  dsm__name_index names = {.entries =
                               dsm__arena_array(arena, to->layer_count, sizeof(dsm__name_entry)),
                           .count = to->layer_count};
  size_t *const partners = dsm__arena_array(arena, from->layer_count, sizeof *partners);
  if (names.entries == NULL || partners == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < to->layer_count; i++) {
    names.entries[i] = (dsm__name_entry){to->layers[i].name, i};
  }
  dsm__name_index_sort(&names);
  for (size_t i = 0; i < from->layer_count; i++) {
    partners[i] = dsm__name_index_find(&names, from->layers[i].name);
  }
  return partners;
}

static bool compare_records(findings *found, const dsm_recorded *before,
                            const dsm_recorded *after) {
  const size_t *const partner = dsm__layer_partners(before, after, found->arena);
  const size_t *const partner_before = dsm__layer_partners(after, before, found->arena);
  if (partner == NULL || partner_before == NULL) {
    return false;
  }
  found->is_counting = true;
  compare_layers(found, before, after, partner, partner_before);
  if (!make_lists(found)) {
    return false;
  }
  compare_layers(found, before, after, partner, partner_before);
  return !found->has_failed;
}

/* ---- the verdict ---- */

/* How a figure has moved: 0 if not beyond the tolerance, 1 for the better, -1 for the worse. */
static int direction(const dsm_moved *moved, bool is_lower_better) {
  if (!moved->is_beyond) {
    return 0;
  }
  return (moved->change < 0) == is_lower_better ? 1 : -1;
}

/* The time decides, that of a sample, since half the minibatch is half the work. Utilization tells
 * machines apart that are equally fast: at twice the clock a step that takes half the time less a
 * bit is better, though the arrays wait more cycles. */
static dsm_verdict verdict_of(const dsm_drift *drift) {
  const int time = direction(&drift->sample_seconds, true);
  const int moved = time != 0 ? time : direction(&drift->utilization, false);
  if (moved != 0) {
    return moved < 0 ? DSM_VERDICT_REGRESSED : DSM_VERDICT_IMPROVED;
  }
  return drift->layer_count + drift->pass_count + drift->decision_count > 0 ? DSM_VERDICT_CHANGED
                                                                            : DSM_VERDICT_OK;
}

static bool note_parallelisms(dsm__renaming *words, const dsm_recorded *record, dsm__arena *arena) {
  bool is_good = true;
  for (size_t i = 0; is_good && i < record->layer_count; i++) {
    for (int p = 0; is_good && p <= DSM_PASS_COUNT; p++) {
      const dsm_layer_plan *const layer = &record->layers[i];
      const dsm_parallelism one = p < DSM_PASS_COUNT ? layer->passes[p].decisions.parallelism
                                                     : layer->decisions.error_parallelism;
      is_good = !dsm_parallelism_has_roles(one) || dsm__note_parallelism(words, one, arena);
    }
  }
  return is_good;
}

/* Words of axes that have other names on both sides would differ where decisions do not: then they
 * are x, y and z. NULL if out of memory. */
static const dsm__renaming *common_words(const dsm_recorded *before, const dsm_recorded *after,
                                         dsm__arena *arena) {
  const bool have_same_names = dsm__renamings_agree(before->renaming, after->renaming);
  dsm__renaming *const words =
      dsm__axis_words_copy(have_same_names ? before->renaming : NULL, arena);
  const bool is_good = words != NULL && note_parallelisms(words, before, arena) &&
                       note_parallelisms(words, after, arena);
  return is_good ? words : NULL;
}

bool dsm__drift_compare(dsm_drift *drift, const dsm_recorded *before, const dsm_recorded *after) {
  dsm__alike_sides sides;
  findings found = {.arena = drift->arena,
                    .sides = &sides,
                    .renaming = common_words(before, after, drift->arena)};
  const bool is_compared = found.renaming != NULL &&
                           alike_sides_find(&sides, before, after, drift->arena) &&
                           compare_records(&found, before, after);
  dsm__text_fini(&found.before);
  dsm__text_fini(&found.after);
  if (!is_compared) {
    return false;
  }
  drift->layers = found.layers;
  drift->layer_count = found.layer_count;
  drift->decisions = found.decisions;
  drift->decision_count = found.decision_count;
  drift->step_seconds =
      dsm__moved_between(before->result.step_seconds, after->result.step_seconds, drift->tolerance);
  drift->step_cycles =
      dsm__moved_between(before->result.step_cycles, after->result.step_cycles, drift->tolerance);
  drift->utilization =
      dsm__moved_between(before->result.utilization, after->result.utilization, drift->tolerance);
  drift->sample_seconds = dsm__moved_between(
      before->result.step_seconds / (double)drift->minibatch_before,
      after->result.step_seconds / (double)drift->minibatch_after, drift->tolerance);
  drift->is_same_clock = dsm__is_same_clock(before, after);
  if (!dsm__drift_list_passes(drift, before, after, &sides)) {
    return false;
  }
  drift->verdict = verdict_of(drift);
  return true;
}
