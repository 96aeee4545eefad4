/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_layers.h: declared layers of workloads, and their sums, inside of what descriptions
 * hold. */
#ifndef DSM_REPORT_DATA_DESCRIBE_LAYERS_H
#define DSM_REPORT_DATA_DESCRIBE_LAYERS_H

#include "report/data/records.h"
#include "report/declared.h"
#include "workload/workload_internal.h"

/** A declared layer, or all of them. */
typedef struct dsm__described_layer {
  const char *name;
  dsm_layer_type type;
  dsm__parameter_counts counts; /**< of all */
  double cache_bytes;           /**< likewise */
  dsm__declared of;
  double element_bytes;   /**< stated of the layer; 0: not */
  double weight_bytes;    /**< likewise */
  double own_cache_bytes; /**< likewise */
} dsm__described_layer;

extern const dsm__record_type dsm__described_layer_record;
extern const dsm__record_type dsm__described_totals_record;

/** The layers, in order. */
dsm__rows dsm__described_layers(dsm__page *page, const dsm_workload *workload);

/** Their sums. */
dsm__described_layer dsm__described_totals(const dsm_workload *workload);

#endif
