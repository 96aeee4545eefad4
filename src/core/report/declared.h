/* SPDX-License-Identifier: GPL-3.0-or-later */
/* declared.h: what a description holds, per layer as declared and for a whole system. */
#ifndef DSM_REPORT_DECLARED_H
#define DSM_REPORT_DECLARED_H

#include <stdint.h>

#include "base/arena.h"
#include "dsm/answer.h"
#include "dsm/file.h"

/** A declared layer with its primary layers added up (a bidirectional lstm has two), or its part of
 * one that several declared layers are together. */
typedef struct dsm__declared {
  uint64_t parameters;
  uint64_t forward_macs;   /**< per sample, all timesteps */
  double activation_bytes; /**< stored output, per sample, all timesteps */
} dsm__declared;

/** One for each dsm_workload.specs, in the arena; NULL if out of memory. */
const dsm__declared *dsm__declared_derive(dsm__arena *arena, const dsm_workload *workload);

/** The workload and the system that a description holds, which may be those of a plan, or NULL. */
const dsm_workload *dsm__described_workload(const dsm_described *item);
const dsm_system *dsm__described_system(const dsm_described *item);

/** What a description is. */
typedef struct dsm__described_as {
  dsm_description kind;
  const char *name;   /**< a plan has none of its own and bears its workload's */
  const char *source; /**< NULL: not stated */
} dsm__described_as;

dsm__described_as dsm__described_as_what(const dsm_described *item);

/** All cores, and all MACs, of a system. */
uint64_t dsm__system_cores(const dsm_system *system);
double dsm__system_macs(const dsm_system *system);

/** Memory of a chip; the description has GB = 10^9 bytes. */
double dsm__chip_memory_bytes(const dsm_system *system);

#endif
