/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instance_internal.h: how an instance is put together, whatever it is made from, and how long the
 * layers of a workload take on a device. */
#ifndef DSM_SERVER_INSTANCE_INTERNAL_H
#define DSM_SERVER_INSTANCE_INTERNAL_H

#include "base/arena.h"
#include "base/diag_add.h"
#include "dsm/instance.h"
#include "dsm/server.h"
#include "dsm/workload.h"
#include "server/batch_tables.h"
#include "workload/name_index.h"

/** A task needs a tensor that another, or the same, has made. */
typedef struct dsm__use {
  size_t producer; /**< task */
  size_t tensor;   /**< any number that tells the tensors of a producer apart */
  size_t consumer; /**< task */
  double bytes;    /**< of the tensor */
} dsm__use;

/** An empty instance with its arena; NULL if out of memory. */
dsm_instance *dsm__instance_new(void);

/** Room for so many tasks and times, beside what the instance has of them; NULL, false if out of
 * memory. */
dsm_task *dsm__instance_tasks(dsm_instance *instance, size_t task_count, double **seconds);

/** Makes the tensors from their uses (which are sorted): those within a task fall away, a consumer
 * that uses a tensor twice counts once. False if out of memory. */
bool dsm__instance_set_tensors(dsm_instance *instance, dsm__use *uses, size_t use_count);

/** Tasks of which each needs the next, and the last the first; count 0: there is no such circle. */
typedef struct dsm__circle {
  const size_t *tasks;
  size_t count;
} dsm__circle;

/** `"a" needs "b", which needs "a"`: the circle in words, of long ones the begin; NULL if out of
 * memory. */
const char *dsm__circle_text(const dsm__circle *circle, const dsm_task *tasks, dsm__arena *arena);

/** Brings tasks that stand in any order, their times, and uses into an order in which they can run,
 * and makes the tensors. *circle as of dsm__task_order; if there is one, nothing is done. */
bool dsm__instance_arrange(dsm_instance *instance, dsm__use *uses, size_t use_count,
                           dsm__circle *circle);

/** Applies pins and groups (dsm_instance_options), and lets tasks of a group run only where all of
 * it can. Before tasks are joined. DSM_ERROR_USAGE: a text that is none, or of nothing there is. */
DSM_NODISCARD dsm_status dsm__instance_place(dsm_instance *instance,
                                             const dsm_instance_options *options, dsm_diags *diags);

/** Reads the sizes that options ask for, and sets the first of them in each device; before tasks
 * are joined. DSM_ERROR_USAGE: no sizes, no such device, or sizes without times; DSM_ERROR_INVALID:
 * a device has no size of which all its tasks have times. */
DSM_NODISCARD dsm_status dsm__instance_set_batches(dsm_instance *instance,
                                                   const dsm_instance_options *options,
                                                   const char *file, dsm_diags *diags);

/** The sizes that options ask for by number, and powers of two up to DSM_BATCH_POWER_MAX where all
 * are asked for. None where options ask for nothing. Texts that are none are passed over. */
bool dsm__wanted_batch_sizes(dsm__batch_sizes *sizes, dsm__arena *arena,
                             const dsm_instance_options *options);

/** Whether a pattern, which need not end in NUL and may end in "*", is of a name. */
bool dsm__name_is_of(const char *pattern, size_t length, const char *name);

/** Joins consecutive tasks into at most `most` (0: no limit) of about equal work, then adds to each
 * time what the device takes for any task. `work` and `per_task_seconds` may be NULL: the least
 * time of each task over the devices, and nothing. False if out of memory. */
bool dsm__instance_join(dsm_instance *instance, size_t most, const double *work,
                        const double *per_task_seconds);

/** Joins consecutive tasks: part p begins at task starts[p], the first at 0. starts[part_count] is
 * set. False if out of memory. */
bool dsm__instance_join_at(dsm_instance *instance, size_t *starts, size_t part_count);

/** Times of a workload's layers as they were measured, and the parts that are tasks. */
typedef struct dsm__measured_layers {
  const double *seconds; /**< seconds[layer * devices + device]; those of a part add up */
  size_t *starts;        /**< of each part, with room for one more; the first is 0 */
  size_t part_count;
} dsm__measured_layers;

/** As dsm_instance_make, with these times and tasks in place of computed ones; of the server only
 * the devices count, without what they take for any task. */
DSM_NODISCARD dsm_status dsm__instance_measured(dsm_instance **instance,
                                                const dsm_workload *workload,
                                                const dsm_server *server, uint64_t batch,
                                                const dsm__measured_layers *measured,
                                                dsm_diags *diags);

/** What a profile says in words. */
typedef struct dsm__profile_words {
  const char *source;          /**< NULL: nothing */
  const char *const *comments; /**< at its top */
  size_t comment_count;
} dsm__profile_words;

/** dsm_profile_text with more words. */
DSM_NODISCARD dsm_status dsm__profile_write(char **text, const dsm_instance *instance,
                                            const dsm__profile_words *words, dsm_diags *diags);

/** Reports times outside DSM__SECONDS_MIN to DSM__SECONDS_MAX that are not infinite, in one
 * finding; then DSM_ERROR_INVALID. Where they were read from: `file`, or NULL. */
DSM_NODISCARD dsm_status dsm__instance_check(const dsm_instance *instance, const char *file,
                                             dsm_diags *diags);

/* ---- how long the layers of a workload take on a device ---- */

/** A request: what times are computed from. */
typedef struct dsm__request {
  const dsm_workload *workload;
  uint64_t batch;
  const double *operations;       /**< of each layer: dsm__layer_operations */
  const double *weights_bytes;    /**< of each layer */
  const double *activation_bytes; /**< of each layer: tensors that it reads and makes */
  double element_ratio;           /**< of the device's activations to these */
  double weight_ratio;            /**< of the device's parameters to these */
  dsm__name_index names;          /**< of the layers */
} dsm__request;

/** Operations of a layer for a request: two for each MAC, one for each element-pass of auxiliary
 * work (model.md, section 4, as on a chip that says nothing else). */
double dsm__layer_operations(const dsm_layer *layer, uint64_t batch);

/** Seconds of each layer on a device, written at every `stride` numbers; infinite where it cannot
 * run. Does not contain what the device takes for any task. */
DSM_NODISCARD dsm_status dsm__task_times(double *seconds, size_t stride,
                                         const dsm__request *request, const dsm_device *device,
                                         dsm_diags *diags);

/** The same for a chip: each layer alone, with nothing on chip. DSM_ERROR_INFEASIBLE if an element
 * does not fit into the scratchpad. Private to dsm__task_times. */
DSM_NODISCARD dsm_status dsm__chip_times(double *seconds, size_t stride,
                                         const dsm__request *request, const dsm_device *device,
                                         dsm_diags *diags);

#endif
