/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages_record.h: the format "dsm-stages/1", as tables of fields. */
#ifndef DSM_CHAIN_STAGES_RECORD_H
#define DSM_CHAIN_STAGES_RECORD_H

#include "base/description.h"
#include "base/record.h"
#include "chain/chain.h"

/** A list of names; NULL: it is not there. */
typedef struct dsm__stages_names {
  const char *const *items;
  size_t count;
} dsm__stages_names;

/** An operation of a stage. */
typedef struct dsm__stages_operation {
  const char *name;
  double forward_seconds;
  double backward_seconds;
  double bytes;
  double error_bytes; /**< infinite: as bytes */
  double temporary_bytes;
  dsm__stages_names inputs;
  dsm__stages_names needs;
} dsm__stages_operation;

/** A stage, or several that are equal. */
typedef struct dsm__stages_entry {
  const char *name;
  uint64_t count;
  double output_bytes;    /**< infinite: it does not say */
  double error_bytes;     /**< likewise */
  double forward_seconds; /**< likewise */
  double temporary_bytes;
  bool is_recomputable;
  const dsm_remat_option *options;
  size_t option_count;
  const dsm__stages_operation *operations;
  size_t operation_count;
} dsm__stages_entry;

/** A document. */
typedef struct dsm__stages_document {
  const char *name;
  const char *source;
  uint64_t minibatch;
  double input_bytes;
  double input_error_bytes;
  double budget_bytes;
  double link_bytes_per_second;
  const dsm__stages_entry *entries;
  size_t entry_count;
} dsm__stages_document;

extern const dsm__record_type dsm__stages_record;
extern const dsm__record_type dsm__stage_record;
extern const dsm__record_type dsm__stage_option_record;
extern const dsm__record_type dsm__stage_operation_record;

extern const dsm__description dsm__stages_description;

/** The format's name of the input of a stage, among those of its operations. */
#define DSM__STAGES_INPUT "input"

#endif
