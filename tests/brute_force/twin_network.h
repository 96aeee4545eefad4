/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_NETWORK_H
#define DSM_TESTS_TWIN_NETWORK_H

/* Sections 2, 3 and 5: chips along axes, what a parallelism makes of them, and what goes between
 * them. */

#include "twin_input.h"

/* What a parallelism makes of the axes (section 3). */
typedef struct {
  double nm; /* chips that share the features */
  double nd; /* chips that share the minibatch */
  bool is_data[TWIN_MAX_AXES];
} twin_layout;

/* Bytes of a chip's link along each axis. */
typedef struct {
  double along[TWIN_MAX_AXES];
} twin_links;

double twin_chips(const twin_system *system);

/* Where the stages of pipelines stand, and the chips of a row: all of the axes before it. */
const twin_axis *twin_last_axis(const twin_system *system);
double twin_row_chips(const twin_system *system);

/* What a stage of so many columns and rows has. */
twin_system twin_stage_system(const twin_system *system, size_t columns, size_t rows);

/* How many parallelisms differ: the first so many. */
size_t twin_parallelism_count(const twin_system *system);

twin_layout twin_layout_of(const twin_system *system, twin_parallelism parallelism);
twin_layout twin_layout_with(const twin_system *system, const bool is_data[TWIN_MAX_AXES]);

/* Section 3: the groups of a chip; cores that share one of them, all of them where there is one
 * group; and into how many parts the cores along k_out divide the outputs. */
double twin_chip_groups(const twin_node *node, twin_layout layout);
double twin_cores_of_group(const twin_node *node, twin_layout layout, double k_out);
double twin_output_parts(const twin_node *node, twin_layout layout, double k_out);

/* Iterations over what turns: none of an attention, whose chips have whole heads, nor of an
 * embedding, which multiplies nothing. */
double twin_turns(const twin_node *node, twin_layout layout);

/* Features of a group that a chip reduces, and that it produces. */
double twin_group_inputs(const twin_node *node, twin_layout layout);
double twin_group_outputs(const twin_node *node, twin_layout layout);

/* Cycles of concurrent transfers: the slowest link decides. NULL: nothing between chips. */
/* Section 5, kinds of interconnect: bytes that the busiest link of the cores of a chip carries, of
 * bytes of the chip of which each core has its part, or where each core sends so many to others, or
 * to any core at all. */
double twin_even_bytes(const twin_system *system, double bytes);
double twin_sent_bytes(const twin_system *system, double bytes);
double twin_anywhere_bytes(const twin_system *system, double bytes);

double twin_group_cycles(const twin_system *system, const twin_links *links, double memory_bytes,
                         double ring_bytes);

/* What turns in an invocation along the axes of the features, `full` bytes on a chip. */
typedef struct {
  twin_links links;
  double largest_bytes; /* along any axis */
  double all_bytes;     /* along all axes */
  double latency_cycles;
} twin_rotation;

twin_rotation twin_rotation_of(const twin_system *system, const twin_layout *layout, double full);

/* Half of an all-reduce of `bytes` on each chip along the axes of the samples: the sum, or the way
 * back. Without latency. */
double twin_half_all_reduce_moving_cycles(const twin_system *system, const twin_layout *layout,
                                          double bytes, double memory_factor);

/* The latency of its steps. */
double twin_all_reduce_steps_cycles(const twin_system *system, const twin_layout *layout);

/* Steps along an axis, one after the other. */
double twin_steps(const twin_axis *axis);

/* Sums along the axes of the samples as libraries make them: `ways` 1 a reduce-scatter or an
 * all-gather, 2 an all-reduce, of `bytes` on each chip. */
typedef struct {
  const twin_layout *layout;
  double bytes;
  double ways;
  double memory_bytes;
  bool is_begun;  /* by another one, which has paid the base */
  bool is_joined; /* with those of other layers */
} twin_collective;

typedef struct {
  double moving_cycles; /* without latency */
  double latency_cycles;
} twin_collective_cycles;

twin_collective_cycles twin_collective_of(const twin_system *system, const twin_collective *what);

/* How many times longer than its data alone a protocol keeps a link of an axis busy. */
double twin_protocol_slowing(const twin_axis *axis, const twin_protocol *by);

/* What moves in a reduction of `bytes` on each chip, by a protocol or (NULL) without one; and where
 * switches add, there and back. */
double twin_moving_cycles_by(const twin_system *system, const twin_layout *layout, double bytes,
                             double memory_bytes, const twin_protocol *by);
double twin_adding_cycles_by(const twin_system *system, const twin_layout *layout, double bytes,
                             double memory_bytes, const twin_protocol *by);

/* Cycles of an all-to-all of `total_bytes` (of the whole system); 0 where `from` is `to`. */
double twin_move_cycles(const twin_system *system, double total_bytes, twin_parallelism from,
                        twin_parallelism to);

/* From a stage to the next, `bytes` a chip. */
double twin_hand_over_cycles(const twin_system *system, double bytes);

#endif
