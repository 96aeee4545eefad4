/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * pim.h: tabular reinforcement learning on processing-in-memory systems.
 *
 * Many small cores sit in the memory chips. Each works on its own part of the experience, and now
 * and then the host averages their tables of values. How many cores, and tasklets of each, are
 * worth it, how long does the training take, and where does the time go? The kernels are those of
 * SwiftRL (Gogineni et al., ISPASS 2024), the costs of instructions and transfers those of PrIM
 * (Gomez-Luna et al., IEEE Access 2022). Equations 1 to 5 are those of docs/pim.md.
 *
 *     dsm_rl_workload_load(&workload, "frozen_lake.json", NULL, 0, diags);
 *     dsm_pim_system_load(&system, "upmem2524.json", NULL, 0, diags);
 *     dsm_pim(&plan, workload, system, NULL, diags);
 *     printf("%.2f s on %" PRIu64 " cores", plan->cost.seconds, plan->cost.choice.cores);
 */
#ifndef DSM_PIM_H
#define DSM_PIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/override.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most tasklets of a core. */
#define DSM_PIM_TASKLETS_MAX 256
/** Bytes of an element of a table: both types have 32 bits. */
#define DSM_PIM_ELEMENT_BYTES 4

/* ---- workloads ---- */

/** How values are learnt. */
typedef enum dsm_rl_algorithm {
  DSM_RL_Q_LEARNING = 0, /**< from the best action of the next state */
  DSM_RL_SARSA,          /**< from the one taken there: the best, or now and then any */
  DSM_RL_ALGORITHM_COUNT
} dsm_rl_algorithm;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_rl_algorithm_name(dsm_rl_algorithm algorithm);

/** What values are. */
typedef enum dsm_rl_element {
  DSM_RL_INT32 = 0, /**< scaled: a whole number is 1/10,000 */
  DSM_RL_FLOAT32,
  DSM_RL_ELEMENT_COUNT
} dsm_rl_element;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_rl_element_name(dsm_rl_element element);

/** What the learning rate and the discount are in the kernel's source, beside float32. */
typedef enum dsm_rl_constants {
  DSM_RL_DOUBLE = 0, /**< 0.1 and 0.95: in C the update is computed in double then */
  DSM_RL_FLOAT,      /**< 0.1f and 0.95f */
  DSM_RL_CONSTANTS_COUNT
} dsm_rl_constants;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_rl_constants_name(dsm_rl_constants constants);

/** In which order a core takes its transitions. */
typedef enum dsm_rl_sampling {
  DSM_RL_SEQUENTIAL = 0,
  DSM_RL_RANDOM,
  DSM_RL_STRIDED,
  DSM_RL_SAMPLING_COUNT
} dsm_rl_sampling;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_rl_sampling_name(dsm_rl_sampling sampling);

/** A training of a table of values on recorded transitions. Immutable once made. */
typedef struct dsm_rl_workload {
  const char *name;
  const char *source; /**< where its figures are from; NULL: it does not say */
  dsm_rl_algorithm algorithm;
  dsm_rl_element element_type;
  dsm_rl_constants constants; /**< of float32 */
  dsm_rl_sampling sampling;
  uint64_t states;
  uint64_t actions;
  uint64_t transitions; /**< of the data set; of several agents, of that of each */
  uint64_t record_bytes;
  uint64_t episodes;               /**< passes over the data set */
  uint64_t synchronization_period; /**< episodes between averages of all tables; divides them */
  uint64_t stride;                 /**< of strided sampling */
  uint64_t agents;                 /**< 0: one table for all; n: as many independent ones */
  double epsilon;                  /**< of SARSA: part of the next actions that are any */

  struct dsm__arena *arena; /**< private */
} dsm_rl_workload;

/**
 * Reads a workload (format "dsm-rl-workload/1", docs/formats.md) named `file` in findings, after
 * the overrides. *workload belongs to the caller. DSM_ERROR_INVALID with findings, and NULL: also
 * if the tables are to be averaged after a number of episodes that does not divide all of them.
 */
DSM_API DSM_NODISCARD dsm_status dsm_rl_workload_parse(dsm_rl_workload **workload, const char *text,
                                                       size_t length, const char *file,
                                                       const dsm_override *overrides,
                                                       size_t override_count, dsm_diags *diags);

/** dsm_rl_workload_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_rl_workload_load(dsm_rl_workload **workload, const char *path,
                                                      const dsm_override *overrides,
                                                      size_t override_count, dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_rl_workload_free(dsm_rl_workload *workload);

/* ---- systems ---- */

/** Operations whose instructions a system states: those that its cores do not have are calls. */
typedef enum dsm_pim_operation {
  DSM_PIM_INT32_ADD = 0, /**< an instruction of the core, no call; subtraction too */
  DSM_PIM_INT32_MUL,
  DSM_PIM_INT32_DIV,
  DSM_PIM_INT64_MUL, /**< which none of these kernels has */
  DSM_PIM_FLOAT32_ADD,
  DSM_PIM_FLOAT32_SUB,
  DSM_PIM_FLOAT32_MUL,
  DSM_PIM_FLOAT32_DIV, /**< likewise */
  DSM_PIM_FLOAT32_COMPARE,
  DSM_PIM_FLOAT64_ADD,
  DSM_PIM_FLOAT64_SUB,
  DSM_PIM_FLOAT64_MUL,
  DSM_PIM_FLOAT64_DIV, /**< likewise */
  DSM_PIM_CONVERSION,  /**< between float and double */
  DSM_PIM_OPERATION_COUNT
} dsm_pim_operation;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_pim_operation_name(dsm_pim_operation operation);

/** The memory beside a core that holds its data. */
typedef struct dsm_pim_mram {
  double capacity_MiB;
  double access_cycles;   /**< of an access, whatever its size */
  double cycles_per_byte; /**< of it in addition */
  uint64_t dma_bytes;     /**< that an access moves at most */
} dsm_pim_mram;

/** The scratchpad of a core. */
typedef struct dsm_pim_wram {
  double capacity_KiB;
} dsm_pim_wram;

/** What the host does for all cores. */
typedef struct dsm_pim_host {
  double to_cores_serial_GBps; /**< all cores together, one after the other */
  double to_cores_parallel_GBps;
  double broadcast_GBps; /**< the same to each core, together */
  double from_cores_serial_GBps;
  double from_cores_parallel_GBps;
  double call_us;          /**< of a call that sets up a transfer */
  uint64_t calls_per_core; /**< while the data set is handed out */
  double launch_ms;        /**< of a kernel on all cores */
} dsm_pim_host;

/** Cores in memory, and their host. Immutable once made. */
typedef struct dsm_pim_system {
  const char *name;
  const char *source; /**< where its figures are from; NULL: it does not say */
  uint64_t cores;
  double frequency_MHz;
  uint64_t dispatch_cycles; /**< from an instruction of a tasklet to its next one, at least */
  uint64_t tasklets;        /**< that a program may have, at most */
  dsm_pim_mram mram;        /**< of each core */
  dsm_pim_wram wram;        /**< of each core */
  dsm_pim_host host;
  double power_W;      /**< of the system while all its cores work */
  double idle_power_W; /**< while none does; in a file absent: as power_W */
  double instructions[DSM_PIM_OPERATION_COUNT]; /**< of each operation, without its call */
  double call_instructions;

  struct dsm__arena *arena; /**< private */
} dsm_pim_system;

/**
 * Reads a system (format "dsm-pim-system/1", docs/formats.md) named `file` in findings, after the
 * overrides. *system belongs to the caller. DSM_ERROR_INVALID with findings, and NULL.
 */
DSM_API DSM_NODISCARD dsm_status dsm_pim_system_parse(dsm_pim_system **system, const char *text,
                                                      size_t length, const char *file,
                                                      const dsm_override *overrides,
                                                      size_t override_count, dsm_diags *diags);

/** dsm_pim_system_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_pim_system_load(dsm_pim_system **system, const char *path,
                                                     const dsm_override *overrides,
                                                     size_t override_count, dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_pim_system_free(dsm_pim_system *system);

/* ---- what a training takes ---- */

/** How the host moves what differs from core to core. */
typedef enum dsm_pim_transfers {
  DSM_PIM_SERIAL = 0, /**< one core after the other */
  DSM_PIM_PARALLEL,   /**< all cores at once, as much for each */
  DSM_PIM_TRANSFERS_COUNT
} dsm_pim_transfers;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_pim_transfers_name(dsm_pim_transfers transfers);

/** What is decided. */
typedef struct dsm_pim_choice {
  uint64_t cores;
  uint64_t tasklets; /**< of each core */
  dsm_pim_transfers transfers;
} dsm_pim_choice;

/** What an update of a table takes on a core. */
typedef struct dsm_pim_update {
  double operations[DSM_PIM_OPERATION_COUNT]; /**< how many of each */
  double native; /**< instructions beside them: the loop, loads and stores, addresses, branches */
  double instructions;   /**< all of them: Equation 1 */
  double compute_cycles; /**< until all are dispatched */
  double dma_cycles;     /**< of accesses to the memory */
  double cycles;         /**< Equation 2; on average where there are several tasklets */
  double bytes;          /**< of those accesses */
} dsm_pim_update;

/** Equations 1 and 2 of docs/pim.md: what an update takes with so many tasklets, at least one. */
DSM_API void dsm_pim_update_cost(dsm_pim_update *update, const dsm_rl_workload *workload,
                                 const dsm_pim_system *system, uint64_t tasklets);

/** The bytes of a table of values. */
DSM_API double dsm_pim_table_bytes(const dsm_rl_workload *workload);

/** The bytes that a core holds if there are so many: its transitions, and a table. */
DSM_API double dsm_pim_core_bytes(const dsm_rl_workload *workload, uint64_t cores);

/** The fewest cores whose memories hold the data set, whatever the system has; 0: no number of
 * cores does. Of several agents 1 or 0. */
DSM_API uint64_t dsm_pim_fewest_cores(const dsm_rl_workload *workload,
                                      const dsm_pim_system *system);

/** What bounds a kernel. */
typedef enum dsm_pim_bound {
  DSM_PIM_COMPUTE = 0, /**< the dispatch of instructions */
  DSM_PIM_MEMORY,      /**< accesses to the memory */
  DSM_PIM_BOUND_COUNT
} dsm_pim_bound;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_pim_bound_name(dsm_pim_bound bound);

/** The cores under their roof: instructions a second over those for each byte of memory traffic. */
typedef struct dsm_pim_roofline {
  double peak_operations_per_second; /**< an instruction a cycle and core */
  double bandwidth_bytes_per_second; /**< of the memories of all cores */
  double intensity;                  /**< instructions for each byte */
  double roof_operations_per_second; /**< the lower of the peak and intensity * bandwidth */
  double operations_per_second;      /**< of the kernel */
  dsm_pim_bound bound;               /**< which of the two the roof is */
} dsm_pim_roofline;

/** What a training takes. The four parts add up to the seconds. */
typedef struct dsm_pim_cost {
  dsm_pim_choice choice;
  bool is_feasible; /**< the memory of a core holds its part */
  double seconds;
  double kernel_seconds;
  double host_to_cores_seconds;
  double cores_to_host_seconds;
  double between_cores_seconds;
  double joules;
  double updates_per_second;
  double utilization; /**< 0 .. 1: of the instructions that all cores of the system could do */
  double core_bytes;  /**< that a core holds */
  dsm_pim_update update;
  dsm_pim_roofline roofline;
} dsm_pim_cost;

/** How many of so many cores have work: one a transition, or an agent, at most. */
DSM_API uint64_t dsm_pim_working_cores(const dsm_rl_workload *workload, uint64_t cores);

/** Equations 3 to 5 of docs/pim.md: what a training takes with a choice, of which cores and
 * tasklets are at least 1 and at most those of the system. Cores without work are idle. */
DSM_API void dsm_pim_predict(dsm_pim_cost *cost, const dsm_rl_workload *workload,
                             const dsm_pim_system *system, dsm_pim_choice choice);

/* ---- the best choice ---- */

/** What is best. */
typedef enum dsm_pim_objective {
  DSM_PIM_LEAST_TIME = 0,
  DSM_PIM_LEAST_ENERGY,
  DSM_PIM_OBJECTIVE_COUNT
} dsm_pim_objective;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_pim_objective_name(dsm_pim_objective objective);

/** What may be chosen. */
typedef struct dsm_pim_options {
  const uint64_t *cores;    /**< len = core_count, any order, each 1 .. the system's; borrowed */
  size_t core_count;        /**< 0: any number */
  const uint64_t *tasklets; /**< likewise */
  size_t tasklet_count;
  dsm_pim_transfers transfers; /**< DSM_PIM_TRANSFERS_COUNT: either */
  dsm_pim_objective objective;
} dsm_pim_options;

/** The only place of defaults: any cores, tasklets and transfers, the least time. */
DSM_API void dsm_pim_options_init(dsm_pim_options *options);

/** The best choice, and what it was chosen from. */
typedef struct dsm_pim_plan {
  const dsm_rl_workload *workload; /**< borrowed; of a plan that was read its own */
  const dsm_pim_system *system;    /**< likewise */
  dsm_pim_options options;         /**< its lists are the plan's own */
  dsm_pim_cost cost;               /**< of the best choice */
  const dsm_pim_cost *curve; /**< over cores, with the best of all else: those of the options, else
                                  1, 2, 4 ..., the best and all; ascending */
  size_t curve_count;
  const dsm_pim_cost *tasklet_curve; /**< over tasklets, with the cores and transfers of the best:
                                          those of the options, else all; ascending */
  size_t tasklet_curve_count;
  uint64_t knee_tasklets;  /**< the fewest of that curve within 1 % of its least cycles an update */
  uint64_t fewest_cores;   /**< dsm_pim_fewest_cores */
  const char *dsm_version; /**< this one; of a question that which wrote it, or empty */

  dsm_rl_workload *own_workload; /**< private: of a plan that was read */
  dsm_pim_system *own_system;    /**< private */
  struct dsm__arena *arena;      /**< private */
} dsm_pim_plan;

/**
 * Finds the best choice, by trying all: of equals that of fewest cores, then of fewest tasklets,
 * then serial transfers. *plan belongs to the caller and borrows workload and system. Cores beyond
 * one for each transition, or agent, are not tried. DSM_ERROR_USAGE: the options ask for more cores
 * or tasklets than the system has, or none. DSM_ERROR_INFEASIBLE: with no choice the memory of a
 * core holds its part; a finding says how many cores would do. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_pim(dsm_pim_plan **plan, const dsm_rl_workload *workload,
                                         const dsm_pim_system *system,
                                         const dsm_pim_options *options, dsm_diags *diags);

/**
 * Reads a plan (format "dsm-pim/1") named `file` in findings: its workload, system and options, and
 * its choice, which may have been edited. All else is predicted anew, with curves through that
 * choice. *plan belongs to the caller; *recorded_seconds, unless it is NULL, is what the text says
 * of the training. DSM_ERROR_INVALID: a rule of the formats is broken, these seconds are not the
 * sum of their parts, or the system has less than is chosen; DSM_ERROR_INFEASIBLE: the memory of a
 * core does not hold its part.
 */
DSM_API DSM_NODISCARD dsm_status dsm_pim_plan_parse(dsm_pim_plan **plan, double *recorded_seconds,
                                                    const char *text, size_t length,
                                                    const char *file, dsm_diags *diags);

/**
 * The same of what a plan is the answer to, and what it recorded: workload, system and options,
 * after overrides whose paths begin with "workload." or "system."; the cost is what the text says
 * (its update and roofline are 0), and there are no curves. Whether its choice is possible is not
 * asked.
 */
DSM_API DSM_NODISCARD dsm_status dsm_pim_question_parse(dsm_pim_plan **question, const char *text,
                                                        size_t length, const char *file,
                                                        const dsm_override *overrides,
                                                        size_t override_count, dsm_diags *diags);

/** Notes the first number of the text that `plan` was read from which is not what is predicted
 * now; none where the seconds are not, as of an edited choice. DSM_ERROR_INVALID: it is no JSON;
 * DSM_ERROR_OUT_OF_MEMORY. */
DSM_API DSM_NODISCARD dsm_status dsm_pim_plan_compare_text(const dsm_pim_plan *plan,
                                                           const char *text, size_t length,
                                                           const char *file, dsm_diags *diags);

/** The plan as JSON text (format "dsm-pim/1"), malloc'ed, to be freed by the caller. NULL if out of
 * memory. */
DSM_API char *dsm_pim_plan_print(const dsm_pim_plan *plan);

/** Frees it; NULL is fine. */
DSM_API void dsm_pim_plan_free(dsm_pim_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
