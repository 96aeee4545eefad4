/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_totals.c: the whole step: how long it takes, where that goes, and what memory it needs. */
#include <math.h>
#include <string.h>

#include "base/number_text.h"
#include "model/engine.h"
#include "model/names.h"
#include "report/declared.h"
#include "report/loss.h"
#include "report/table/number_style.h"
#include "report/table/plan_table.h"
#include "report/table/storage_text.h"
#include "report/table/table.h"
#include "report/table/text_page.h"
#include "system/system_internal.h"

#define LABEL_WIDTH 13
#define BAR_WIDTH 50

/* ---- one line each ---- */

/* How far the step is from its lower bound. */
static const char *bound_line(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_result *const result = &plan->result;
  const char *const why = !plan->statistics.is_stopped ? ""
                          : plan->options.time_limit_seconds > 0 && !plan->statistics.is_memory_met
                              ? "; stopped by the time limit"
                              : "; stopped before the end";
  static const double tolerance = 1e-9; /* of two implementations of the model */
  if (!(result->lower_bound_cycles > 0) || result->energy.objective_value > 0) {
    return "";
  }
  const double gap = result->step_cycles / result->lower_bound_cycles - 1;
  if (fabs(gap) <= tolerance) {
    return "optimal: no mapping of the searched space is faster";
  }
  if (gap < 0) {
    return dsm__page_text(page, "%s cycles: above the step, so one of the two is wrong",
                          dsm__figure_fixed(result->lower_bound_cycles, 0).text);
  }
  return dsm__page_text(page, "%s cycles: the step is at most %s %% above the optimum%s",
                        dsm__figure_fixed(result->lower_bound_cycles, 0).text,
                        dsm__figure_digits(100 * gap, 3).text, why);
}

/* How far an objective is from its bound; of time it is the step's. */
static const char *objective_line(dsm__page *page, const dsm_plan *plan) {
  static const double tolerance = 1e-9;
  const dsm_plan_energy *const energy = &plan->result.energy;
  if (!(energy->objective_value > 0)) {
    return "";
  }
  const bool is_capped = plan->options.power_cap_watts > 0;
  const char *const value =
      is_capped ? dsm__page_text(page, "time with at most %s W a chip",
                                 dsm__figure_short(plan->options.power_cap_watts, 4).text)
                : dsm__page_text(page, "%s, %s", dsm_aim_name(plan->options.aim),
                                 dsm__figure_digits(energy->objective_value, 5).text);
  if (!(energy->objective_bound > 0)) {
    return value;
  }
  const double gap = energy->objective_value / energy->objective_bound - 1;
  return gap <= tolerance
             ? dsm__page_text(page, "%s; optimal: no mapping of the searched space is better",
                              value)
             : dsm__page_text(page, "%s; at most %s %% above the optimum", value,
                              dsm__figure_digits(100 * gap, 3).text);
}

/* "9.27 J a step, 35.1 W a chip: static 5.28 J, compute 1.84 J", the most first. */
static const char *energy_line(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_energy *const energy = &plan->result.energy;
  static const double least_share = 0.0005;
  dsm_joules left = energy->parts;
  const char *text = "";
  if (!energy->is_known) {
    return "";
  }
  for (int i = 0; i < DSM_ENERGY_PART_COUNT; i++) {
    int most = 0;
    for (int p = 1; p < DSM_ENERGY_PART_COUNT; p++) {
      most = left.of[p] > left.of[most] ? p : most;
    }
    if (dsm__share(left.of[most], energy->step_joules) >= least_share) {
      text =
          dsm__page_join(page, text, ", ", "%s %s J", dsm_energy_part_name((dsm_energy_part)most),
                         dsm__figure_digits(left.of[most], 3).text);
    }
    left.of[most] = 0;
  }
  return dsm__page_text(page, "%s J a step, %s W a chip: %s",
                        dsm__figure_digits(energy->step_joules, 4).text,
                        dsm__figure_digits(energy->chip_watts, 4).text, text);
}

/* "0.000123 $ a step, 0.482 $ a million samples". */
static const char *dollars_line(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_energy *const energy = &plan->result.energy;
  return energy->step_dollars > 0
             ? dsm__page_text(page, "%s $ a step, %s $ a million samples",
                              dsm__figure_digits(energy->step_dollars, 4).text,
                              dsm__figure_digits(energy->sample_dollars, 4).text)
             : "";
}

/* Is what decides a bound a parameter of software, of which nothing can be bought? */
static bool is_of_software(const dsm_system *system, dsm_bound bound) {
  const char *const start = dsm__engine_of(system)->has_tiles ? "core.tile_startup_us" : "";
  const char *const path = bound == DSM_BOUND_OVERHEAD  ? "core.operation_overhead_us"
                           : bound == DSM_BOUND_STARTUP ? start
                                                        : "";
  bool is_it = false;
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    is_it = is_it || (strcmp(dsm__parameters[p].path, path) == 0 &&
                      dsm__parameter_is_software(&dsm__parameters[p]));
  }
  return is_it;
}

/* What cycles are spent on, as "memory 43.1 %, compute 22.0 %; software: startup 1.2 %", of each
 * the most first. */
static const char *resources_line(dsm__page *page, const dsm_plan *plan) {
  const dsm_resources *const resources = &plan->result.resources;
  static const double least_share = 0.0005; /* less is 0.0 % */
  dsm_resources left = *resources;
  double total = 0;
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    total += resources->cycles[b];
  }
  const char *texts[] = {"", ""};
  for (int i = 0; i < DSM_BOUND_COUNT; i++) {
    const dsm_bound most = dsm_resources_bound(&left);
    const double share = dsm__share(left.cycles[most], total);
    if (share >= least_share) {
      const char **const text = &texts[is_of_software(plan->system, most) ? 1 : 0];
      *text = dsm__page_join(page, *text, ", ", "%s %s %%",
                             dsm__page_word(page, &dsm__bound_words, most),
                             dsm__figure_percent(share).text);
    }
    left.cycles[most] = 0;
  }
  return texts[1][0] == '\0' ? texts[0]
                             : dsm__page_join(page, texts[0], "; ", "software: %s", texts[1]);
}

const char *dsm__page_reserve(dsm__page *page, const dsm_system *system) {
  const double bytes = dsm__chip_memory_bytes(system) - dsm_system_usable_bytes(system);
  return bytes > 0 ? dsm__page_text(page, ", %s in reserve", dsm__figure_scaled(bytes, "B").text)
                   : "";
}

/* What a chip's memory holds, of how much. */
static const char *memory_line(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_memory *const memory = &plan->result.memory;
  const struct {
    const char *name;
    double bytes;
  } parts[] = {
      {"activations", memory->activations_bytes},    {"weights", memory->weights_bytes},
      {"weight gradients", memory->gradients_bytes}, {"activation gradients", memory->errors_bytes},
      {"optimizer", memory->optimizer_bytes},        {"keys and values", memory->cache_bytes},
      {"recomputed", memory->recomputed_bytes},
  };
  const char *text = "";
  for (size_t i = 0; i < DSM__COUNT_OF(parts); i++) {
    if (parts[i].bytes > 0) {
      text = dsm__page_join(page, text, ", ", "%s %s", parts[i].name,
                            dsm__figure_scaled(parts[i].bytes, "B").text);
    }
  }
  return dsm__page_text(
      page, "%s of %s (%s %%)%s%s%s", dsm__figure_scaled(memory->total_bytes, "B").text,
      dsm__figure_scaled(memory->capacity_bytes, "B").text,
      dsm__figure_percent(dsm__share(memory->total_bytes, memory->capacity_bytes)).text,
      dsm__page_reserve(page, plan->system), text[0] == '\0' ? "" : ": ", text);
}

/* What a calibrated system's errors make of the time: "40.1 to 49.3 ms by the spread of 9
 * measurements"; "" of other systems. */
static const char *spread_line(dsm__page *page, const dsm_plan *plan) {
  const dsm_assumptions *const model = &plan->system->model;
  const double milliseconds = 1e3 * plan->result.step_seconds;
  return model->spread_count == 0
             ? ""
             : dsm__page_text(page, "%s to %s ms by the spread of %s measurement%s",
                              dsm__figure_digits(milliseconds * model->spread_low, 3).text,
                              dsm__figure_digits(milliseconds * model->spread_high, 3).text,
                              dsm__figure_count(model->spread_count).text,
                              dsm__plural((double)model->spread_count));
}

/* With model.overlapped_reduction: beside the step. */
static double hidden_cycles_of(const dsm_plan *plan) {
  double cycles = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_pass_plan *const update = &plan->layers[i].passes[DSM_PASS_UPDATE];
    cycles += update->exists ? update->hidden_cycles : 0;
  }
  return cycles;
}

/* How long sums of gradients take that hide; "" if none does. */
static const char *hidden_line(dsm__page *page, const dsm_plan *plan) {
  const double cycles = hidden_cycles_of(plan);
  return !(cycles > 0)
             ? ""
             : dsm__page_text(
                   page,
                   "%s ms of summing gradients and sending weights back, behind backward and "
                   "update",
                   dsm__figure_digits(cycles / plan->system->core.frequency_GHz / 1e6, 3).text);
}

/* "12.3 GB/s wanted, 4.1 GB/s delivered": what reading makes of the step. */
const char *dsm__plan_storage_line(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_storage *const storage = &plan->result.storage;
  const dsm_storage_state *const state = &storage->state;
  if (!(storage->job.demand_bytes_per_second > 0)) {
    return "";
  }
  const char *const wanted = dsm__page_text(
      page, "%s wanted, %s delivered: %s of %s samples/s%s",
      dsm__figure_scaled(storage->job.demand_bytes_per_second, "B/s").text,
      dsm__figure_scaled(state->delivered_bytes_per_second, "B/s").text,
      dsm__figure_digits(plan->result.samples_per_second, 4).text,
      dsm__figure_digits(storage->job.samples_per_second, 4).text,
      state->waiting_share > 0 ? dsm__page_text(page, ", %s", dsm__waiting_text(page, state)) : "");
  if (state->mini_epochs == 1) {
    return dsm__page_text(page, "%s; all of it is in fast storage", wanted);
  }
  const bool is_once = plan->options.mode == DSM_MODE_INFERENCE;
  return dsm__page_text(page, "%s; %s mini-epochs of %s, each %s: %s from the capacity tier%s%s",
                        wanted, dsm__figure_count(state->mini_epochs).text,
                        dsm__figure_scaled(state->mini_epoch_bytes, "B").text,
                        is_once ? "read once" : dsm__times_text(page, state->repeat),
                        dsm__figure_scaled(state->capacity_bytes_per_second, "B/s").text,
                        is_once ? "" : "; ",
                        is_once ? "" : dsm__enough_text(page, &storage->job, state));
}

/* "4.1 ms = 8,200 cycles at 2 GHz"; of a step that waits both of its parts. */
static const char *time_line(dsm__page *page, const dsm_plan *plan, const char *spread) {
  const dsm_plan_result *const result = &plan->result;
  const double waiting = result->storage.waiting_seconds;
  const char *const cycles =
      dsm__page_text(page, "%s cycle%s at %s GHz", dsm__figure_fixed(result->step_cycles, 0).text,
                     dsm__plural(round(result->step_cycles)),
                     dsm__figure_short(plan->system->core.frequency_GHz, 4).text);
  const char *const step = dsm__figure_digits(1e3 * result->step_seconds, 5).text;
  if (!(waiting > 0)) {
    return dsm__page_text(page, "%s ms%s = %s", step, spread, cycles);
  }
  return dsm__page_text(page, "%s ms%s = %s ms computing (%s) + %s ms waiting for data", step,
                        spread, dsm__figure_digits(1e3 * dsm_plan_computing_seconds(plan), 5).text,
                        cycles, dsm__figure_digits(1e3 * waiting, 5).text);
}

/* The time in brackets, with a space before it; "" without it. */
static const char *spread_text(dsm__page *page, const dsm_plan *plan) {
  const char *const line = spread_line(page, plan);
  return line[0] == '\0' ? "" : dsm__page_text(page, " (%s)", line);
}

/* In a page the spread has a line of its own. */
static const dsm__plan_line lines[] = {
    {NULL, "Measured", spread_line},
    {"bound by", "Bound by", resources_line},
    {"hidden", "Hidden", hidden_line},
    {"lower bound", "Lower bound", bound_line},
    {"objective", "Objective", objective_line},
    {"data set", "Data set", dsm__plan_storage_line},
    {"chip memory", "Memory of a chip", memory_line},
    {"energy", "Energy", energy_line},
    {"cost", "Cost", dollars_line},
};

void dsm__plan_lines(dsm__page *page, const dsm_plan *plan, bool is_titled,
                     dsm__labelled_line *put) {
  dsm__plan_lines_put(page, plan, is_titled, lines, DSM__COUNT_OF(lines), put);
  dsm__plan_decision_lines(page, plan, is_titled, put);
}

static void put_line(dsm__page *page, const char *label, const char *text) {
  dsm__page_labelled(page, LABEL_WIDTH, label, "%s", text);
}

static void put_lines(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_result *const result = &plan->result;
  put_line(page, plan->options.mode == DSM_MODE_INFERENCE ? "latency" : "step time",
           time_line(page, plan, spread_text(page, plan)));
  dsm__page_labelled(page, LABEL_WIDTH, "throughput", "%s samples/s",
                     dsm__figure_digits(result->samples_per_second, 4).text);
  dsm__page_labelled(page, LABEL_WIDTH, "utilization", "%s %%%s",
                     dsm__figure_fixed(100 * result->utilization, 2).text,
                     result->storage.waiting_seconds > 0 ? " while computing" : "");
  dsm__plan_lines(page, plan, false, put_line);
}

/* ---- where the step goes ---- */

static const dsm__table_column breakdown_columns[] = {
    {.title = "the step goes to"},
    {.title = "%", .gap = 2, .is_right = true},
    {.title = "", .gap = 2, .rank = 1},
};

static void add_part(dsm__table *table, dsm__text_style style, const char *name, double share,
                     size_t bar_width) {
  static const char marks[BAR_WIDTH + 1] = "##################################################";
  size_t length = (size_t)lround(fmin(fmax(share, 0), 1) * (double)bar_width);
  if (length > BAR_WIDTH) {
    length = BAR_WIDTH;
  }
  DSM__TABLE_TEXTS(table, name, dsm__figure_percent(share).text);
  dsm__table_add(table, style, marks + BAR_WIDTH - length);
}

static void put_breakdown(dsm__page *page, const dsm_plan *plan) {
  static const size_t beside_bar = 26; /* what the names and percentages take */
  const size_t room = page->style.width > beside_bar ? page->style.width - beside_bar : 0;
  const size_t bar = room < BAR_WIDTH ? room : BAR_WIDTH;
  const dsm__loss loss = dsm__loss_of_plan(plan);
  dsm__table table = DSM__TABLE(page, breakdown_columns);
  const double useful = dsm__share(loss.busy, loss.total);
  add_part(&table, dsm__style_of_utilization(useful), "useful work", useful, bar);
  add_part(&table, DSM__STYLE_PLAIN, "array underuse", dsm__share(loss.array, loss.total), bar);
  add_part(&table, DSM__STYLE_PLAIN, "visible transfer", dsm__share(loss.transfer, loss.total),
           bar);
  add_part(&table, DSM__STYLE_PLAIN, "auxiliary", dsm__share(loss.auxiliary, loss.total), bar);
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_VISIBLE_END; g++) {
    if (loss.groups[g] > 0) {
      add_part(&table, DSM__STYLE_PLAIN, dsm_group_name((dsm_group)g),
               dsm__share(loss.groups[g], loss.total), bar);
    }
  }
  if (loss.waiting > 0) {
    add_part(&table, DSM__STYLE_PLAIN, "waiting for data", dsm__share(loss.waiting, loss.total),
             bar);
  }
  dsm__table_print(&table);
}

void dsm__plan_totals(dsm__page *page, const dsm_plan *plan) {
  put_lines(page, plan);
  dsm__page_break(page);
  put_breakdown(page, plan);
  dsm__plan_bottlenecks(page, plan);
}
