/* SPDX-License-Identifier: GPL-3.0-or-later */
/* programme_writer.h: a programme being written: first only counted, then stored, by the same code.
 * Shared by programme.c (the paper's columns and rows), programme_placing.c (what plans to be
 * deployed have to keep), programme_latency.c (how long requests may take) and programme_tight.c
 * (what tightens). */
#ifndef DSM_PARTITION_PROGRAMME_WRITER_H
#define DSM_PARTITION_PROGRAMME_WRITER_H

#include "partition/instance_facts.h"
#include "partition/programme.h"
#include "partition/routes.h"

typedef struct dsm__writer {
  dsm__programme *made;
  const dsm_instance *instance;
  const dsm_partition_options *options;
  dsm__programme_form form;
  dsm__routes routes;
  bool is_latency;
  bool has_links; /**< some transfer takes time */
  bool is_chain;
  bool has_few_copies;           /**< fewer copies of a task are allowed than there are devices */
  size_t *begins;                /**< [i * m + j]: columns of stages */
  size_t *cuts;                  /**< [t * m + j]: columns of cuts */
  bool *is_roomy;                /**< [j]: all that can run there fits (tight: nothing to decide) */
  bool *leaves;                  /**< [i] */
  double sizes[DSM_DEVICES_MAX]; /**< of batches, rising, each once */
  size_t size_count;
  double waits[DSM_DEVICES_MAX];       /**< of (13a): time units for a group to grow to each size */
  double first_waits[DSM_DEVICES_MAX]; /**< likewise, less than that at the first task */
  double speed_limit; /**< requests per second that no answer has more than, where times of 0 ask */
  size_t by_need[DSM__ORDER_TASKS_MAX]; /**< the tasks that order equal devices */
  size_t order_count;
} dsm__writer;

/** Number of the new column. */
size_t dsm__write_column(dsm__writer *w, dsm__column column);

/** Number of the new row; entries go to it until the next. */
size_t dsm__begin_row(dsm__writer *w, dsm__row row);

/** Nothing where there is no such column, or for 0. */
void dsm__write_entry(dsm__writer *w, size_t column, double value);

/** Index of (task or tensor, device) in the programme's tables. */
size_t dsm__place_of(const dsm__writer *w, size_t major, size_t device);

/** p_ij in time units. */
double dsm__spent(const dsm__writer *w, size_t task, size_t device);

/** Time units of the whole batch in which device j runs task i. */
double dsm__batch_spent(const dsm__writer *w, size_t task, size_t device);

/** Requests per time unit below which no answer is of interest. */
double dsm__least_rate(const dsm__writer *w);

/** Time units that a request's own input, and a tensor (or result) that device j sends, add to its
 * latency, with those of its batch; a tensor's are 0 where they depend on who receives it, which
 * the last says then. */
double dsm__input_cost(const dsm__writer *w, size_t task, size_t device);
double dsm__sending_cost(const dsm__writer *w, size_t tensor, size_t device);
double dsm__moving_cost(const dsm__writer *w, size_t tensor, size_t from, size_t to);

/** Columns f_tjk of what device j sends of tensor t, and their rows; none where who receives
 * matters not. */
void dsm__write_moved_columns(dsm__writer *w, size_t tensor, size_t device);
void dsm__write_moved_rows(dsm__writer *w, size_t tensor);

/** (6) of all carriers. */
void dsm__write_carrier_rows(dsm__writer *w);

/** (13), where a request may take so long and no longer, and with batches (13a) and (13b), with
 * their columns; after a survey of the sizes of batches, and with room for columns of groups.
 * False: out of memory. */
void dsm__survey_batches(dsm__writer *w);
bool dsm__reserve_groups(dsm__writer *w, dsm__arena *arena);
void dsm__write_latency_columns(dsm__writer *w);
void dsm__write_latency_rows(dsm__writer *w);

/** Columns and rows of what limits where tasks may be: copies, stages, cuts. */
void dsm__write_placing_columns(dsm__writer *w);
void dsm__write_placing_rows(dsm__writer *w);

/** The rows of a tight programme that the paper's has not; after all others. */
void dsm__write_tight_rows(dsm__writer *w);

/** Columns o_j of devices that can be turned off, and rows (14) of a task on one that can, which
 * runs there at most so often in a time unit. (1) has 1 or o_j on its right side. */
void dsm__write_on_columns(dsm__writer *w);
void dsm__write_on_row(dsm__writer *w, size_t task, size_t device, double most);

#endif
