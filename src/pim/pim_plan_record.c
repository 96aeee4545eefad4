/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_plan_record.c: the tables of the format "dsm-pim/1". */
#include "dsm/limits.h"
#include "pim/pim_record.h"

enum {
  READ = DSM__FIELD_IS_READ,
  COLUMN = DSM__FIELD_IS_COLUMN,
  DECISION = DSM__FIELD_IS_DECISION | DSM__FIELD_IS_COLUMN | DSM__FIELD_IS_REQUIRED,
  FIGURE = DSM__FIELD_IS_FIGURE | DSM__FIELD_IS_COLUMN | DSM__FIELD_IS_REQUIRED,
  LESS = FIGURE | DSM__FIELD_LESS_IS_BETTER,
  MORE = FIGURE | DSM__FIELD_MORE_IS_BETTER
};

/* clang-format off: a field a row */
DSM__RECORD(dsm__pim_choice_record, dsm_pim_choice, true, "What is decided.",
            DSM__FIELD(COUNT, dsm_pim_choice, cores, "cores", DECISION, .min = 1,
                       .max = DSM_CORES_MAX, .expected = "the number of cores",
                       .help = "That work."),
            DSM__FIELD(COUNT, dsm_pim_choice, tasklets, "tasklets", DECISION, .min = 1,
                       .max = DSM_PIM_TASKLETS_MAX, .expected = "the tasklets of a core",
                       .help = "Of each core."),
            DSM__FIELD(WORD, dsm_pim_choice, transfers, "transfers", DECISION,
                       .words = &dsm__pim_transfers_words, .expected = "\"serial\" or \"parallel\"",
                       .help = "How the host moves what differs from core to core."));

#define COST(member, of_key, of_flags, of_unit, about)                                             \
  DSM__FIELD(REAL, dsm_pim_cost, member, of_key, of_flags, .unit = (of_unit),                      \
             .stated_if = DSM__IF(dsm_pim_cost, is_feasible), .expected = "what was predicted",    \
             .help = (about))

DSM__RECORD(dsm__pim_figures_record, dsm_pim_cost, true,
            "What the seconds of a training are made of, and what else it takes.",
            COST(kernel_seconds, "kernel_seconds", LESS, "seconds", "Cores learn."),
            COST(host_to_cores_seconds, "host_to_cores_seconds", LESS, "seconds",
                 "The data set is handed out."),
            COST(cores_to_host_seconds, "cores_to_host_seconds", LESS, "seconds",
                 "Tables are collected at the end."),
            COST(between_cores_seconds, "between_cores_seconds", LESS, "seconds",
                 "Tables are averaged, through the host."),
            COST(joules, "joules", LESS, "J", "Of the training."),
            COST(updates_per_second, "updates_per_second", MORE, "1/s",
                 "Transitions of all episodes over the seconds."));

DSM__RECORD(dsm__pim_cost_record, dsm_pim_cost, true,
            "What a training takes with a choice; figures are there only where it is feasible.",
            DSM__PART(dsm_pim_cost, choice, dsm__pim_choice_record),
            DSM__FIELD(FLAG, dsm_pim_cost, is_feasible, "feasible", COLUMN,
                       .help = "The memory of a core holds its part of the data set and a table."),
            COST(seconds, "seconds", LESS, "seconds", "Of the training: the sum of the next four."),
            {.kind = DSM__FIELD_PART, .offset = 0, .type = &dsm__pim_figures_record},
            COST(utilization, "utilization", MORE, "ratio",
                 "0 to 1: of the instructions that all cores of the system could do meanwhile."),
            DSM__FIELD(REAL, dsm_pim_cost, core_bytes, "core_bytes", FIGURE, .unit = "bytes",
                       .expected = "what a core holds", .help = "That a core holds."));

#define UPDATE(member, of_unit, about)                                                             \
  DSM__FIELD(REAL, dsm_pim_update, member, #member, 0, .unit = (of_unit), .help = (about))

DSM__OWN_RECORD(dsm__pim_update_record, dsm_pim_update, false,
                "What an update of a table takes on a core.",
                DSM__FIELD(REALS, dsm_pim_update, operations, "operations", 0,
                           .words = &dsm__pim_operation_words, .help = "How many of each."),
                UPDATE(native, "instructions",
                       "Beside them: the loop, loads, stores, addresses, branches."),
                UPDATE(instructions, "instructions", "All of them (Equation 1)."),
                UPDATE(compute_cycles, "cycles", "Until all are dispatched."),
                UPDATE(dma_cycles, "cycles", "Of accesses to the memory."),
                UPDATE(cycles, "cycles", "On average (Equation 2)."),
                UPDATE(bytes, "bytes", "That are moved from and to the memory."));

#define ROOF(member, of_unit, about)                                                               \
  DSM__FIELD(REAL, dsm_pim_roofline, member, #member, 0, .unit = (of_unit), .help = (about))

DSM__OWN_RECORD(
    dsm__pim_roofline_record, dsm_pim_roofline, false, "The cores that work under their roof.",
    ROOF(peak_operations_per_second, "1/s", "An instruction a cycle and core."),
    ROOF(bandwidth_bytes_per_second, "bytes/s", "Of the memories of these cores."),
    ROOF(intensity, "1/byte", "Instructions for each byte that is moved."),
    ROOF(roof_operations_per_second, "1/s", "The lower of the peak and intensity * bandwidth."),
    ROOF(operations_per_second, "1/s", "Of the kernel."),
    DSM__FIELD(WORD, dsm_pim_roofline, bound, "bound", 0, .words = &dsm__pim_bound_words,
               .help = "Which of the two the roof is."));

#define UPDATED(member, of_key, about)                                                             \
  DSM__FIELD(REAL, dsm_pim_cost, update.member, of_key, COLUMN, .unit = "cycles",                  \
             .stated_if = DSM__IF(dsm_pim_cost, is_feasible), .help = (about))

DSM__OWN_RECORD(dsm__pim_tasklet_record, dsm_pim_cost, true,
                "What so many tasklets of each core take.",
                DSM__FIELD(COUNT, dsm_pim_cost, choice.tasklets, "tasklets", COLUMN, .min = 1,
                           .max = DSM_PIM_TASKLETS_MAX, .help = "Of each core."),
                UPDATED(cycles, "cycles", "Of an update, on average."),
                UPDATED(compute_cycles, "compute_cycles", "Until its instructions are dispatched."),
                UPDATED(dma_cycles, "dma_cycles", "Of its accesses to the memory."),
                COST(kernel_seconds, "kernel_seconds", COLUMN, "seconds", "Cores learn."),
                COST(seconds, "seconds", COLUMN, "seconds", "Of the training."));

DSM__RECORD(dsm__pim_options_record, dsm_pim_options, true, "What might be chosen.",
            DSM__FIELD(COUNT_LIST, dsm_pim_options, cores, "cores", READ, .min = 1,
                       .max = DSM_CORES_MAX, .count_offset = offsetof(dsm_pim_options, core_count),
                       .stated_if = DSM__IF(dsm_pim_options, core_count),
                       .help = "Numbers of cores; absent: any."),
            DSM__FIELD(COUNT_LIST, dsm_pim_options, tasklets, "tasklets", READ, .min = 1,
                       .max = DSM_PIM_TASKLETS_MAX,
                       .count_offset = offsetof(dsm_pim_options, tasklet_count),
                       .stated_if = DSM__IF(dsm_pim_options, tasklet_count),
                       .help = "Numbers of tasklets; absent: any."),
            DSM__FIELD(WORD, dsm_pim_options, transfers, "transfers", READ | DSM__FIELD_IS_OPTIONAL,
                       .words = &dsm__pim_transfers_words, .fallback = DSM_PIM_TRANSFERS_COUNT,
                       .help = "Absent: either."),
            DSM__FIELD(WORD, dsm_pim_options, objective, "objective", READ | DSM__FIELD_IS_OPTIONAL,
                       .words = &dsm__pim_objective_words, .fallback = DSM_PIM_LEAST_TIME,
                       .help = "Of which the least is best."));

static bool read_workload(const dsm__record_reader *reader, const dsm__json_node *node,
                          void *plan) {
  (void)reader;
  dsm__rl_workload_description.read(((dsm_pim_plan *)plan)->own_workload, node);
  return true;
}

static bool read_system(const dsm__record_reader *reader, const dsm__json_node *node, void *plan) {
  (void)reader;
  dsm__pim_system_description.read(((dsm_pim_plan *)plan)->own_system, node);
  return true;
}

static void write_workload(dsm__json_writer *writer, const void *plan) {
  dsm__record_write(writer, &dsm__rl_workload_record, ((const dsm_pim_plan *)plan)->workload);
}

static void write_system(dsm__json_writer *writer, const void *plan) {
  dsm__record_write(writer, &dsm__pim_system_record, ((const dsm_pim_plan *)plan)->system);
}

DSM__ANSWER(dsm__pim_plan_record, dsm_pim_plan, "dsm-pim/1",
            "The best choice of cores in memory for a training", "dsm pim",
            DSM__FIELD(TEXT, dsm_pim_plan, dsm_version, "dsm_version",
                       READ | DSM__FIELD_IS_OPTIONAL | DSM__FIELD_IS_ASIDE, .max = 64,
                       .help = "The version of dsm that wrote it."),
            DSM__FIELD(RECORD, dsm_pim_plan, options, "options", READ,
                       .type = &dsm__pim_options_record, .help = "What might be chosen."),
            DSM__FIELD(RECORD, dsm_pim_plan, cost, "result", READ | DSM__FIELD_IS_REQUIRED,
                       .type = &dsm__pim_cost_record, .expected = "the choice and what it takes",
                       .help = "The best choice, and what the training takes with it."),
            DSM__FIELD(RECORD, dsm_pim_plan, cost.update, "update", 0,
                       .type = &dsm__pim_update_record, .help = "An update with the best choice."),
            DSM__FIELD(RECORD, dsm_pim_plan, cost.roofline, "roofline", 0,
                       .type = &dsm__pim_roofline_record, .help = "Of the best choice."),
            DSM__FIELD(COUNT, dsm_pim_plan, fewest_cores, "fewest_cores", 0, .min = 1,
                       .help = "Whose memories hold the data set and their tables."),
            DSM__FIELD(COUNT, dsm_pim_plan, knee_tasklets, "knee_tasklets", 0, .min = 1,
                       .max = DSM_PIM_TASKLETS_MAX,
                       .help = "The fewest within 1 % of the least cycles of an update."),
            DSM__LISTED(dsm_pim_plan, curve, curve_count, "over_cores", 0, dsm__pim_cost_record,
                        "Over cores, with the best of all else, ascending."),
            DSM__LISTED(dsm_pim_plan, tasklet_curve, tasklet_curve_count, "over_tasklets", 0,
                        dsm__pim_tasklet_record,
                        "Over tasklets, with the cores and transfers of the best choice, "
                        "ascending."),
            DSM__OWN("workload", READ | DSM__FIELD_IS_REQUIRED, write_workload, JSON,
                     .read = read_workload, .expected = "the workload in full",
                     .help = "dsm-rl-workload/1, after overrides."),
            DSM__OWN("system", READ | DSM__FIELD_IS_REQUIRED, write_system, JSON,
                     .read = read_system, .expected = "the system in full",
                     .help = "dsm-pim-system/1, after overrides."));
/* clang-format on */
