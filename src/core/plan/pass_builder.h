/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pass_builder.h: puts together what a pass of a layer costs over a step. */
#ifndef DSM_PLAN_PASS_BUILDER_H
#define DSM_PLAN_PASS_BUILDER_H

#include "base/arena.h"
#include "plan/holding.h"

/** What invocations, and what comes beside them, send over the whole step. */
typedef struct dsm__pass_sent {
  double bytes[DSM_TRANSFER_COUNT][DSM_NO_AXIS + 1][DSM_LINK_COUNT]; /**< by axis */
  dsm_group group_of[DSM_TRANSFER_COUNT]; /**< of transfers that have bytes */
} dsm__pass_sent;

/** A pass being predicted: its cost, and what it sends over the whole step. */
typedef struct dsm__pass_builder {
  dsm_pass_plan *pass; /**< filled */
  const dsm_machine *machine;
  dsm__pass_sent sent;
  dsm__pass_sent again;                               /**< of the forward pass that runs again */
  dsm_transfer_list of_one[DSM_INVOCATION_KINDS_MAX]; /**< of an invocation of each kind */
  double latency_of_one[DSM_INVOCATION_KINDS_MAX];    /**< of what turns beside its streams */
  double collective_latency_of_one[DSM_INVOCATION_KINDS_MAX]; /**< of roles, what shows */
  double sum_latency_of_one[DSM_INVOCATION_KINDS_MAX];        /**< of sums that turn */
  double statistics_of_one[DSM_INVOCATION_KINDS_MAX]; /**< latency of statistics that chips share */
  dsm_resources resources_of_one[DSM_INVOCATION_KINDS_MAX]; /**< likewise */
} dsm__pass_builder;

/** Starts a pass: its invocations with their splits and costs, and the transfers of all of them.
 * Cycles are added by the caller. */
void dsm__pass_begin(dsm__pass_builder *builder, dsm_pass_plan *pass,
                     const dsm__layer_setting *setting, dsm_pass which,
                     const dsm__layer_decision *decision);

/** Adds the cycles of `times` invocations of the pass's kind at an index. */
void dsm__pass_add_cycles(dsm__pass_builder *builder, unsigned kind, double times);

/** Adds a group of transfers along the axes: its transfers `sent` times, its cycles, and the
 * resource that decides them, `timed` times. */
void dsm__pass_add_group(dsm__pass_builder *builder, dsm_transfer transfer, dsm_group group,
                         const dsm_traffic *traffic, double sent, double timed);

/** Adds the gradient reduction, the broadcast and the weight update (sections 5 and 11). */
void dsm__pass_add_weight_groups(dsm__pass_builder *builder, const dsm__layer_setting *setting,
                                 const dsm_pass_layouts *layouts, double timed);

/** Adds what shows of weights that are gathered for the pass, all of whose invocations have been
 * added (section 12). */
void dsm__pass_add_gathering(dsm__pass_builder *builder, const dsm__layer_setting *setting,
                             const dsm_pass_layouts *layouts, dsm_pass which);

/** Adds the operations that run again before the pass, without their product (section 12). */
void dsm__pass_add_operations_again(dsm__pass_builder *builder, const dsm__layer_setting *setting,
                                    const dsm_pass_layouts *layouts, dsm_pass which);

/** Adds the moves of an update pass whose parallelism differs from that of the others (section 11).
 */
void dsm__pass_add_update_relayouts(dsm__pass_builder *builder, const dsm__layer_setting *setting,
                                    const dsm_pass_layouts *layouts);

/** Adds up the components of a pass and finds its bound, whose ideal cycles are known its
 * utilization too. */
void dsm__pass_sum_up(dsm_pass_plan *pass);

/** Finds the ideal cycles and does that. */
void dsm__pass_end(dsm__pass_builder *builder, const dsm__layer_setting *setting, dsm_pass which);

/** Keeps the transfers in the pass; false if out of memory. */
bool dsm__pass_keep_transfers(const dsm__pass_builder *builder, dsm__arena *arena);

/** The link that the overlapped transfers of the pass need longest. */
dsm_link dsm__pass_stream_link(const dsm__pass_builder *builder);

/** A whole pass by itself, on the machine of the setting: no relayouts at the layer's boundaries,
 * no transfers kept. */
void dsm__pass_predict_alone(dsm__pass_builder *builder, dsm_pass_plan *pass,
                             const dsm__layer_setting *setting, dsm_pass which,
                             const dsm__layer_decision *decision);

#endif
