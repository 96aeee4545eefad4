/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_record.h: what a description holds, as a row. */
#ifndef DSM_REPORT_DATA_DESCRIBE_RECORD_H
#define DSM_REPORT_DATA_DESCRIBE_RECORD_H

#include "report/data/describe_devices.h"
#include "report/data/describe_layers.h"
#include "report/data/records.h"
#include "report/layout.h"
#include "workload/workload_internal.h"

#define DSM__ITEM_FIGURES_MAX 5

/** What a file describes. */
typedef struct dsm__item_row {
  dsm_described of; /* with what its plan is of; first: parts of an item begin where it does */
  const char *file;
  dsm_description kind;
  const char *name;
  dsm_sweep sweep;
  size_t tasks;
  size_t tensors;
  double weights_bytes;
  dsm__described_devices of_server; /**< or of a profile */
  const char *system;
  dsm_explore_options options;
  dsm_plan_result result;
  uint64_t minibatch;
  dsm__described_layer totals;
  dsm__rows layers;
  double peak_flops;
  double machine_balance;
  uint64_t chips;
  uint64_t cores;
  double macs_per_cycle;
  double memory_bytes;
  dsm__rows axes;
  dsm__rows parameters;
  double step_seconds;
  dsm__rows stages;
  double figures[DSM__ITEM_FIGURES_MAX]; /**< of what a companion alone knows, */
  const void *own;                       /**< likewise, */
  const dsm__layout *layout;             /**< and how it is shown; NULL: the core knows it */
  dsm_dataset dataset;
  const char *heading; /**< of a plan, said to people alone, as the rest is */
  const char *source;
  const char *system_source; /**< of a system, also of a plan's */
  const char *base;          /**< of a system that has one, */
  const char *changes;       /**< and what it states itself */
  const char *record;        /**< of a sweep */
  const char *elements;      /**< of which the peak of a system is */
  const char *axes_text;
  const char *reserve;
  dsm__parameter_counts counts; /**< of a workload */
  size_t layer_count;
  size_t other_count; /**< layers with other bytes than it has */
  double element_bytes;
  uint64_t all_weights; /**< with those of embeddings */
  double stored_bytes;  /**< of these */
  double cache_bytes;
  const char *optimizer; /**< NULL: none */
  const char *types;     /**< by use, that are stated; NULL: none */
} dsm__item_row;

/** The row of a description. */
dsm__item_row dsm__item_of(dsm__page *page, const dsm_described *item);

extern const dsm__record_type dsm__item_record;
extern const dsm__layout dsm__item_layout;

#endif
