/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_reader.h: what reading a plan shares among its parts. */
#ifndef DSM_PLAN_PLAN_READER_H
#define DSM_PLAN_PLAN_READER_H

#include "plan/decisions.h"
#include "plan/legal.h"

#define DSM__COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

typedef struct dsm__plan_reader {
  const char *file;
  dsm__json_doc *doc;
  dsm__arena *arena; /**< for decisions and options, until the plan is made */
  dsm_workload *workload;
  dsm_system *system;
  dsm_explore_options options;
  bool is_stopped;    /**< the search was, by its time limit */
  bool is_overridden; /**< values of the workload were replaced, perhaps its minibatch */
  dsm_machine machine;

  dsm__json_node root;
  dsm__json_node layers_node;
  dsm__json_node pipeline_node;
  dsm__json_node *layer_nodes;           /**< of each layer */
  dsm__layer_decision *layers;           /**< decisions of each layer */
  bool *is_known;                        /**< all but the core splits of the layer could be read */
  const char **group_names;              /**< pipeline_group of each layer; NULL: none */
  size_t (*later_items)[DSM_PASS_COUNT]; /**< of each pass, the item of `invocations` that decides
                                              the steady or accumulating ones; SIZE_MAX: none */

  dsm__pipeline_decision *pipelines; /**< legal runs of layers, in order of execution */
  size_t *pipeline_items;            /**< where each stands in the list of the text */
  size_t pipeline_count;
} dsm__plan_reader;

/** Longest name of a pipeline group, bytes: two names of layers fit. */
#define DSM__GROUP_NAME_BYTES_MAX 320

/* Is the node an object with no other keys than the format knows there? Else that is reported. */
bool dsm__plan_root_only(const dsm__json_node *node);
bool dsm__plan_result_only(const dsm__json_node *node);
bool dsm__plan_pipeline_only(const dsm__json_node *node);
bool dsm__plan_layer_only(const dsm__json_node *node);
bool dsm__plan_pass_only(const dsm__json_node *node);
bool dsm__plan_invocation_only(const dsm__json_node *node);

/** The word of a parallelism. */
bool dsm__plan_read_parallelism(const dsm__json_node *node, dsm_parallelism *parallelism);

/** Reads a `core_split`: into how many parts, from 1 to `most`, the cores cut each loop. Parts that
 * cannot be read become 0; whether they suit the layer is judged later. */
void dsm__plan_read_split(const dsm__json_node *parent, uint64_t most, dsm_loops *split);

/** Reads workload, system, mode and options: what the plan is the answer to. The reader has a root.
 */
void dsm__plan_read_question(dsm__plan_reader *reader);

/** Reads `gap` and `time_limit_seconds` of an object where they are present. */
void dsm__search_limits_read(const dsm__json_node *object, dsm_explore_options *options);

/** Do the options leave a parallelism? Else that is reported. */
bool dsm__plan_check_options(const dsm__plan_reader *reader);

/** Reads the decisions of all layers. Workload, system and options have been read. */
void dsm__plan_read_layers(dsm__plan_reader *reader);

/** Reads the pipeline groups that layers refer to. */
void dsm__plan_read_pipelines(dsm__plan_reader *reader);

/** Reports every decision that is not legal where it stands in the text. */
void dsm__plan_check_legality(dsm__plan_reader *reader);

#endif
