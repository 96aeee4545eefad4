/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.c: two records of the same question, side by side. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "check/drift.h"
#include "model/axis_words.h"
#include "plan/plan_record.h"

dsm_recorded dsm__record_of_plan(const dsm_plan *plan) {
  return (dsm_recorded){
      .result = plan->result,
      .cycles_per_second = dsm__hertz(plan->system->core.frequency_GHz),
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

/* ---- layers ---- */

/* What tells whether two layers are equal on both sides: never 0. */
static size_t alike_number(const dsm__drift_findings *found, dsm__name_pair pair) {
  const dsm__alike *const before = &found->alike[0];
  const dsm__alike *const after = &found->alike[1];
  return 1 + (pair.a == SIZE_MAX ? before->count : before->class_of[pair.a]) * (after->count + 1) +
         (pair.b == SIZE_MAX ? after->count : after->class_of[pair.b]);
}

/* The names of the layers, and which are equal. False if out of memory. */
static bool know_layers(const dsm_recorded *record, dsm__names *names, dsm__alike *alike,
                        dsm__arena *arena) {
  names->items = dsm__arena_array(arena, record->layer_count, sizeof names->items[0]);
  names->count = names->items == NULL ? 0 : record->layer_count;
  for (size_t i = 0; i < names->count; i++) {
    names->items[i] = record->layers[i].name;
  }
  return names->items != NULL &&
         dsm__alike_find(alike, record->layers, record->layer_count, DSM__ALIKE_NUMBERS, arena);
}

/* ---- what is found ---- */

static const char *kept_text(dsm__drift_findings *found, const char *text) {
  const char *const copy = dsm__arena_strdup(found->arena, text);
  found->has_failed = found->has_failed || copy == NULL;
  return copy;
}

static void add_layer(dsm__drift_findings *found, const char *layer, dsm_presence presence,
                      size_t alike) {
  found->has_failed = !DSM__LIST_PUSH_IN(&found->layers, found->arena,
                                         (dsm_layer_drift){.layer = kept_text(found, layer),
                                                           .presence = presence,
                                                           .alike = alike}) ||
                      found->has_failed;
}

/* The records of a layer or pass on both sides, whose decisions are compared field by field. */
typedef struct subject {
  dsm__drift_findings *found;
  const char *layer; /* NULL: the step */
  size_t alike;
  dsm_pass pass; /* DSM_PASS_COUNT: the layer itself */
  const void *before;
  const void *after;
} subject;

/* The texts in the buffers, which differ. */
static void add_decision(const subject *of, const char *decision) {
  dsm__drift_findings *const found = of->found;
  found->has_failed =
      !DSM__LIST_PUSH_IN(
          &found->decisions, found->arena,
          (dsm_decision_drift){.layer = of->layer == NULL ? NULL : kept_text(found, of->layer),
                               .pass = of->pass,
                               .decision = decision,
                               .before = kept_text(found, found->texts[0].text),
                               .after = kept_text(found, found->texts[1].text),
                               .alike = of->alike}) ||
      found->has_failed;
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
static bool are_texts_different(dsm__drift_findings *found) {
  found->has_failed = found->has_failed || found->texts[0].failed || found->texts[1].failed;
  return !found->has_failed && strcmp(found->texts[0].text, found->texts[1].text) != 0;
}

static void clear_texts(dsm__drift_findings *found) {
  dsm__text_clear(&found->texts[0]);
  dsm__text_clear(&found->texts[1]);
}

static bool compare_decision(void *context, const dsm__field *field, const void *record) {
  const subject *const of = context;
  const ptrdiff_t part = (const unsigned char *)record - (const unsigned char *)of->before;
  const void *const other = (const unsigned char *)of->after + part;
  if ((field->flags & DSM__FIELD_IS_DECISION) == 0) {
    return true;
  }
  clear_texts(of->found);
  put_decision(field, of->found->renaming, record, &of->found->texts[0]);
  put_decision(field, of->found->renaming, other, &of->found->texts[1]);
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

static void compare_step(dsm__drift_findings *found) {
  const dsm_recorded sides[] = {renamed(found->before, found->after),
                                renamed(found->after, found->before)};
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
  put_later_split(before, &of->found->texts[0]);
  put_later_split(after, &of->found->texts[1]);
  if (before->invocation_count > 0 && after->invocation_count > 0 &&
      are_texts_different(of->found)) {
    add_decision(of, "later_core_split");
  }
}

static void compare_layer(dsm__drift_findings *found, const dsm_layer_plan *before,
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

/* Layers of equal names are the same one. False if out of memory. */
static bool compare_layers(dsm__drift_findings *found) {
  const dsm_recorded *const before = found->before;
  const dsm_recorded *const after = found->after;
  dsm__names names[2];
  dsm__name_pairs pairs;
  if (!know_layers(before, &names[0], &found->alike[0], found->arena) ||
      !know_layers(after, &names[1], &found->alike[1], found->arena) ||
      !dsm__pairs_by_name(&pairs, names[0], names[1], found->arena)) {
    return false;
  }
  for (size_t k = 0; k < pairs.count; k++) {
    const dsm__name_pair pair = pairs.items[k];
    const size_t alike = alike_number(found, pair);
    if (pair.b == SIZE_MAX) {
      add_layer(found, before->layers[pair.a].name, DSM_PRESENCE_MISSING, alike);
    } else if (pair.a == SIZE_MAX) {
      add_layer(found, after->layers[pair.b].name, DSM_PRESENCE_NEW, alike);
    } else {
      compare_layer(found, &before->layers[pair.a], &after->layers[pair.b], alike);
    }
    dsm__add_passes(found, pair, alike);
  }
  return !found->has_failed;
}

/* ---- energy ---- */

/* Does a figure decide? */
static bool is_judged(const dsm__field *field) {
  return field->offset == offsetof(dsm_plan_energy, step_joules) ||
         field->offset == offsetof(dsm_plan_energy, sample_dollars);
}

static bool compare_energy_figure(void *context, const dsm__field *field, const void *record) {
  static const unsigned better = DSM__FIELD_LESS_IS_BETTER | DSM__FIELD_MORE_IS_BETTER;
  dsm__drift_findings *const found = context;
  const void *const after = &found->after->result.energy;
  if ((field->flags & better) == 0 || !dsm__field_is_stated(field, record) ||
      !dsm__field_is_stated(field, after)) {
    return true;
  }
  const dsm_figure_drift made = dsm__figure_between(
      dsm__arena_printf(found->arena, "energy.%s", field->key), field,
      dsm__field_number(field, record), dsm__field_number(field, after), found->drift->tolerance);
  found->has_failed = found->has_failed || made.path == NULL;
  if (made.moved.is_beyond || is_judged(field)) {
    found->has_failed =
        !DSM__LIST_PUSH_IN(&found->figures, found->arena, made) || found->has_failed;
  }
  return true;
}

/* The figures of energy and cost that both have, those of which less is better. */
static void compare_energy(dsm__drift_findings *found) {
  dsm_drift *const drift = found->drift;
  const dsm_plan_energy *const before = &found->before->result.energy;
  const dsm_plan_energy *const after = &found->after->result.energy;
  const dsm__field *const energy = dsm__record_field(&dsm__result_record, "energy", NULL);
  drift->has_energy = before->is_known && after->is_known;
  if (drift->has_energy) {
    drift->sample_joules =
        dsm__moved_between(before->step_joules / (double)drift->minibatch_before,
                           after->step_joules / (double)drift->minibatch_after, drift->tolerance);
    if (before->sample_dollars > 0 && after->sample_dollars > 0) {
      drift->sample_dollars =
          dsm__moved_between(before->sample_dollars, after->sample_dollars, drift->tolerance);
    }
    (void)dsm__record_each(energy->type, before, compare_energy_figure, found);
  }
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
 * bit is better, though the arrays wait more cycles. Energy and cost of a sample are promises of
 * their own, which less time does not make up for. */
static dsm_verdict verdict_of(const dsm_drift *drift) {
  const int time = direction(&drift->sample_seconds, true);
  const int joules = direction(&drift->sample_joules, true);
  const int dollars = direction(&drift->sample_dollars, true);
  const int moved = time != 0 ? time : direction(&drift->utilization, false);
  size_t other = drift->layer_count + drift->pass_count + drift->decision_count;
  for (size_t i = 0; i < drift->figure_count; i++) {
    other += drift->figures[i].moved.is_beyond ? 1 : 0;
  }
  return moved < 0 || joules < 0 || dollars < 0   ? DSM_VERDICT_REGRESSED
         : moved > 0 || joules > 0 || dollars > 0 ? DSM_VERDICT_IMPROVED
         : other > 0                              ? DSM_VERDICT_CHANGED
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

/* What moved of the step itself. */
static void compare_figures(dsm_drift *drift, const dsm_recorded *before,
                            const dsm_recorded *after) {
  const dsm_plan_result *const was = &before->result;
  const dsm_plan_result *const is = &after->result;
  const double tolerance = drift->tolerance;
  drift->step_seconds = dsm__moved_between(was->step_seconds, is->step_seconds, tolerance);
  drift->step_cycles = dsm__moved_between(was->step_cycles, is->step_cycles, tolerance);
  drift->utilization = dsm__moved_between(was->utilization, is->utilization, tolerance);
  drift->sample_seconds =
      dsm__moved_between(was->step_seconds / (double)drift->minibatch_before,
                         is->step_seconds / (double)drift->minibatch_after, tolerance);
  drift->is_same_clock = dsm__is_same_clock(before, after);
}

bool dsm__drift_compare(dsm_drift *drift, const dsm_recorded *before, const dsm_recorded *after) {
  compare_figures(drift, before, after);
  dsm__drift_findings found = {.arena = drift->arena,
                               .drift = drift,
                               .before = before,
                               .after = after,
                               .renaming = common_words(before, after, drift->arena)};
  bool is_compared = found.renaming != NULL;
  if (is_compared) {
    compare_step(&found);
    compare_energy(&found);
    is_compared = compare_layers(&found) && dsm__sort_passes(&found);
  }
  dsm__text_fini(&found.texts[0]);
  dsm__text_fini(&found.texts[1]);
  drift->figures = found.figures.items;
  drift->figure_count = found.figures.count;
  drift->layers = found.layers.items;
  drift->layer_count = found.layers.count;
  drift->decisions = found.decisions.items;
  drift->decision_count = found.decisions.count;
  drift->verdict = verdict_of(drift);
  return is_compared;
}
