/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * naive_dispatch.h: the dispatch simulation once more, written from docs/dispatch.md without any
 * structure but lists: each step looks through everything that was ever planned.
 */
#ifndef DSM_TESTS_PARTITION_NAIVE_DISPATCH_H
#define DSM_TESTS_PARTITION_NAIVE_DISPATCH_H

#include "random_dispatch.h"

enum { NAIVE_REQUESTS = 64, NAIVE_MOVES = NAIVE_REQUESTS * RANDOM_TENSORS * RANDOM_DEVICES };

/* A carrier on the way of a move: device, port or pair, by kind and direction. */
enum { NAIVE_LEGS = 8 };
typedef enum naive_kind {
  NAIVE_LINK,
  NAIVE_INTO,
  NAIVE_PORT_OUT,
  NAIVE_PORT_IN,
  NAIVE_PAIR
} naive_kind;
typedef struct naive_leg {
  naive_kind kind;
  size_t index;
  size_t from; /* of a pair */
  double seconds;
  double fixed; /* of these */
  double end;
} naive_leg;

typedef struct naive_move {
  size_t request;
  size_t tensor; /* tensor_count + i: the result of task i */
  size_t task;
  size_t from;
  size_t to;
  double begin;
  double end;
  naive_leg legs[NAIVE_LEGS];
  size_t leg_count;
} naive_move;

typedef struct naive_task {
  bool is_given;
  bool is_over; /* its end was handled */
  size_t device;
  size_t number; /* in the order in which tasks were given away */
  double given;
  double begin;
  double end;
  bool is_forming; /* waits on the device until its batch is full */
  double joined;   /* when that began */
  double ready;    /* when its inputs are there */
  size_t members;  /* of its batch */
} naive_task;

typedef struct naive_dispatch {
  const dsm_partition *partition;
  dsm_dispatch_options options;
  naive_task tasks[NAIVE_REQUESTS][RANDOM_TASKS];
  bool is_planned[NAIVE_REQUESTS]; /* entered is known */
  bool is_in[NAIVE_REQUESTS];
  size_t way[NAIVE_REQUESTS]; /* of those that are in */
  double entered[NAIVE_REQUESTS];
  double left[NAIVE_REQUESTS];
  bool is_out[NAIVE_REQUESTS][RANDOM_TASKS]; /* the result of a task has left */
  bool is_done[NAIVE_REQUESTS];
  naive_move moves[NAIVE_MOVES];
  size_t move_count;
  size_t given_count;
  size_t partial_count; /* batches that were not full */
  uint64_t random;
} naive_dispatch;

/** At most NAIVE_REQUESTS requests. */
void naive_dispatch_run(naive_dispatch *naive, const dsm_partition *partition,
                        const dsm_dispatch_options *options);

#endif
