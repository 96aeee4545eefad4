/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * export.h: plans as inputs of other simulators, as settings of frameworks, partitions as stages to
 * deploy, and answers of serving as settings of engines.
 *
 * Each target is a set of small files that hold what a plan predicts in a simulator's own form, the
 * settings of a framework, or what each device runs, receives and sends. docs/export.md says for
 * each what every number is, and what is lost on the way.
 */
#ifndef DSM_EXPORT_H
#define DSM_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/diag.h"
#include "dsm/file.h"
#include "dsm/partition.h"
#include "dsm/plan.h"
#include "dsm/serving.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What plans can be handed to. */
typedef enum dsm_export_target {
  DSM_EXPORT_ASTRA_SIM = 0, /**< network simulator: text workload and network file */
  DSM_EXPORT_CHAKRA,        /**< execution trace of a chip, as MLCommons Chakra has them */
  DSM_EXPORT_STAGES,        /**< of a partition: what each device runs, receives and sends */
  DSM_EXPORT_MEGATRON,      /**< arguments of Megatron-LM with which the plan's training starts */
  DSM_EXPORT_TORCHTITAN,    /**< torchtitan's job configuration, likewise */
  DSM_EXPORT_DEEPSPEED,     /**< DeepSpeed's */
  DSM_EXPORT_MAXTEXT,       /**< MaxText's */
  DSM_EXPORT_VLLM,          /**< of an answer of serving: arguments of vLLM */
  DSM_EXPORT_TENSORRT_LLM,  /**< TensorRT-LLM's settings, likewise */
  DSM_EXPORT_SGLANG,        /**< SGLang's */
  DSM_EXPORT_TARGET_COUNT
} dsm_export_target;

/** The word of the command line: "astra-sim". Never NULL. */
DSM_API const char *dsm_export_target_name(dsm_export_target target);
/** The same read back, exactly; false if the text is none of them. */
DSM_API bool dsm_export_target_parse(const char *text, dsm_export_target *target);

/** Most files of an export. */
#define DSM_EXPORT_FILES_MAX 4

/** The files of an export; they belong to it. */
typedef struct dsm_export {
  dsm_named_text files[DSM_EXPORT_FILES_MAX];
  size_t file_count;
  struct dsm__arena *arena; /**< private */
} dsm_export;

/**
 * Makes the files of a target: a simulator's from a plan's predicted times and volumes, a
 * framework's from its decisions. *made is set only on DSM_OK and then belongs to the caller.
 * DSM_ERROR_INFEASIBLE, with a finding: the target cannot express the plan or its system
 * (ASTRA-sim: one chip; a framework: stages that cut a block); DSM_ERROR_USAGE: the target is for
 * partitions or answers of serving; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_export_plan(dsm_export **made, const dsm_plan *plan,
                                                 dsm_export_target target, dsm_diags *diags);

/**
 * Makes the file of DSM_EXPORT_STAGES, stages.json, a "dsm-deployment/1". DSM_ERROR_INFEASIBLE,
 * with a finding: a task is in several places, or devices need each other's outputs in turn, so
 * that none of them can be one stage; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_export_partition(dsm_export **made,
                                                      const dsm_partition *partition,
                                                      dsm_diags *diags);

/**
 * Makes the settings with which an engine serves an answer, and notes.txt on what no setting says.
 * DSM_ERROR_INFEASIBLE, with a finding: the engine does not share a step so; DSM_ERROR_USAGE: the
 * target is for plans; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_export_serving(dsm_export **made, const dsm_serving *serving,
                                                    dsm_export_target target, dsm_diags *diags);

/** Frees an export with its files; NULL is fine. */
DSM_API void dsm_export_free(dsm_export *made);

#ifdef __cplusplus
}
#endif

#endif
