/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_check.c: what holds of every workload, system and plan, however strange. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "base/json_write.h"
#include "fuzz.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

static const dsm_table_style style = {.width = 100, .color = false};

/* ---- printing ---- */

static char *finish(dsm__json_writer *writer) {
  dsm__json_finish(writer);
  FUZZ_CHECK(!writer->out->failed);
  return writer->out->text;
}

char *fuzz_print_workload(const dsm_workload *workload) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__workload_write(workload, &writer);
  return finish(&writer);
}

char *fuzz_print_system(const dsm_system *system) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__system_write(system, &writer);
  return finish(&writer);
}

/* ---- workloads ---- */

static bool is_last_use(size_t last_use, size_t index, size_t layer_count) {
  return last_use == DSM_NEVER_USED || (last_use > index && last_use < layer_count);
}

static bool are_earlier(const size_t *indexes, size_t count, size_t index) {
  for (size_t i = 0; i < count; i++) {
    if (indexes[i] >= index && indexes[i] != DSM_NETWORK_INPUT) {
      return false;
    }
  }
  return true;
}

static void check_elements(const dsm_layer *layer) {
  const uint64_t counts[] = {layer->input_elements,
                             layer->output_elements,
                             layer->stored_elements,
                             layer->state_elements,
                             layer->operand_elements,
                             layer->weight_elements,
                             layer->macs};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    FUZZ_CHECK(counts[i] <= DSM_PRODUCT_MAX);
  }
  FUZZ_CHECK(layer->in > 0 && layer->out > 0 && layer->ij > 0 && layer->kij > 0);
  FUZZ_CHECK(layer->groups > 0 && layer->in % layer->groups == 0 &&
             layer->out % layer->groups == 0);
  FUZZ_CHECK(layer->timesteps > 0 && layer->timesteps <= DSM_SIDE_MAX);
  FUZZ_CHECK((layer->macs > 0 || layer->lookup_elements > 0) && layer->stored_elements > 0 &&
             layer->input_elements > 0);
  FUZZ_CHECK(layer->is_tied || layer->parameters >= layer->weight_elements);
}

static void check_layer(const dsm_workload *workload, size_t index) {
  const dsm_layer *const layer = &workload->layers[index];
  check_elements(layer);
  FUZZ_CHECK(layer->name != NULL && layer->name[0] != '\0');
  enum { SEARCHED = 1000 }; /* each among all others: of thousands that takes minutes */
  FUZZ_CHECK(index >= SEARCHED || dsm_workload_find_layer(workload, layer->name) <= index);
  FUZZ_CHECK(layer->spec_index < workload->spec_count);
  FUZZ_CHECK(layer->producer_count > 0);
  FUZZ_CHECK(are_earlier(layer->producers, layer->producer_count, index));
  FUZZ_CHECK(are_earlier(layer->shortcuts, layer->shortcut_count, index));
  FUZZ_CHECK(are_earlier(layer->operands, layer->operand_count, index));
  FUZZ_CHECK(is_last_use(layer->last_use, index, workload->layer_count));
  FUZZ_CHECK(is_last_use(layer->last_operand_use, index, workload->layer_count));
  FUZZ_CHECK(layer->has_update == (!layer->is_product));
  FUZZ_CHECK(layer->live_elements >= layer->stored_elements);
  FUZZ_CHECK(!layer->has_backward || layer->error_pair_elements >= layer->stored_elements);
}

/* Every declared layer is somewhere: in a layer of its own, or in one with others. */
static void check_parts(const dsm_workload *workload) {
  size_t count = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    uint64_t macs = 0;
    for (size_t p = 0; p < layer->part_count; p++) {
      FUZZ_CHECK(layer->parts[p].spec_index < workload->spec_count);
      FUZZ_CHECK(layer->parts[p].part_count == 0);
      macs += layer->parts[p].macs;
    }
    FUZZ_CHECK(layer->part_count == 0 || (layer->part_count > 1 && macs == layer->macs));
    count += layer->part_count == 0 ? 1 : layer->part_count;
  }
  FUZZ_CHECK(count >= workload->spec_count);
}

static void check_totals(const dsm_workload *workload) {
  uint64_t weights = 0;
  uint64_t parameters = 0;
  uint64_t macs = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    weights += workload->layers[i].is_tied ? 0 : workload->layers[i].weight_elements;
    parameters += workload->layers[i].parameters;
    macs += workload->layers[i].macs * workload->layers[i].timesteps;
  }
  FUZZ_CHECK(workload->weights == weights && workload->parameters == parameters);
  FUZZ_CHECK(workload->forward_macs == macs);
  FUZZ_CHECK(isfinite(workload->activation_bytes) && workload->activation_bytes > 0);
}

void fuzz_check_workload(const dsm_workload *workload) {
  FUZZ_CHECK(workload->spec_count > 0);
  FUZZ_CHECK(workload->minibatch > 0);
  for (size_t i = 0; i < workload->layer_count; i++) {
    check_layer(workload, i);
  }
  check_parts(workload);
  check_totals(workload);
  char *const printed = fuzz_print_workload(workload);
  dsm_workload *again = NULL;
  FUZZ_CHECK(dsm_workload_parse(&again, printed, strlen(printed), "again", NULL, 0, NULL) ==
             DSM_OK);
  char *const printed_again = fuzz_print_workload(again);
  FUZZ_CHECK(strcmp(printed, printed_again) == 0);
  FUZZ_CHECK(again->layer_count == workload->layer_count);
  FUZZ_CHECK(again->forward_macs == workload->forward_macs);
  FUZZ_CHECK(again->input_elements == workload->input_elements);
  free(printed_again);
  free(printed);
  dsm_workload_free(again);
  const dsm_described item = {.file = "a file", .workload = workload};
  fuzz_check_table(as_table(DSM_ANSWERS(description, &item, 1), style));
  fuzz_check_text(as_json(DSM_ANSWERS(description, &item, 1)));
  fuzz_check_text(as_csv(DSM_ANSWERS(description, &item, 1)));
}

/* ---- systems ---- */

static dsm_system *read_system_again(const char *printed) {
  dsm_system *again = NULL;
  FUZZ_CHECK(dsm_system_parse(&again, printed, strlen(printed), "again", NULL, 0, NULL) == DSM_OK);
  return again;
}

void fuzz_check_system(const dsm_system *system) {
  const double peak_flops = dsm_system_peak_flops(system);
  const double balance = dsm_system_machine_balance(system);
  FUZZ_CHECK(isfinite(peak_flops) && peak_flops > 0);
  FUZZ_CHECK(isfinite(balance) && balance > 0);
  FUZZ_CHECK(system->chip.cores <= DSM_CORES_MAX);
  FUZZ_CHECK(dsm_system_chips(system) <= DSM_CHIPS_MAX);
  FUZZ_CHECK(system->system.axis_count >= 1 && system->system.axis_count <= DSM_AXES_MAX);
  for (size_t i = 0; i < system->note_count; i++) {
    FUZZ_CHECK(dsm_system_note(system, system->note_paths[i]) == system->note_texts[i]);
  }
  const dsm_machine machine = dsm_machine_derive(system);
  for (int link = 0; link < DSM_LINK_COUNT; link++) {
    const bool is_of_axis = link < DSM_LINK_MEMORY;
    const bool is_of_cores = link == DSM_LINK_RING || link == DSM_LINK_CORES;
    const bool is_missing =
        (is_of_axis && link - DSM_LINK_AXIS >= (int)system->system.axis_count) ||
        (is_of_cores && link != (int)machine.core_links.link) ||
        (link == DSM_LINK_SHARED && !machine.has_shared_memory);
    FUZZ_CHECK(isfinite(machine.link_bytes_per_cycle[link]) != is_missing &&
               machine.link_bytes_per_cycle[link] > 0);
  }
  /* What is printed states all, so that read back each default is given: then nothing changes. */
  char *const printed = fuzz_print_system(system);
  dsm_system *const given = read_system_again(printed);
  char *const printed_given = fuzz_print_system(given);
  dsm_system *const again = read_system_again(printed_given);
  char *const printed_again = fuzz_print_system(again);
  const char *const notes = strstr(printed, "\"notes\"");
  const size_t before = notes == NULL ? 0 : (size_t)(notes - printed);
  FUZZ_CHECK(strncmp(printed, printed_given, before) == 0);
  FUZZ_CHECK(strcmp(printed_given, printed_again) == 0);
  free(printed_again);
  free(printed_given);
  free(printed);
  dsm_system_free(given);
  dsm_system_free(again);
  const dsm_described item = {.file = "a file", .system = system};
  fuzz_check_table(as_table(DSM_ANSWERS(description, &item, 1), style));
  fuzz_check_text(as_json(DSM_ANSWERS(description, &item, 1)));
  fuzz_check_text(as_csv(DSM_ANSWERS(description, &item, 1)));
}

/* ---- plans ---- */

static bool is_fraction(double utilization) {
  static const double rounding = 1e-9;
  return isfinite(utilization) && utilization > 0 && utilization <= 1 + rounding;
}

static void check_cycles(const dsm_cycles *cycles) {
  const double parts[] = {cycles->primary,   cycles->overlapped,     cycles->overlapped_visible,
                          cycles->auxiliary, cycles->non_overlapped, cycles->total};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    FUZZ_CHECK(isfinite(parts[i]) && parts[i] >= 0);
  }
}

static void check_passes(const dsm_plan *plan) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      if (pass->exists) {
        check_cycles(&pass->cycles);
        FUZZ_CHECK(is_fraction(pass->utilization));
      }
    }
  }
}

static void check_result(const dsm_plan *plan) {
  const dsm_plan_result *const result = &plan->result;
  check_cycles(&result->cycles);
  FUZZ_CHECK(isfinite(result->step_cycles) && result->step_cycles > 0);
  FUZZ_CHECK(isfinite(result->step_seconds) && result->step_seconds > 0);
  FUZZ_CHECK(isfinite(result->samples_per_second) && result->samples_per_second > 0);
  FUZZ_CHECK(result->lower_bound_cycles <= result->step_cycles);
  FUZZ_CHECK(is_fraction(result->utilization));
  FUZZ_CHECK(isfinite(result->memory.total_bytes));
  FUZZ_CHECK(result->memory.total_bytes <= result->memory.capacity_bytes * (1 + 1e-9));
}

static void check_reports(const dsm_plan *plan) {
  const dsm_described item = {.file = "a file", .plan = plan};
  const dsm_ladder_rung rung = {.name = "none",
                                .plan = plan,
                                .system = plan->system->name,
                                .optimizations = plan->options.optimizations};
  fuzz_check_table(as_table(DSM_ANSWER(plan, plan), style));
  fuzz_check_text(as_csv(DSM_ANSWER(plan, plan)));
  fuzz_check_table(as_table(DSM_ANSWERS(description, &item, 1), style));
  fuzz_check_text(as_json(DSM_ANSWERS(description, &item, 1)));
  fuzz_check_table(as_table(DSM_ANSWERS(ladder, &rung, 1), style));
  fuzz_check_text(as_json(DSM_ANSWERS(ladder, &rung, 1)));
}

/* A line for each layer. */
static void check_lines(const dsm_plan *plan, const dsm_named_text *file) {
  size_t line_count = 0;
  for (const char *c = file->text; *c != '\0'; c++) {
    line_count += *c == '\n';
  }
  FUZZ_CHECK(line_count == plan->layer_count + 2);
}

/* The length of a message, before it: 7 bits a byte. */
static size_t take_length(const dsm_named_text *file, size_t *at) {
  size_t length = 0;
  unsigned char byte = 0;
  for (unsigned shift = 0; shift == 0 || (byte & 0x80U) != 0; shift += 7) {
    FUZZ_CHECK(*at < file->length && shift < 28);
    byte = (unsigned char)file->text[(*at)++];
    length |= (size_t)(byte & 0x7fU) << shift;
  }
  return length;
}

/* Messages to the end of the file: what the trace is, and one or two for each pass. */
static void check_messages(const dsm_plan *plan, const dsm_named_text *file) {
  size_t pass_count = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
      pass_count += plan->layers[i].passes[pass].exists;
    }
  }
  size_t message_count = 0;
  for (size_t at = 0; at < file->length; message_count++) {
    const size_t length = take_length(file, &at);
    FUZZ_CHECK(length > 0 && length <= file->length - at);
    at += length;
  }
  FUZZ_CHECK(message_count > pass_count && message_count <= 2 * pass_count + 1);
}

static void check_export(const dsm_plan *plan, dsm_export_target target,
                         void (*check)(const dsm_plan *plan, const dsm_named_text *file)) {
  const uint64_t chips = plan->system->system.axes[0].chips * plan->system->system.axes[1].chips;
  dsm_export *made = NULL;
  const dsm_status status = dsm_export_plan(&made, plan, target, NULL);
  const bool is_possible = chips > 1 && plan->stages.count <= 1;
  FUZZ_CHECK(status == (is_possible ? DSM_OK : DSM_ERROR_INFEASIBLE));
  if (status == DSM_OK) {
    check(plan, &made->files[0]);
  }
  dsm_export_free(made);
}

/* Settings of a framework, where it can run the plan. */
static void check_launch(const dsm_plan *plan, dsm_export_target target) {
  dsm_export *made = NULL;
  const dsm_status status = dsm_export_plan(&made, plan, target, NULL);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  FUZZ_CHECK(status != DSM_OK || (made->file_count == 2 && made->files[0].text[0] != '\0' &&
                                  made->files[1].text[0] != '\0'));
  dsm_export_free(made);
}

/* A timeline, a page, and exports where the system has a network. */
static void check_handed_on(const dsm_plan *plan) {
  fuzz_check_text(as_trace(DSM_ANSWER(plan, plan)));
  fuzz_check_text(as_page(DSM_ANSWER(plan_page, (&(dsm_plan_page){.plan = plan, .best = plan}))));
  check_export(plan, DSM_EXPORT_ASTRA_SIM, check_lines);
  check_export(plan, DSM_EXPORT_CHAKRA, check_messages);
  for (dsm_export_target target = DSM_EXPORT_MEGATRON; target < DSM_EXPORT_VLLM; target++) {
    check_launch(plan, target);
  }
}

void fuzz_check_plan(const dsm_plan *plan) {
  FUZZ_CHECK(dsm_plan_validate(plan, NULL) == DSM_OK);
  FUZZ_CHECK(plan->layer_count == plan->workload->layer_count);
  check_passes(plan);
  check_result(plan);
  check_reports(plan);
  char *const printed = dsm_plan_print(plan);
  dsm_plan *again = NULL;
  double recorded = -1;
  FUZZ_CHECK(printed != NULL);
  FUZZ_CHECK(dsm_plan_parse(&again, printed, strlen(printed), "again", &recorded, NULL) == DSM_OK);
  FUZZ_CHECK(recorded >= plan->result.step_cycles && recorded <= plan->result.step_cycles);
  /* A loaded plan does not know its bound. */
  again->result.lower_bound_cycles = plan->result.lower_bound_cycles;
  char *const printed_again = dsm_plan_print(again);
  FUZZ_CHECK(printed_again != NULL && strcmp(printed, printed_again) == 0);
  free(printed_again);
  free(printed);
  dsm_plan_free(again);
  check_handed_on(plan);
}

/* Each row that a stage can have is tried. */
static bool has_many_stages(const dsm_workload *workload, const dsm_system *system) {
  bool has_lstm = false;
  for (size_t i = 0; i < workload->layer_count; i++) {
    has_lstm = has_lstm || workload->layers[i].gates > 0;
  }
  return has_lstm && system->system.axes[1].chips > 32;
}

bool fuzz_is_small(const dsm_workload *workload, const dsm_system *system) {
  return workload->layer_count <= 12 && system->chip.cores <= 64 &&
         !has_many_stages(workload, system);
}
