/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_csv.c: a plan for programs that read tables: one row a layer and pass, fixed columns. */
#include <math.h>

#include "base/units.h"
#include "model/names.h"
#include "plan/plan_internal.h"
#include "plan/plan_record.h"
#include "plan/role_rules.h"
#include "plan/step_stages.h"
#include "plan/strategy_rules.h"
#include "plan/tied_tables.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "report/loss.h"

/* A transfer on the link that is listed first for it; not finite if there is none. */
typedef struct transfer {
  double bytes;
  double cycles;
} transfer;

/* What a row has beside the fields of its layer and pass. */
typedef struct pass_row {
  const char *layer;
  dsm_pass pass;
  double seconds;
  double step_share;
  uint64_t stage;
  dsm_invocation invocations[DSM_INVOCATION_KIND_COUNT];
  transfer transfers[DSM__MOVE_COUNT];
} pass_row;

DSM__OWN_RECORD(invocation_record, dsm_invocation, false, "Invocations of a kind.",
                DSM__FIELD(COUNT, dsm_invocation, count, "count", DSM__COLUMN,
                           .help = "In a step."),
                DSM__FIELD(COUNTS, dsm_invocation, split, "core_split", DSM__COLUMN,
                           .words = &dsm__dim_words, .help = "Parts of each loop over the cores."));

DSM__OWN_RECORD(transfer_record, transfer, false, "A transfer in the step.",
                DSM__FIELD(REAL, transfer, bytes, "bytes", DSM__COLUMN | DSM__LESS, .unit = "bytes",
                           .help = "On the link that is listed first for it."),
                DSM__FIELD(REAL, transfer, cycles, "cycles", DSM__COLUMN | DSM__LESS,
                           .unit = "cycles", .help = "That it alone occupies the link."));

DSM__OWN_RECORD(pass_row_record, pass_row, false, "A pass of a layer.",
                DSM__FIELD(TEXT, pass_row, layer, "layer", DSM__COLUMN,
                           .help = "Name of the layer."),
                DSM__FIELD(WORD, pass_row, pass, "pass", DSM__COLUMN, .words = &dsm__pass_words,
                           .help = "Which."),
                DSM__FIELD(REAL, pass_row, seconds, "seconds", DSM__COLUMN | DSM__LESS,
                           .unit = "seconds", .help = "Of the step."),
                DSM__FIELD(REAL, pass_row, step_share, "step_share", DSM__COLUMN, .unit = "ratio",
                           .help = "Of the step's time."));

/* What only some systems let be. */
DSM__OWN_RECORD(hidden_record, dsm_pass_plan, false, "What hides.",
                DSM__FIELD(REAL, dsm_pass_plan, hidden_cycles, "hidden_cycles",
                           DSM__COLUMN | DSM__UNLESS_0, .unit = "cycles",
                           .help = "Of sums of gradients and ways back."));

/* What only some options let be. */
DSM__OWN_RECORD(keeping_record, dsm_layer_decisions, false, "What is kept less of.",
                DSM__FIELD(WORD, dsm_layer_decisions, shard, "shard", DSM__COLUMN,
                           .words = &dsm__sharding_words,
                           .help = "What of its weights is shared out."),
                DSM__FIELD(FLAG, dsm_layer_decisions, is_recomputed, "recompute", DSM__COLUMN,
                           .help = "The forward pass runs again."));

DSM__OWN_RECORD(stage_record, pass_row, false, "Where a layer runs.",
                DSM__FIELD(COUNT, pass_row, stage, "stage", DSM__COLUMN, .min = 1,
                           .help = "Number of its stage, from 1."));

/* What only some passes have. */
DSM__OWN_RECORD(parts_record, pass_row, false, "Invocations and transfers.",
                DSM__FIELD(MEMBERS, pass_row, invocations, "invocations", DSM__COLUMN,
                           .words = &dsm__invocation_kind_words, .type = &invocation_record,
                           .stated_if = DSM__IF(dsm_invocation, count),
                           .help = "One to three kinds, of which hoisted and recompute have "
                                   "columns only with these optimizations."),
                DSM__FIELD(MEMBERS, pass_row, transfers, "transfers", DSM__COLUMN,
                           .words = &dsm__move_words, .type = &transfer_record,
                           .help = "As far as there are any."));

static bool may_have_kind(const dsm_plan *plan, size_t kind) {
  return kind == DSM_INVOCATION_HOISTED ? dsm__may_choose(&plan->options, DSM__CHOICE_HOISTED)
         : kind == DSM_INVOCATION_RECOMPUTE
             ? dsm__may_choose(&plan->options, DSM__CHOICE_RECOMPUTED)
             : true;
}

/* Which of the columns of invocations a kind has. */
static size_t place_of_kind(const dsm_plan *plan, size_t kind) {
  size_t place = 0;
  for (size_t k = 0; k < kind; k++) {
    place += may_have_kind(plan, k) ? 1 : 0;
  }
  return place;
}

static bool may_move(const dsm_plan *plan, size_t move) {
  const dsm_transfer of = dsm__moves[move].transfer;
  const bool is_tied = of == DSM_TRANSFER_TIED_GRADIENTS || of == DSM_TRANSFER_TIED_WEIGHTS;
  return dsm__move_is_possible(move, plan->system, dsm__may_have_roles(&plan->options)) &&
         (!is_tied || dsm__has_tied_layers(plan->workload));
}

static pass_row row_of(const dsm_plan *plan, const dsm_layer_plan *layer, dsm_pass p) {
  const dsm_pass_plan *const pass = &layer->passes[p];
  pass_row row = {.layer = layer->layer->name,
                  .pass = p,
                  .stage = 1 + dsm__stage_of(&plan->stages, (size_t)(layer - plan->layers)),
                  .seconds = pass->cycles.total / dsm__hertz(plan->system->core.frequency_GHz),
                  .step_share = dsm__share(pass->cycles.total, dsm__step_cycles(plan))};
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    row.invocations[place_of_kind(plan, pass->invocations[i].kind)] = pass->invocations[i];
  }
  size_t place_of[DSM__MOVE_COUNT];
  size_t places = 0;
  for (size_t t = 0; t < DSM__MOVE_COUNT; t++) {
    place_of[t] = places;
    places += may_move(plan, t) ? 1 : 0;
    row.transfers[t] = (transfer){(double)NAN, (double)NAN};
  }
  for (size_t i = pass->transfer_count; i > 0; i--) {
    const dsm_plan_transfer *const of = &pass->transfers[i - 1];
    row.transfers[place_of[dsm__move_of(of->transfer, of->axis)]] =
        (transfer){of->bytes, of->cycles};
  }
  return row;
}

/* The fields of invocations and transfers, of the transfers only those that the axes of a system
 * can have, of the invocations only those that the options can have. */
typedef struct parts_type {
  dsm__word kind_words[DSM_INVOCATION_KIND_COUNT];
  dsm__word words[DSM__MOVE_COUNT];
  dsm__words moves;
  dsm__words kinds;
  dsm__field fields[2];
  dsm__record_type type;
} parts_type;

/* `made` is not moved afterwards. */
static void parts_of(const dsm_plan *plan, parts_type *made) {
  const dsm__words *const all = dsm__words_in(plan->renaming, &dsm__move_words);
  size_t count = 0;
  for (size_t m = 0; m < DSM__MOVE_COUNT; m++) {
    if (may_move(plan, m)) {
      made->words[count++] = all->items[m];
    }
  }
  made->moves = (dsm__words){.what = all->what, .items = made->words, .count = count};
  made->type = parts_record;
  made->fields[0] = parts_record.fields[0];
  made->fields[1] = parts_record.fields[1];
  made->fields[1].words = &made->moves;
  made->kinds = dsm__invocation_kind_words;
  made->kinds.items = made->kind_words;
  made->kinds.count = 0;
  for (size_t k = 0; k < DSM_INVOCATION_KIND_COUNT; k++) {
    if (may_have_kind(plan, k)) {
      made->kind_words[made->kinds.count++] = dsm__invocation_kind_words.items[k];
    }
  }
  made->fields[0].words = &made->kinds;
  made->type.fields = made->fields;
}

static void put_columns(dsm__csv *csv, const dsm_plan *plan, const parts_type *parts) {
  static const char *const work[] = {"parallelism", "chip",  "core_split",
                                     "core",        "array", "cycles"};
  dsm__csv_column(csv, &pass_row_record, "layer");
  dsm__csv_column(csv, &pass_row_record, "pass");
  for (size_t i = 0; i < DSM__COUNT_OF(work); i++) {
    dsm__csv_column(csv, &dsm__pass_record, work[i]);
  }
  dsm__csv_columns(csv, &pass_row_record);
  dsm__csv_columns(csv, &dsm__pass_record);
  if (plan->system->model.overlapped_reduction ||
      dsm__may_choose(&plan->options, DSM__CHOICE_SHARD)) {
    dsm__csv_columns(csv, &hidden_record);
  }
  dsm__csv_columns(csv, &dsm__decisions_record);
  if (dsm__may_choose(&plan->options, DSM__CHOICE_SHARD)) {
    dsm__csv_column(csv, &keeping_record, "shard");
  }
  if (dsm__may_choose(&plan->options, DSM__CHOICE_RECOMPUTED)) {
    dsm__csv_column(csv, &keeping_record, "recompute");
  }
  if (dsm__may_choose(&plan->options, DSM__CHOICE_STAGES)) {
    dsm__csv_columns(csv, &stage_record);
  }
  dsm__csv_column(csv, &dsm__layer_record, "held_bytes");
  dsm__csv_columns(csv, &parts->type);
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_plan *const plan = answer->of;
  page->renaming = plan->renaming;
  *(dsm_plan *)to = *plan;
}

static void put_rows(dsm__csv *csv, const void *of) {
  const dsm_plan *const plan = of;
  parts_type parts;
  parts_of(plan, &parts);
  put_columns(csv, plan, &parts);
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (layer->passes[p].exists) {
        const pass_row row = row_of(plan, layer, (dsm_pass)p);
        DSM__CSV_ROW(csv, {&pass_row_record, &row}, {&dsm__pass_record, &layer->passes[p]},
                     {&hidden_record, &layer->passes[p]}, {&stage_record, &row},
                     {&dsm__layer_record, layer}, {&keeping_record, &layer->decisions},
                     {&parts.type, &row});
      }
    }
  }
}

DSM__READ_BY(dsm_plan, dsm_plan_free,
             dsm_plan_parse(&made, from->text, from->length, from->file, &answer->recorded, diags));

const dsm_answer_kind dsm_answer_plan = {
    .record = &dsm__plan_record,
    .fill = fill,
    .put_rows = put_rows,
    .views = {dsm__show_plan, [DSM_FORM_TRACE] = dsm__put_step_trace},
    .read = read,
    .discard = discard};
