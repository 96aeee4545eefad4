/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_record.h: a front as a document: what is written, and read. */
#ifndef DSM_PARTITION_ANSWER_FRONT_RECORD_H
#define DSM_PARTITION_ANSWER_FRONT_RECORD_H

#include "dsm/partition_front.h"
#include "report/data/records.h"
#include "report/figure/plot_maker.h"

/** A front, its points as rows. */
typedef struct dsm__front_document {
  dsm_front of;
  dsm__rows points; /**< of dsm_front_point */
  dsm__rows plans;  /**< partitions, as documents */
  bool has_latency; /**< among the objectives; said to people alone, as the rest is */
  bool has_energy;
  bool are_bounds; /**< of some point */
} dsm__front_document;

static inline bool dsm__front_has(const dsm_front *front, dsm_objective_kind objective) {
  return (front->objectives & 1U << objective) != 0;
}

/** Draws a dsm_front. */
void dsm__plot_front(dsm__plot_maker *maker, const void *of);

extern const dsm__record_type dsm__front_record;
extern const dsm__record_type dsm__front_point_record; /**< of dsm_front_point */

#endif
