/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_KEYS_H
#define DSM_TESTS_INSTANCE_KEYS_H

/* The keys of a system's `model` part that turn a refined equation on. */

#include "instance_random.h"
#include "instance_text.h"

typedef enum {
  INSTANCE_KEY_PARTIAL_SUM_BYTES,
  INSTANCE_KEY_EXACT_ROTATION,
  INSTANCE_KEY_EXACT_FORKS,
  INSTANCE_KEY_OVERLAPPED_HAND_OVER,
  INSTANCE_KEY_PIPELINE_COLUMNS,
  INSTANCE_KEY_LSTM_GATE_ERRORS,
  INSTANCE_KEY_STATISTICS_SUMS,
  INSTANCE_KEY_TWO_WAY_RELAYOUT,
  INSTANCE_KEY_LAYOUT_MOVE_ALWAYS, /* layout_move has one of two words, */
  INSTANCE_KEY_LAYOUT_MOVE_EXACT,  /* the second where both are on */
  INSTANCE_KEY_CHARGE_HELD_MASKS,
  INSTANCE_KEY_PREFER_HOLDING,
  INSTANCE_KEY_RESIDENT_OPERANDS, /* on: false */
  INSTANCE_KEY_COUNT
} instance_key;

/* A set: bit k stands for key k. */
typedef unsigned instance_key_set;
#define INSTANCE_KEY_BIT(key) (1U << (unsigned)(key))
#define INSTANCE_EVERY_KEY (INSTANCE_KEY_BIT(INSTANCE_KEY_COUNT) - 1U)

/* The key of the format, but "layout_move=always" and "layout_move=exact". */
const char *instance_key_name(instance_key key);

/* Reads "all", "none", or names with commas between them; false if one is no name. */
bool instance_keys_parse(instance_key_set *out, const char *names);

/* Some of the keys that are allowed: none, all, or each on a coin; at most one layout_move. */
instance_key_set instance_keys_pick(instance_random *random, instance_key_set allowed);

/* Into an object that is open; keys that are off are written now and then. */
void instance_keys_write(instance_text *text, instance_random *random, instance_key_set on);

/* Of several instances, in how many each key is on, and how many workloads have each of some keys.
 */
enum { INSTANCE_WORKLOAD_KEY_COUNT = 4 };
typedef struct {
  unsigned instances[INSTANCE_KEY_COUNT];
  unsigned workloads[INSTANCE_WORKLOAD_KEY_COUNT];
} instance_key_counts;

void instance_key_count(instance_key_counts *counts, instance_key_set on, const char *workload);

/* Two lines on standard output. */
void instance_key_counts_print(const instance_key_counts *counts);

#endif
