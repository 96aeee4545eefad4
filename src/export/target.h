/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target.h: the targets of exports as rows: their files, and who writes each; and names of
 * layers for formats whose columns are divided by white space. */
#ifndef DSM_EXPORT_TARGET_H
#define DSM_EXPORT_TARGET_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/export.h"
#include "dsm/plan.h"

/** A file of a target. */
typedef struct dsm__export_file {
  const char *name;
  void (*write)(dsm__text_buffer *out, const dsm_plan *plan);
} dsm__export_file;

typedef struct dsm__exporter {
  /** Can the target express the plan? If not, adds a finding. */
  bool (*can_express)(const dsm_plan *plan, dsm_diags *diags);
  dsm__export_file files[DSM_EXPORT_FILES_MAX]; /**< unused ones have no name */
} dsm__exporter;

/* ASTRA-sim. */
bool dsm__astra_sim_can_express(const dsm_plan *plan, dsm_diags *diags);
void dsm__astra_sim_write_workload(dsm__text_buffer *out, const dsm_plan *plan);
void dsm__astra_sim_write_network(dsm__text_buffer *out, const dsm_plan *plan);

/* Chakra. */
void dsm__chakra_write_trace(dsm__text_buffer *out, const dsm_plan *plan);

/* Frameworks that train: their settings, and notes on what these do not say. */
#define DSM__LAUNCH_TARGET(of)                                                                     \
  bool dsm__##of##_can_express(const dsm_plan *plan, dsm_diags *diags);                            \
  void dsm__##of##_write(dsm__text_buffer *out, const dsm_plan *plan);                             \
  void dsm__##of##_write_notes(dsm__text_buffer *out, const dsm_plan *plan)
DSM__LAUNCH_TARGET(megatron);
DSM__LAUNCH_TARGET(torchtitan);
DSM__LAUNCH_TARGET(deepspeed);
DSM__LAUNCH_TARGET(maxtext);

/** A name for each layer, in the arena: spaces become '_', and what thereby is the name of another
 * layer gets "_2", "_3" ... NULL: out of memory. */
const char **dsm__export_names(const dsm_plan *plan, dsm__arena *arena);

#endif
