/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain_data.c: the alternatives of a layer, for programs (format "dsm-explain/1", and CSV). */
#include "base/json_write.h"
#include "plan/cost_json.h"
#include "report/data/cells.h"
#include "report/explain_view.h"
#include "report/loss.h"
#include "report/table/text_page.h"

/* ---- JSON ---- */

/* What the network takes; nothing if no mapping has it, or that was not asked. */
static void write_network(dsm__json_writer *writer, double step, double network_cycles) {
  if (network_cycles > 0) {
    dsm__json_put_double(writer, "network_cycles", network_cycles);
    dsm__json_put_double(writer, "network_ratio", dsm__share(network_cycles, step));
    dsm__json_put_double(writer, "network_difference", network_cycles - step);
  }
}

static void write_alternative(dsm__json_writer *writer, double step,
                              const dsm_alternative *alternative, double chosen_cycles) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "parallelism", dsm_parallelism_name(alternative->parallelism));
  dsm__loops_put(writer, "core_split", &alternative->split);
  dsm__json_put_bool(writer, "is_chosen", alternative->is_chosen);
  dsm__json_put_bool(writer, "is_best_of_parallelism", alternative->is_best_of_parallelism);
  dsm__cycles_put(writer, &alternative->cycles);
  dsm__groups_put(writer, alternative->group_cycles);
  dsm__json_put_double(writer, "time_ratio", dsm__share(alternative->cycles.total, chosen_cycles));
  dsm__resources_put(writer, &alternative->resources);
  write_network(writer, step, alternative->network_cycles);
  dsm__json_end_object(writer);
}

static void write_pass(dsm__json_writer *writer, dsm__page *page, const dsm_plan *plan,
                       const dsm_explanation *explanation, dsm_pass pass) {
  const dsm_alternative *const chosen = dsm__explain_chosen(explanation, pass);
  if (chosen == NULL) {
    return;
  }
  dsm__json_put_object(writer, dsm_pass_name(pass), false);
  dsm__json_put_string(writer, "why", dsm__explain_pass_why(page, plan, explanation, pass));
  dsm__json_put_array(writer, "alternatives", false);
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    if (explanation->alternatives[i].pass == pass) {
      write_alternative(writer, explanation->reference_cycles, &explanation->alternatives[i],
                        chosen->cycles.total);
    }
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

static void write_names(dsm__json_writer *writer, const char *key, const dsm_plan *plan,
                        const size_t *layers, size_t count) {
  dsm__json_put_array(writer, key, true);
  for (size_t i = 0; i < count; i++) {
    dsm__json_write_string(writer, plan->layers[layers[i]].layer->name);
  }
  dsm__json_end_array(writer);
}

static void write_what_if(dsm__json_writer *writer, const dsm_plan *plan, double step,
                          const dsm_what_if *what_if) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "decision", dsm_decision_name(what_if->decision));
  dsm__json_put_u64(writer, "value", what_if->value);
  dsm__json_put_bool(writer, "is_chosen", what_if->is_chosen);
  write_network(writer, step, what_if->network_cycles);
  if (what_if->network_cycles > 0) {
    write_names(writer, "also_held", plan, what_if->also_held, what_if->also_held_count);
    write_names(writer, "not_held", plan, what_if->not_held, what_if->not_held_count);
  } else if (what_if->why_not != NULL) {
    dsm__json_put_string(writer, "why_not", what_if->why_not);
  }
  dsm__json_end_object(writer);
}

static void write_layer(dsm__json_writer *writer, dsm__page *page, const dsm_plan *plan,
                        const dsm_explanation *explanation) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "name", plan->layers[explanation->layer_index].layer->name);
  dsm__json_put_string(writer, "why", dsm__explain_layer_why(page, plan, explanation));
  dsm__json_put_object(writer, "passes", false);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    write_pass(writer, page, plan, explanation, (dsm_pass)p);
  }
  dsm__json_end_object(writer);
  dsm__json_put_double(writer, "reference_cycles", explanation->reference_cycles);
  dsm__json_put_array(writer, "what_ifs", false);
  for (size_t i = 0; i < explanation->what_if_count; i++) {
    write_what_if(writer, plan, explanation->reference_cycles, &explanation->what_ifs[i]);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

char *dsm_report_explanation_json(const dsm_plan *plan, const dsm_explanation *const *explanations,
                                  size_t count) {
  dsm__page page;
  if (!dsm__page_init(&page, (dsm_table_style){.width = 0})) {
    return NULL;
  }
  dsm__json_writer writer = {.out = &page.out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-explain/1");
  dsm__json_put_string(&writer, "workload", plan->workload->name);
  dsm__json_put_string(&writer, "system", plan->system->name);
  dsm__json_put_string(&writer, "mode", dsm_mode_name(plan->options.mode));
  dsm__json_put_u64(&writer, "minibatch", plan->workload->minibatch);
  dsm__json_put_double(&writer, "step_cycles", plan->result.step_cycles);
  dsm__json_put_array(&writer, "layers", false);
  for (size_t i = 0; i < count; i++) {
    write_layer(&writer, &page, plan, explanations[i]);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__page_finish(&page);
}

/* ---- CSV: rows of alternatives, then rows of other decisions ---- */

/* Columns that only the rows of alternatives have, between the layer and is_chosen. */
#define ALTERNATIVE_FIELDS (2 + DSM_DIM_COUNT)
/* Those between is_chosen and network_cycles. */
#define TIME_FIELDS 9
/* Those of other decisions, at the end. */
#define WHAT_IF_FIELDS 5

static const char name_separator[] = ";";

static void put_titles(dsm__cells *csv) {
  static const char *const head[] = {"layer", "pass", "parallelism"};
  static const char *const tail[] = {
      "is_chosen",
      "is_best_of_parallelism",
      "cycles.primary",
      "cycles.overlapped",
      "cycles.overlapped_visible",
      "cycles.auxiliary",
      "cycles.non_overlapped",
      "cycles.total",
      "time_ratio",
      "bound",
      "network_cycles",
      "network_ratio",
      "network_difference",
      "decision",
      "value",
      "also_held",
      "not_held",
      "why_not",
  };
  dsm__cells_texts(csv, head, DSM__COUNT_OF(head));
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    dsm__cells_dotted(csv, "core_split", dsm_dim_name((dsm_dim)d));
  }
  dsm__cells_texts(csv, tail, DSM__COUNT_OF(tail));
  dsm__cells_end_row(csv);
}

/* The same; empty if no mapping has it, or that was not asked. */
static void put_network_fields(dsm__cells *csv, double step, double network_cycles) {
  if (network_cycles > 0) {
    dsm__cells_double(csv, network_cycles);
    dsm__cells_double(csv, dsm__share(network_cycles, step));
    dsm__cells_double(csv, network_cycles - step);
  } else {
    dsm__cells_empty(csv, 3);
  }
}

static void put_alternative(dsm__cells *csv, double step, const char *layer,
                            const dsm_alternative *alternative, double chosen_cycles) {
  const dsm_cycles *const cycles = &alternative->cycles;
  dsm__cells_text(csv, layer);
  dsm__cells_text(csv, dsm_pass_name(alternative->pass));
  dsm__cells_text(csv, dsm_parallelism_name(alternative->parallelism));
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    dsm__cells_u64(csv, alternative->split.n[d]);
  }
  dsm__cells_bool(csv, alternative->is_chosen);
  dsm__cells_bool(csv, alternative->is_best_of_parallelism);
  dsm__cells_double(csv, cycles->primary);
  dsm__cells_double(csv, cycles->overlapped);
  dsm__cells_double(csv, cycles->overlapped_visible);
  dsm__cells_double(csv, cycles->auxiliary);
  dsm__cells_double(csv, cycles->non_overlapped);
  dsm__cells_double(csv, cycles->total);
  dsm__cells_double(csv, dsm__share(cycles->total, chosen_cycles));
  dsm__cells_text(csv, dsm_bound_name(alternative->bound));
  put_network_fields(csv, step, alternative->network_cycles);
  dsm__cells_empty(csv, WHAT_IF_FIELDS);
  dsm__cells_end_row(csv);
}

static void put_what_if(dsm__cells *csv, dsm__page *page, const dsm_plan *plan, double step,
                        const char *layer, const dsm_what_if *what_if) {
  dsm__cells_text(csv, layer);
  dsm__cells_empty(csv, ALTERNATIVE_FIELDS);
  dsm__cells_bool(csv, what_if->is_chosen);
  dsm__cells_empty(csv, TIME_FIELDS);
  put_network_fields(csv, step, what_if->network_cycles);
  dsm__cells_text(csv, dsm_decision_name(what_if->decision));
  dsm__cells_u64(csv, what_if->value);
  dsm__cells_text(csv, dsm__layer_names(page, plan, what_if->also_held, what_if->also_held_count,
                                        name_separator, 0));
  dsm__cells_text(csv, dsm__layer_names(page, plan, what_if->not_held, what_if->not_held_count,
                                        name_separator, 0));
  dsm__cells_text(csv, what_if->why_not);
  dsm__cells_end_row(csv);
}

static void put_layer(dsm__cells *csv, dsm__page *page, const dsm_plan *plan,
                      const dsm_explanation *explanation) {
  const char *const layer = plan->layers[explanation->layer_index].layer->name;
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const alternative = &explanation->alternatives[i];
    const dsm_alternative *const chosen = dsm__explain_chosen(explanation, alternative->pass);
    put_alternative(csv, explanation->reference_cycles, layer, alternative,
                    chosen == NULL ? 0 : chosen->cycles.total);
  }
  for (size_t i = 0; i < explanation->what_if_count; i++) {
    put_what_if(csv, page, plan, explanation->reference_cycles, layer, &explanation->what_ifs[i]);
  }
}

char *dsm_report_explanation_csv(const dsm_plan *plan, const dsm_explanation *const *explanations,
                                 size_t count) {
  dsm__page page;
  if (!dsm__page_init(&page, (dsm_table_style){.width = 0})) {
    return NULL;
  }
  dsm__cells csv = {.out = &page.out};
  put_titles(&csv);
  for (size_t e = 0; e < count; e++) {
    put_layer(&csv, &page, plan, explanations[e]);
  }
  return dsm__page_finish(&page);
}
