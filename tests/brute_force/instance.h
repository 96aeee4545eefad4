/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_H
#define DSM_TESTS_INSTANCE_H

/*
 * Random, valid, small inputs for the brute-force twin: a workload of 1 to 5 layers (at most
 * TWIN_MAX_LAYERS expanded), a system of up to 6 x 6 chips or of up to 8 along one to three axes,
 * and the options to explore them with. The same seed makes the same texts on every machine. Of the
 * refined equations only the keys that are `allowed` can be on; nothing else depends on what is
 * allowed, but capacities and what the twin has time for.
 */

#include <stdint.h>

#include "instance_keys.h"
#include "twin.h"

enum { INSTANCE_TEXT_SIZE = 8192 };

typedef struct {
  uint64_t seed;
  bool has_axes;      /* in place of the short form */
  bool has_axis_keys; /* and keys of links and collectives */
  twin_options options;
  instance_key_set keys;                  /* of refined equations, those that are on */
  char workload_json[INSTANCE_TEXT_SIZE]; /* dsm-workload/1 */
  char system_json[INSTANCE_TEXT_SIZE];   /* dsm-system/1 */
} instance;

/* In about a third of the instances the memory of a chip binds; in some of these nothing fits. Runs
 * the twin once. */
void instance_make(instance *out, uint64_t seed, instance_key_set allowed);

/* What an instance of all options is explored with; hybrid is on unless said otherwise. */
typedef enum {
  INSTANCE_REUSE,
  INSTANCE_DYSM,
  INSTANCE_DYSM_UNIFORM, /* reuse too, one factor for all convolutions */
  INSTANCE_PIPELINE,
  INSTANCE_PIPELINE_REUSE,
  INSTANCE_PER_PASS,
  INSTANCE_PER_PASS_ONLY, /* without hybrid */
  INSTANCE_ALL,
  INSTANCE_ALL_LIMITED, /* the memory of a chip binds, or nothing fits */
  INSTANCE_MIXED,       /* some options, perhaps without hybrid, some parallelisms */
  INSTANCE_MIXED_LIMITED,
  INSTANCE_INFERENCE,
  INSTANCE_INFERENCE_LIMITED,
  INSTANCE_RECURRENT, /* another network, of lstm for pipelines, and another system; all options */
  INSTANCE_RECURRENT_LIMITED,
  INSTANCE_CASE_COUNT
} instance_case;

/* A word for messages. */
const char *instance_case_name(instance_case which);

/*
 * For reuse, dysm, pipeline and per_pass: at most 4 expanded layers, 8 chips and 8 cores, with
 * scratchpads at which holding is sometimes possible, sometimes not, and often exactly at the
 * limit. All cases of a seed but the recurrent ones share the workload and, but for capacity and
 * dysm_uniform, the system;
 * where pass by pass there are too many mappings, the parallelisms are fewer. Runs the twin once
 * where memory is limited.
 */
void instance_make_full(instance *out, uint64_t seed, instance_case which,
                        instance_key_set allowed);

#endif
