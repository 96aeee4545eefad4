/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_record.c: the tables of the formats "dsm-rl-workload/1" and "dsm-pim-system/1". */
#include "dsm/limits.h"
#include "pim/pim_record.h"

/* Within these limits no time or volume of a training overflows. */
#define EPISODES_MAX 1e9
#define RECORD_BYTES_MAX 1048576
#define RATE_MIN 1e-9
#define AMOUNT_MAX 1e9

enum {
  REQUIRED = DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED,
  MAY_BE = DSM__FIELD_IS_READ | DSM__FIELD_IS_OPTIONAL
};

/* clang-format off: a field a row */
#define NAME(type)                                                                                 \
  DSM__FIELD(TEXT, type, name, "name", REQUIRED, .max = DSM_NAME_BYTES_MAX,                        \
             .expected = "its name", .help = "What people call it."),                              \
      DSM__FIELD(TEXT, type, source, "source", MAY_BE, .max = DSM_TEXT_BYTES_MAX,                  \
                 .help = "Where its figures are from.")
#define WORD(member, of_words, flags, about, ...)                                                  \
  DSM__FIELD(WORD, dsm_rl_workload, member, #member, flags, .words = &(of_words), .help = (about), \
             __VA_ARGS__)
#define COUNT(type, member, of_flags, least, most, about, ...)                                     \
  DSM__FIELD(COUNT, type, member, #member, of_flags, .min = (least), .max = (most),                \
             .help = (about), __VA_ARGS__)

DSM__DOCUMENT(
    dsm__rl_workload_record, dsm_rl_workload, "dsm-rl-workload/1",
    "A training of a table of values on recorded transitions.", NAME(dsm_rl_workload),
    WORD(algorithm, dsm__rl_algorithm_words, REQUIRED, "How values are learnt.",
         .expected = "\"q_learning\" or \"sarsa\""),
    COUNT(dsm_rl_workload, states, REQUIRED, 1, DSM_DIMENSION_MAX, "Rows of the table.",
          .expected = "the number of states"),
    COUNT(dsm_rl_workload, actions, REQUIRED, 1, DSM_SIDE_MAX, "Its columns.",
          .expected = "the number of actions"),
    COUNT(dsm_rl_workload, transitions, REQUIRED, 1, DSM_DIMENSION_MAX,
          "Of the data set; of several agents, of that of each.",
          .expected = "the number of transitions"),
    COUNT(dsm_rl_workload, record_bytes, MAY_BE, 1, RECORD_BYTES_MAX,
          "Of a transition: state, action, reward, next state.", .fallback = 16, .unit = "bytes"),
    COUNT(dsm_rl_workload, episodes, MAY_BE, 1, EPISODES_MAX, "Passes over the data set.",
          .fallback = 2000),
    COUNT(dsm_rl_workload, synchronization_period, MAY_BE, 1, EPISODES_MAX,
          "Episodes after which the tables of all cores are averaged: they divide all of them. Of "
          "independent agents nothing is.",
          .fallback = 50),
    WORD(element_type, dsm__rl_element_words, MAY_BE,
         "What values are: int32 are whole numbers of 1/10,000.", .fallback = DSM_RL_INT32),
    WORD(constants, dsm__rl_constants_words, MAY_BE,
         "With float32, what the learning rate and the discount are in the source of the kernel: "
         "with double, as 0.1 is in C, the update is computed in double.",
         .fallback = DSM_RL_DOUBLE),
    WORD(sampling, dsm__rl_sampling_words, MAY_BE, "In which order a core takes its transitions.",
         .fallback = DSM_RL_SEQUENTIAL),
    COUNT(dsm_rl_workload, stride, MAY_BE, 1, DSM_SIDE_MAX,
          "Of strided sampling: from a transition to the next. The time does not depend on it.",
          .fallback = 4),
    COUNT(dsm_rl_workload, agents, MAY_BE, 0, DSM_CORES_MAX,
          "0: one table for all; n: so many independent tables, each with a data set and a core of "
          "its own.",
          .fallback = 0),
    DSM__FIELD(REAL, dsm_rl_workload, epsilon, "epsilon", MAY_BE, .max = 1, .fallback = 0.1,
               .unit = "ratio", .help = "Of SARSA: the part of next actions that are any."));

#define REAL(type, member, of_key, least, of_unit, about, what)                                    \
  DSM__FIELD(REAL, type, member, of_key, REQUIRED, .min = (least), .max = AMOUNT_MAX,              \
             .unit = (of_unit), .help = (about), .expected = (what))

DSM__OWN_RECORD(dsm__pim_mram_record, dsm_pim_mram, true,
                "The memory beside a core that holds its data.",
                REAL(dsm_pim_mram, capacity_MiB, "capacity_MiB", RATE_MIN, "MiB", "Of a core.",
                     "the capacity of a core's memory"),
                REAL(dsm_pim_mram, access_cycles, "access_cycles", 0, "cycles",
                     "Of an access, whatever its size.", "the cycles of an access"),
                REAL(dsm_pim_mram, cycles_per_byte, "cycles_per_byte", RATE_MIN, "cycles/byte",
                     "Of an access in addition.", "the cycles of a byte"),
                COUNT(dsm_pim_mram, dma_bytes, REQUIRED, 1, DSM_DIMENSION_MAX,
                      "That an access moves at most.", .unit = "bytes",
                      .expected = "the largest access"));

DSM__OWN_RECORD(dsm__pim_wram_record, dsm_pim_wram, true, "The scratchpad of a core.",
                REAL(dsm_pim_wram, capacity_KiB, "capacity_KiB", 0, "KiB",
                     "Of a core: a larger table is accessed in the memory.",
                     "the capacity of a core's scratchpad"));

#define RATE(member, about)                                                                        \
  REAL(dsm_pim_host, member, #member, RATE_MIN, "GB/s", about, "a bandwidth")

DSM__OWN_RECORD(dsm__pim_host_record, dsm_pim_host, false, "What the host does for all cores.",
                RATE(to_cores_serial_GBps, "To the cores, one after the other."),
                RATE(to_cores_parallel_GBps, "To all cores at once, as much for each."),
                RATE(broadcast_GBps, "The same to each core: of what all of them receive."),
                RATE(from_cores_serial_GBps, "From the cores, one after the other."),
                RATE(from_cores_parallel_GBps, "From all cores at once, as much from each."),
                REAL(dsm_pim_host, call_us, "call_us", 0, "us",
                     "Of a call that sets up a transfer to a core.", "the time of a call"),
                COUNT(dsm_pim_host, calls_per_core, REQUIRED, 0, DSM_SIDE_MAX,
                      "While the data set is handed out.", .expected = "the calls for each core"),
                REAL(dsm_pim_host, launch_ms, "launch_ms", 0, "ms", "Of a kernel on all cores.",
                     "the time of a launch"));

#define OPERATION(index, of_key, about)                                                            \
  REAL(dsm_pim_system, instructions[index], of_key, 0, "instructions", about,                      \
       "the instructions of that operation")
static const char by_call[] = "Without its call.";

DSM__OWN_RECORD(
    dsm__pim_operations_record, dsm_pim_system, false, "Instructions of operations.",
    OPERATION(DSM_PIM_INT32_ADD, "int32_add",
              "Of an addition or subtraction, which the cores have."),
    OPERATION(DSM_PIM_INT32_MUL, "int32_mul", by_call),
    OPERATION(DSM_PIM_INT32_DIV, "int32_div", by_call),
    OPERATION(DSM_PIM_INT64_MUL, "int64_mul", "Without its call; none of the kernels has it."),
    OPERATION(DSM_PIM_FLOAT32_ADD, "float32_add", by_call),
    OPERATION(DSM_PIM_FLOAT32_SUB, "float32_sub", by_call),
    OPERATION(DSM_PIM_FLOAT32_MUL, "float32_mul", by_call),
    OPERATION(DSM_PIM_FLOAT32_DIV, "float32_div", "Without its call; none of the kernels has it."),
    OPERATION(DSM_PIM_FLOAT32_COMPARE, "float32_compare", by_call),
    OPERATION(DSM_PIM_FLOAT64_ADD, "float64_add", by_call),
    OPERATION(DSM_PIM_FLOAT64_SUB, "float64_sub", by_call),
    OPERATION(DSM_PIM_FLOAT64_MUL, "float64_mul", by_call),
    OPERATION(DSM_PIM_FLOAT64_DIV, "float64_div", "Without its call; none of the kernels has it."),
    OPERATION(DSM_PIM_CONVERSION, "conversion", "Between float and double, without its call."),
    REAL(dsm_pim_system, call_instructions, "call", 0, "instructions",
         "Of a call of an operation that the cores do not have: of all but int32_add.",
         "the instructions of a call"));

/* The operations are a part of the system itself: their record begins where it does. */
DSM__DOCUMENT(
    dsm__pim_system_record, dsm_pim_system, "dsm-pim-system/1", "Cores in memory, and their host.",
    NAME(dsm_pim_system),
    COUNT(dsm_pim_system, cores, REQUIRED, 1, DSM_CORES_MAX, "Of the whole system.",
          .expected = "the number of cores"),
    REAL(dsm_pim_system, frequency_MHz, "frequency_MHz", RATE_MIN, "MHz", "Of a core.",
         "the frequency of a core"),
    COUNT(dsm_pim_system, dispatch_cycles, REQUIRED, 1, DSM_SIDE_MAX,
          "From an instruction of a tasklet to its next one, at least.", .unit = "cycles",
          .expected = "the cycles between two instructions of a tasklet"),
    COUNT(dsm_pim_system, tasklets, REQUIRED, 1, DSM_PIM_TASKLETS_MAX,
          "That a core can run, at most; 1: programs have no more than one.",
          .expected = "the most tasklets of a core"),
    DSM__FIELD(RECORD, dsm_pim_system, mram, "mram", REQUIRED, .type = &dsm__pim_mram_record,
               .expected = "the memory of a core", .help = "The memory beside each core."),
    DSM__FIELD(RECORD, dsm_pim_system, wram, "wram", REQUIRED, .type = &dsm__pim_wram_record,
               .expected = "the scratchpad of a core", .help = "The scratchpad of each core."),
    DSM__FIELD(RECORD, dsm_pim_system, host, "host", REQUIRED, .type = &dsm__pim_host_record,
               .expected = "the host's transfers", .help = "Transfers, calls and launches."),
    REAL(dsm_pim_system, power_W, "power_W", RATE_MIN, "W", "Of the system while all cores work.",
         "the power of the system"),
    DSM__FIELD(REAL, dsm_pim_system, idle_power_W, "idle_power_W", MAY_BE, .max = AMOUNT_MAX,
               .unit = "W", .fallback = (double)INFINITY,
               .help =
                   "Of the system while none works, at most power_W; absent: as power_W. Between "
                   "the two power grows with the cores that work."),
    {.key = "operations",
     .kind = DSM__FIELD_RECORD,
     .flags = REQUIRED,
     .type = &dsm__pim_operations_record,
     .expected = "the instructions of operations",
     .help = "Instructions of each operation."});
/* clang-format on */
