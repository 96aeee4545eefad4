/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_companion.c: the row of the companion, with what tables of values, cores in memory and their
 * plans hold, for `describe` and `list`. */
#include "pim/kernel.h"
#include "pim/pim_record.h"
#include "report/data/describe_record.h"
#include "report/data/list.h"
#include "report/parameter_list.h"
#include "sweep/point_record.h"

/* ---- what they hold, in documents ---- */

/* Figures of an item: of a table of values the first, of cores in memory the others. */
enum { UPDATES = 0, TABLE_BYTES, PEAK, BANDWIDTH, MEMORY, FIGURES };

static void write_rl(dsm__json_writer *writer, const void *item) {
  dsm__record_write(writer, &dsm__rl_workload_record,
                    ((const dsm__item_row *)item)->of.rl_workload);
}

static void write_pim(dsm__json_writer *writer, const void *item) {
  dsm__record_write(writer, &dsm__pim_system_record, ((const dsm__item_row *)item)->of.pim_system);
}

DSM__OWN_RECORD(rl_record, dsm__item_row, false, "A table of values.",
                DSM__REAL(dsm__item_row, figures[UPDATES], "updates", 0, NULL,
                          "Of the training: transitions of all episodes."),
                DSM__REAL(dsm__item_row, figures[TABLE_BYTES], "table_bytes", 0, "bytes",
                          "Of one table."),
                DSM__OWN("rl_workload", 0, write_rl, JSON,
                         .help = "dsm-rl-workload/1, every value written out."));

DSM__OWN_RECORD(pim_record, dsm__item_row, false, "Cores in memory.",
                DSM__REAL(dsm__item_row, figures[PEAK], "peak_operations", DSM__MORE, "1/s",
                          "An instruction a cycle of each core."),
                DSM__REAL(dsm__item_row, figures[BANDWIDTH], "memory_bandwidth", DSM__MORE,
                          "bytes/s", "Of the memories of all cores."),
                DSM__REAL(dsm__item_row, figures[MEMORY], "pim_memory_bytes", 0, "bytes",
                          "Of all cores."),
                DSM__OWN("pim_system", 0, write_pim, JSON,
                         .help = "dsm-pim-system/1, every value written out."));

DSM__OWN_RECORD(pim_plan_record, dsm__item_row, false, "A plan of cores in memory.",
                DSM__FIELD(POINTER, dsm__item_row, own, "pim_result", 0,
                           .type = &dsm__pim_cost_record,
                           .help = "The plan's choice, and what the training takes with it."));

static const dsm__added_part parts[] = {
    {&dsm__point_record, DSM__PART(dsm_point_result, pim, dsm__point_pim_record)},
    {&dsm__item_record,
     DSM__PART_IF(dsm__item_row, of, pim_plan_record, DSM__IF(dsm__item_row, of.pim))},
    {&dsm__item_record,
     DSM__PART_IF(dsm__item_row, of, rl_record, DSM__IF(dsm__item_row, of.rl_workload))},
    {&dsm__item_record,
     DSM__PART_IF(dsm__item_row, of, pim_record, DSM__IF(dsm__item_row, of.pim_system))}};

/* ---- for people ---- */

DSM__OWN_RECORD(
    shown_record, dsm__item_row, false, "A description with what is said of it to people.",
    {.kind = DSM__FIELD_PART, .type = &dsm__item_record},
    DSM__FIELD(POINTER, dsm__item_row, of.rl_workload, "rl", 0, .type = &dsm__rl_workload_record),
    DSM__FIELD(POINTER, dsm__item_row, of.pim_system, "pim", 0, .type = &dsm__pim_system_record),
    DSM__SAID(TEXT, dsm__item_row, heading));

static const dsm__fact plan_facts[] = {DSM__FACT(NULL, "{heading}")};
static const dsm__fact rl_facts[] = {
    DSM__FACT(NULL, "{rl.algorithm:text} of {rl.states} x {rl.actions} {rl.element_type}, "
                    "{table_bytes}: {rl.transitions} transitions{rl.agents? of each of {rl.agents} "
                    "agent{rl.agents;s}|}, {rl.sampling} sampling, {rl.episodes} "
                    "episodes{rl.agents?|, tables averaged every {rl.synchronization_period}}"),
    {.text = "{rl.source?source: {rl.source}|}", .is_faint = true}};
static const dsm__fact pim_facts[] = {
    DSM__FACT(NULL, "{pim.cores} core{pim.cores;s} at {pim.frequency_MHz:~6} MHz, peak "
                    "{peak_operations:op/s}, {pim_memory_bytes} of memory at {memory_bandwidth}; "
                    "{pim.power_W:~6} W"),
    {.text = "{pim.source?source: {pim.source}|}", .is_faint = true}};

static const dsm__section sections[] = {
    {DSM__FACTS(plan_facts), .when = {DSM__IF(dsm__item_row, of.pim)}},
    {DSM__FACTS(rl_facts), .when = {DSM__IF(dsm__item_row, of.rl_workload)}},
    {DSM__FACTS(pim_facts), .when = {DSM__IF(dsm__item_row, of.pim_system)}, .is_joined = true}};

static const dsm__layout layout = {.type = &shown_record,
                                   .heading = "{file}: {kind} {name}",
                                   .is_dense = true,
                                   DSM__SECTIONS(sections)};

/* ---- its figures ---- */

static double agents_of(const dsm_rl_workload *workload) {
  return workload->agents > 0 ? (double)workload->agents : 1;
}

static double memory_of(const dsm_pim_system *system) {
  return (double)system->cores * dsm__pim_core_memory_bytes(system);
}

static void fill_rl(double *figures, const dsm_rl_workload *workload) {
  figures[UPDATES] =
      agents_of(workload) * (double)workload->transitions * (double)workload->episodes;
  figures[TABLE_BYTES] = dsm_pim_table_bytes(workload);
}

static void fill_pim(double *figures, const dsm_pim_system *system) {
  figures[PEAK] = (double)system->cores * dsm__pim_hertz(system);
  figures[BANDWIDTH] = figures[PEAK] / system->mram.cycles_per_byte;
  figures[MEMORY] = memory_of(system);
}

/* Figures from `first` to before `end` are rows of the CSV. */
static void list_figures(dsm__page *page, dsm__item_row *row, size_t first, size_t end) {
  static const char *const names[FIGURES][2] = {[UPDATES] = {"updates", "updates"},
                                                [TABLE_BYTES] = {"table_bytes", "bytes"},
                                                [PEAK] = {"peak_operations", "1/s"},
                                                [BANDWIDTH] = {"memory_bandwidth", "bytes/s"},
                                                [MEMORY] = {"pim_memory_bytes", "bytes"}};
  row->parameters = dsm__rows_make(page, end - first, sizeof(dsm__listed_parameter));
  dsm__listed_parameter *const rows = row->parameters.items;
  for (size_t i = 0; i < row->parameters.count; i++) {
    rows[i] = (dsm__listed_parameter){.path = names[first + i][0],
                                      .value = {DSM__VALUE_NUMBER, row->figures[first + i], NULL},
                                      .unit = names[first + i][1]};
  }
}

static void describe(dsm__page *page, dsm__item_row *row) {
  const dsm_pim_plan *const plan = row->of.pim;
  if (plan != NULL) {
    row->of.rl_workload = plan->workload;
    row->of.pim_system = plan->system;
    row->own = &plan->cost;
    row->heading = dsm__answer_heading(page, DSM_ANSWER(pim, plan));
  }
  if (row->of.rl_workload != NULL) {
    fill_rl(row->figures, row->of.rl_workload);
  }
  if (row->of.pim_system != NULL) {
    fill_pim(row->figures, row->of.pim_system);
  }
  if (row->of.rl_workload != NULL || row->of.pim_system != NULL) {
    row->layout = &layout;
    list_figures(page, row, row->of.rl_workload != NULL ? UPDATES : PEAK,
                 row->of.pim_system != NULL ? FIGURES : PEAK);
  }
}

static void list(dsm__value *sizes, const dsm_described *what) {
  const dsm_rl_workload *const workload = what->rl_workload;
  if (workload != NULL) {
    const double agents = agents_of(workload);
    dsm__put_size(sizes, DSM__LIST_TRANSITIONS, agents * (double)workload->transitions);
    dsm__put_size(sizes, DSM__LIST_TABLE, agents * dsm_pim_table_bytes(workload));
  }
  if (what->pim_system != NULL) {
    dsm__put_size(sizes, DSM__LIST_CORES, (double)what->pim_system->cores);
    dsm__put_size(sizes, DSM__LIST_MEMORY, memory_of(what->pim_system));
  }
}

/* ---- for the tables of formats ---- */

static const dsm__input_format inputs[] = {
    {.name = "dsm-rl-workload/1", .record = &dsm__rl_workload_record},
    {.name = "dsm-pim-system/1", .record = &dsm__pim_system_record}};

static const dsm__limit limits[] = {DSM__LIMIT(DSM_PIM_TASKLETS_MAX)};

static const dsm__words *const words[] = {&dsm__rl_algorithm_words,  &dsm__rl_element_words,
                                          &dsm__rl_constants_words,  &dsm__rl_sampling_words,
                                          &dsm__pim_operation_words, &dsm__pim_transfers_words,
                                          &dsm__pim_bound_words,     &dsm__pim_objective_words};

const dsm__companion dsm__companion_pim = {
    .kinds = {&dsm_answer_pim},
    .formats = {&dsm__pim_plan_record},
    .descriptions = {&dsm__rl_workload_description, &dsm__pim_system_description},
    .describe = describe,
    .list = list,
    .parts = parts,
    .part_count = DSM__COUNT_OF(parts),
    .machine = &dsm__pim_machine,
    DSM__INPUTS(inputs),
    DSM__LIMITS(limits),
    DSM__WORD_LISTS(words)};
