/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_reader.h: what reading a plan shares among its parts. */
#ifndef DSM_PLAN_PLAN_READER_H
#define DSM_PLAN_PLAN_READER_H

#include "plan/legal.h"
#include "plan/plan_internal.h"
#include "plan/plan_record.h"

typedef struct dsm__plan_reader {
  const char *file;
  dsm__json_doc *doc;
  dsm__arena *arena; /**< for decisions and options, until the plan is made */
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan plan;      /**< the question: options, and whether the time limit ended the search */
  bool is_overridden; /**< values of the workload were replaced, perhaps its minibatch */
  dsm_machine machine;

  dsm__renaming *renaming; /**< words with the names of the system's axes */
  dsm__record_reader decisions;
  dsm__json_node root;
  dsm__json_node layers_node;
  dsm__json_node pipeline_node;
  dsm__json_node *layer_nodes;           /**< of each layer */
  dsm__layer_decision *layers;           /**< decisions of each layer */
  bool *is_known;                        /**< all but the core splits of the layer could be read */
  size_t (*later_items)[DSM_PASS_COUNT]; /**< of each pass, the item of `invocations` that decides
                                              the steady or accumulating ones; SIZE_MAX: none */
  size_t (*hoisted_items)[DSM_PASS_COUNT]; /**< likewise the hoisted ones */

  dsm__pipeline_decision *pipelines; /**< legal runs of layers, in order of execution */
  size_t *pipeline_items;            /**< where each stands in the list of the text */
  size_t pipeline_count;
  dsm__decisions decided;   /**< all of that, */
  dsm__candidate candidate; /**< once it has been judged */
} dsm__plan_reader;

/** Reads workload, system, mode and options: what the plan is the answer to. The reader has a root.
 */
void dsm__plan_read_question(dsm__plan_reader *reader);

/** Do the options leave a parallelism? Else that is reported. */
bool dsm__plan_check_options(const dsm__plan_reader *reader);

/** Reads the decisions of all layers. Workload, system and options have been read. */
void dsm__plan_read_layers(dsm__plan_reader *reader);

/** What the numbers of a pipeline group may be at most. */
typedef struct dsm__group_limits {
  uint64_t columns;
  uint64_t rows;
} dsm__group_limits;

/** Reads an item of the list `pipeline`: `group` has its name, NULL if that could not be read, the
 * names of its layers, columns (as they were, where absent) and rows. False if something could not
 * be read. */
bool dsm__plan_read_group(const dsm__json_node *node, const dsm__group_limits *limits,
                          dsm__arena *arena, dsm_pipeline_plan *group);

/** Reads what is decided for the step, micro-batches and stages, as it stands there. */
void dsm__plan_read_step(dsm__plan_reader *reader);

/** Fills the axis of stages by its name; false if the system has none of that name. */
bool dsm__stages_find_axis(dsm_stages *stages, const dsm_network *network);

/** Makes of the words of stages an axis and layers, and reports what does not go with workload,
 * system and options, which have been read. */
void dsm__plan_check_step(dsm__plan_reader *reader);

/** Reads the pipeline groups that layers refer to. */
void dsm__plan_read_pipelines(dsm__plan_reader *reader);

/** Reports every decision that is not legal where it stands in the text. */
void dsm__plan_check_legality(dsm__plan_reader *reader);

#endif
