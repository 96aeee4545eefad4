/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/plan_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/number_text.h"
#include "model/names.h"
#include "plan/stage.h"
#include "plan/step_stages.h"
#include "plan/strategy_rules.h"
#include "report/loss.h"
#include "report/table/number_style.h"

#define BYTES_PER_MIB 1048576.0

/* ---- what is on chip in a pass ---- */

static const struct {
  const char *word;
  const char *meaning;
} on_chip_words[DSM__ON_CHIP_COUNT] = {
    [DSM__ON_CHIP_OUTPUT] = {"out", "the output"},
    [DSM__ON_CHIP_ERROR] = {"err", "the output's activation gradient"},
    [DSM__ON_CHIP_WEIGHTS] = {"wgt", "weights from one timestep to the next"},
    [DSM__ON_CHIP_GRADIENT] = {"grad", "weight gradients from one timestep to the next"},
    [DSM__ON_CHIP_OPERAND] = {"opd", "the second operand from one timestep to the next"},
    [DSM__ON_CHIP_PRELOADED] = {"pre", "weights, or a part of them, from one request to the next"},
};

static bool is_kernel_kept(const dsm_pass_plan *pass) {
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    if (pass->invocations[i].kind == DSM_INVOCATION_STEADY) {
      return true;
    }
  }
  return false;
}

dsm__on_chip_set dsm__on_chip_of(const dsm_layer_plan *layer, dsm_pass pass) {
  dsm__on_chip_set set = 0;
  if (layer->decisions.is_output_held) {
    set |= DSM__ON_CHIP_BIT(pass == DSM_PASS_FORWARD ? DSM__ON_CHIP_OUTPUT : DSM__ON_CHIP_ERROR);
  }
  if (is_kernel_kept(&layer->passes[pass])) {
    set |= DSM__ON_CHIP_BIT(layer->layer->is_product  ? DSM__ON_CHIP_OPERAND
                            : pass == DSM_PASS_UPDATE ? DSM__ON_CHIP_GRADIENT
                                                      : DSM__ON_CHIP_WEIGHTS);
  }
  if (layer->decisions.weights_on_chip > 0) {
    set |= DSM__ON_CHIP_BIT(DSM__ON_CHIP_PRELOADED);
  }
  return set;
}

const char *dsm__on_chip_text(dsm__page *page, const dsm_layer_plan *layer, dsm_pass pass) {
  const dsm__on_chip_set set = dsm__on_chip_of(layer, pass);
  const char *text = "";
  for (int o = 0; o < DSM__ON_CHIP_COUNT; o++) {
    if ((set & DSM__ON_CHIP_BIT(o)) != 0) {
      text = dsm__page_join(page, text, " ", "%s", on_chip_words[o].word);
    }
  }
  const bool is_part = layer->decisions.weights_on_chip > 0 && layer->decisions.weights_on_chip < 1;
  return is_part ? dsm__page_text(page, "%s %s%%", text,
                                  dsm__figure_percent(layer->decisions.weights_on_chip).text)
                 : text;
}

const char *dsm__on_chip_legend(dsm__page *page, dsm__on_chip_set used) {
  const char *text = "";

  for (int o = 0; o < DSM__ON_CHIP_COUNT; o++) {
    if ((used & DSM__ON_CHIP_BIT(o)) != 0) {
      text = dsm__page_join(page, text, ", ", "%s = %s", on_chip_words[o].word,
                            on_chip_words[o].meaning);
    }
  }
  return dsm__page_text(page, "on chip: %s.", text);
}

bool dsm__has_other_split(const dsm_pass_plan *pass) {
  for (unsigned i = 1; i < pass->invocation_count; i++) {
    if (memcmp(&pass->invocations[i].split, &pass->invocations[0].split,
               sizeof pass->invocations[0].split) != 0) {
      return true;
    }
  }
  return false;
}

/* ---- lines of the whole plan ---- */

/* What is on chip, over all layers. */
typedef struct on_chip_totals {
  size_t held_count;
  const dsm_layer_plan *fullest; /* holds most while it runs; NULL: none holds anything */
  size_t kept_count;             /* layers whose kernel stays over timesteps in some pass */
  double preloaded_weights;
} on_chip_totals;

static bool is_kept_in_some_pass(const dsm_layer_plan *layer) {
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (layer->passes[p].exists && is_kernel_kept(&layer->passes[p])) {
      return true;
    }
  }
  return false;
}

static on_chip_totals on_chip_totals_of(const dsm_plan *plan) {
  on_chip_totals totals = {.fullest = NULL};
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    totals.held_count += layer->decisions.is_output_held ? 1 : 0;
    totals.kept_count += is_kept_in_some_pass(layer) ? 1 : 0;
    totals.preloaded_weights +=
        layer->decisions.weights_on_chip * (double)layer->layer->weight_elements;
    const double most = totals.fullest == NULL ? 0 : totals.fullest->held_bytes;
    totals.fullest = layer->held_bytes > most ? layer : totals.fullest;
  }
  return totals;
}

static const char *held_text(dsm__page *page, const dsm_plan *plan, const on_chip_totals *totals) {
  const dsm_system *const system = plan->system;
  const double scratchpads =
      (double)system->chip.cores * system->core.scratchpad_MiB * BYTES_PER_MIB;
  const char *const text =
      dsm__page_text(page, "outputs of %zu of %zu layer%s", totals->held_count, plan->layer_count,
                     dsm__plural((double)plan->layer_count));
  if (totals->fullest == NULL) {
    return text;
  }
  const double bytes = totals->fullest->held_bytes;
  return dsm__page_text(
      page, "%s, at most %s of a chip's %s (%s %%), in %s", text,
      dsm__figure_scaled(bytes, "B").text, dsm__figure_scaled(scratchpads, "B").text,
      dsm__figure_percent(dsm__share(bytes, scratchpads)).text, totals->fullest->layer->name);
}

static const char *on_chip_line(dsm__page *page, const dsm_plan *plan) {
  const on_chip_totals totals = on_chip_totals_of(plan);
  const char *text = totals.held_count > 0 ? held_text(page, plan, &totals) : "";
  if (totals.kept_count > 0) {
    text = dsm__page_join(
        page, text, "; ", "weights or operands of %zu of %zu layer%s over all timesteps",
        totals.kept_count, plan->layer_count, dsm__plural((double)plan->layer_count));
  }
  if (totals.preloaded_weights > 0) {
    const double share = dsm__share(totals.preloaded_weights, (double)plan->workload->weights);
    text = dsm__page_join(page, text, "; ", "%s %% of the weights over all requests",
                          dsm__figure_percent(share).text);
  }
  return text;
}

/* "enc2 4, enc3 4": the layers of a group with their rows. */
static const char *rows_of_layers_text(dsm__page *page, const dsm_plan *plan,
                                       const dsm_pipeline_plan *group) {
  const char *text = "";
  for (size_t k = 0; k < group->layer_count; k++) {
    text = dsm__page_join(page, text, ", ", "%s %" PRIu64,
                          plan->layers[group->first_layer + k].layer->name, group->rows[k]);
  }
  return text;
}

/* "16 rows of chips along y", or where the stages are narrower than these "32 rows of 2 chips". */
static const char *rows_text(dsm__page *page, const dsm_plan *plan,
                             const dsm_pipeline_plan *group) {
  const uint64_t rows = dsm__stage_rows_together(plan->system, group->columns);
  if (group->columns == dsm__stage_columns_max(plan->system)) {
    const dsm_network *const network = &plan->system->system;
    return dsm__page_text(page, "%s row%s of chips along %s", dsm__figure_count(rows).text,
                          dsm__plural((double)rows), network->axes[network->axis_count - 1].name);
  }
  return dsm__page_text(page, "%s rows of %s chip%s", dsm__figure_count(rows).text,
                        dsm__figure_count(group->columns).text,
                        dsm__plural((double)group->columns));
}

static const char *pipeline_line(dsm__page *page, const dsm_plan *plan, size_t pipeline) {
  const dsm_pipeline_plan *const group = &plan->pipelines[pipeline];
  const dsm__figure share = dsm__figure_percent(dsm__share(group->cycles, dsm__step_cycles(plan)));
  return dsm__page_text(page, "%s: %s cycles, %s %% of the step; of %s: %s", group->name,
                        dsm__figure_fixed(group->cycles, 0).text, share.text,
                        rows_text(page, plan, group), rows_of_layers_text(page, plan, group));
}

/* "4 of 26 layers" */
static const char *layers_text(dsm__page *page, const dsm_plan *plan, uint64_t count) {
  return dsm__page_text(page, "%" PRIu64 " of %zu layer%s", count, plan->layer_count,
                        dsm__plural((double)plan->layer_count));
}

static const char *hoisted_line(dsm__page *page, const dsm_plan *plan) {
  const uint64_t count = dsm__choice_count(DSM__CHOICE_HOISTED, plan);
  return count == 0 ? ""
                    : dsm__page_text(page, "input products of %s", layers_text(page, plan, count));
}

static const char *samples_line(dsm__page *page, const dsm_plan *plan) {
  if (plan->micro_batches <= 1) {
    return "";
  }
  const uint64_t samples = plan->workload->minibatch / plan->micro_batches;
  return dsm__page_text(page, "%s micro-batches of %s sample%s, one after the other",
                        dsm__figure_count(plan->micro_batches).text,
                        dsm__figure_count(samples).text, dsm__plural((double)samples));
}

/* "4 x 2": of an axis divided the part. */
static const char *stage_chips_text(dsm__page *page, const dsm_plan *plan) {
  const dsm_network *const network = &plan->system->system;
  const char *text = "";
  for (unsigned a = 0; a < network->axis_count; a++) {
    const uint64_t chips = network->axes[a].chips;
    text = dsm__page_join(
        page, text, " x ", "%s",
        dsm__figure_count(a == plan->stages.axis ? chips / plan->stages.count : chips).text);
  }
  return text;
}

/* "2 along gpu, each of 4 x 2 chips: words to decoder.2.ff2; decoder.3.qkv to output"; of several
 * runs of each stage only where they begin. */
static const char *stages_line(dsm__page *page, const dsm_plan *plan) {
  enum { SHOWN = 12 };
  const dsm_stages *const stages = &plan->stages;
  if (stages->count <= 1) {
    return "";
  }
  const bool is_interleaved = stages->interleave > 1;
  const size_t shown = is_interleaved && stages->run_count > SHOWN ? SHOWN : stages->run_count;
  const char *text = dsm__page_text(page, "%zu along %s, each of %s chips", stages->count,
                                    stages->axis_name, stage_chips_text(page, plan));
  if (stages->schedule == DSM_SCHEDULE_ZERO_BUBBLE) {
    text = dsm__page_text(page, "%s with gradients of weights where it would wait", text);
  }
  if (is_interleaved) {
    text = dsm__page_text(page, "%s with %zu runs, in turn", text, stages->interleave);
  }
  for (size_t r = 0; r < shown; r++) {
    const dsm__stage_run run = dsm__stage_run_of(stages, plan->layer_count, r);
    const char *const last = plan->layers[run.end - 1].layer->name;
    const bool is_short = is_interleaved || run.first + 1 == run.end;
    text =
        dsm__page_text(page, "%s%s %s%s%s", text, r == 0 ? ":" : ";", stages->first_layer_names[r],
                       is_short ? "" : " to ", is_short ? "" : last);
  }
  return shown == stages->run_count
             ? text
             : dsm__page_text(page, "%s and %zu more", text, stages->run_count - shown);
}

/* Source: section 8, which has what a simulation makes of the closed form. */
static const char *interleaving_line(dsm__page *page, const dsm_plan *plan) {
  (void)page;
  return plan->stages.count > 1 && plan->stages.interleave > 1
             ? "the step time is a closed form: 0.87 to 1.13 of that of a simulated schedule, "
               "where stages differ by up to a half"
             : "";
}

/* "optimizer state of 2 of 26 layers; optimizer state and gradients of 4 of 26 layers" */
static const char *sharded_line(dsm__page *page, const dsm_plan *plan) {
  static const char *const what[DSM_SHARDING_COUNT] = {
      [DSM_SHARDING_OPTIMIZER] = "optimizer state",
      [DSM_SHARDING_GRADIENTS] = "optimizer state and gradients",
      [DSM_SHARDING_WEIGHTS] = "optimizer state, gradients and weights",
  };
  size_t counts[DSM_SHARDING_COUNT] = {0};
  for (size_t i = 0; i < plan->layer_count; i++) {
    counts[plan->layers[i].decisions.shard]++;
  }
  const char *text = "";
  for (int s = DSM_SHARDING_NONE + 1; s < DSM_SHARDING_COUNT; s++) {
    if (counts[s] > 0) {
      text =
          dsm__page_join(page, text, "; ", "%s of %s", what[s], layers_text(page, plan, counts[s]));
    }
  }
  return text;
}

static const char *recomputed_line(dsm__page *page, const dsm_plan *plan) {
  const uint64_t count = dsm__choice_count(DSM__CHOICE_RECOMPUTED, plan);
  uint64_t products = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    products += plan->layers[i].decisions.is_product_kept ? 1 : 0;
  }
  const char *const text = count == 0 ? ""
                                      : dsm__page_text(page, "forward passes of %s run again",
                                                       layers_text(page, plan, count));
  return products == 0 ? text
                       : dsm__page_text(page, "%s, of %" PRIu64 " of them the operations alone",
                                        text, products);
}

/* Lines of the whole plan, which are there where their text is not "". */
static const dsm__plan_line decision_lines[] = {
    {"on chip", "On chip", on_chip_line},
    {"hoisted", "Hoisted", hoisted_line},
    {"samples", "Samples", samples_line},
    {"stages", "Stages", stages_line},
    {"interleaving", "Interleaving", interleaving_line},
    {"sharded", "Sharded", sharded_line},
    {"recomputed", "Recomputed", recomputed_line},
};

void dsm__plan_lines_put(dsm__page *page, const dsm_plan *plan, bool is_titled,
                         const dsm__plan_line *lines, size_t count, dsm__labelled_line *put) {
  for (size_t i = 0; i < count; i++) {
    const char *const label = is_titled ? lines[i].title : lines[i].label;
    const char *const text = label == NULL ? "" : lines[i].text(page, plan);
    if (text[0] != '\0') {
      put(page, label, text);
    }
  }
}

void dsm__plan_decision_lines(dsm__page *page, const dsm_plan *plan, bool is_titled,
                              dsm__labelled_line *put) {
  dsm__plan_lines_put(page, plan, is_titled, decision_lines, DSM__COUNT_OF(decision_lines), put);
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    put(page, dsm__page_text(page, "%sipeline %zu", is_titled ? "P" : "p", g + 1),
        pipeline_line(page, plan, g));
  }
}
