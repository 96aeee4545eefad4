/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_PARTS_H
#define DSM_TESTS_INSTANCE_PARTS_H

/* The two halves of an instance. */

#include "instance_keys.h"
#include "instance_network.h"
#include "instance_random.h"
#include "instance_text.h"
#include "twin.h"

/* A whole workload description, with a network of the default settings. */
void instance_workload_write(instance_text *text, instance_random *random);

void instance_workload_write_network(instance_text *text, instance_random *random,
                                     const instance_network *network, size_t minibatch);

enum { INSTANCE_MAX_AXES = 3 };

/* What makes a system's time. */
typedef enum {
  INSTANCE_ANY_REGIME,
  INSTANCE_MEMORY_REGIME, /* bandwidth of the memory: holding and DySM pay */
  INSTANCE_STARTUP_REGIME /* start-ups, with fast links: pipelining pays */
} instance_regime;

/* Axes in place of the short form of two. */
typedef struct {
  size_t count; /* 0: the short form */
  size_t chips[INSTANCE_MAX_AXES];
  bool has_keys; /* of links and collectives */
} instance_axes;

/* About every third instance has some, of at most 8 chips in all, and half of these have keys. */
instance_axes instance_axes_pick(uint64_t seed);

/* Exchanges axes so that the last is the longest: there stages of pipelines stand. */
void instance_axes_lengthen_last(instance_axes *axes);

/* How many parallelisms a system with these axes has. */
size_t instance_parallelism_count(const instance_axes *axes);

/* The part `system` of a system with axes. */
void instance_axes_write(instance_text *text, instance_random *random, const instance_axes *axes,
                         const double bandwidths_GBps[INSTANCE_MAX_AXES]);

/* What of a system is not random. */
typedef struct {
  instance_axes axes;
  double capacity_GB;
  instance_key_set keys; /* of refined equations: those that are on */
  bool is_full;          /* what follows counts, and the keys of reuse and DySM are written;
                            else that is random, or absent */
  instance_regime regime;
  size_t chips_x; /* of the short form */
  size_t chips_y;
  bool is_uniform;               /* model.dysm_uniform */
  double streaming_buffer_bytes; /* per core */
  double scratchpad_bytes;       /* per core */
} instance_system;

/* A whole system description; `random` by value, so that it can be written again with another
 * capacity or scratchpad. */
void instance_system_write(instance_text *text, instance_random random,
                           const instance_system *system);

/* A capacity of a chip's memory that binds, or at times one in which nothing fits, or an ample one.
 */
double instance_capacity_GB(instance_random *random, const twin_result *unbound);

/* More than any instance needs. */
#define INSTANCE_AMPLE_GB 1024.0

#endif
