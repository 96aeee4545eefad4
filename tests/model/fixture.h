/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fixture.h: layers and systems with friendly numbers, made without a description.
 *
 * All are values: a test changes the fields that it is about. A machine borrows its system; after a
 * change of a rate or a count it is derived again.
 */
#ifndef DSM_TESTS_MODEL_FIXTURE_H
#define DSM_TESTS_MODEL_FIXTURE_H

#include "dsm/model.h"

/**
 * A torus of m x n chips of 4 cores. Pr = 4, Pc = 4 * 2 = 8, startup 100 cycles, 4 element-passes a
 * cycle, 3 of them for an exponential. Bytes a cycle: X 8, Y 4, memory 16, ring 32, scratchpad 4.
 * A scratchpad has 16384 bytes. Every assumption has a value of its own, so that none can stand for
 * another: mask 0.125, saved statistics 0.25, memory bytes reduce 1.5, broadcast 5, rotate 0.5,
 * relayout 6, weight update 7, ring crossings 2. The refined equations are off.
 */
dsm_system friendly_system(uint64_t chips_x, uint64_t chips_y);

/* Chips along axes x, y and z. */
typedef struct grid {
  unsigned axis_count;
  uint64_t chips[DSM_AXES_MAX];
} grid;

/* The same along other axes; a link along z has 2 bytes a cycle. */
dsm_system friendly_grid(const grid *sides);

uint64_t grid_chips(const grid *sides);

/** The same with 4 x 2 chips, where rotation passes no memory, so that the stream's is that of what
 * is and is not on chip alone. */
dsm_system plain_memory_system(void);

/** B = 2, Bg = 4, Ba = 6. */
dsm_precision friendly_precision(void);

/** A convolution of stride 1 that keeps the feature size: iij = ij. */
dsm_layer conv_layer(uint64_t in, uint64_t out, uint64_t ij, uint64_t kij, uint64_t groups);

/**
 * Convolution 12 -> 20, 6 x 6 positions pooled to 3 x 3, kernel 2 x 2: in_el = 12*36 = 432,
 * out_el = 20*36 = 720, st_el = 20*9 = 180, w_el = 12*20*4 = 960.
 */
dsm_layer pooled_conv(void);

dsm_layer with_residual_and_norm(dsm_layer layer);

dsm_layer fc_layer(uint64_t in, uint64_t out);

/** X inputs and H hidden units in one direction. */
dsm_layer lstm_layer(uint64_t inputs, uint64_t hidden, uint64_t timesteps);

/** The second operand has in * out elements. */
dsm_layer matmul_layer(uint64_t in, uint64_t out, uint64_t timesteps);

dsm_loops loops(uint64_t in, uint64_t out, uint64_t ij, uint64_t kij, uint64_t mb);

/** Bytes of memory that an invocation moves in its overlapped cycles. */
double streamed_bytes(const dsm_pass_work *work, const dsm_loops *split);

/** Bytes of each link, to the tolerance of ASSERT_CLOSE. */
void assert_traffic(dsm_traffic actual, double x, double y, double memory, double ring);

/* The same of up to three axes. */
void assert_axis_traffic(dsm_traffic actual, const double axes[DSM_AXES_MAX], double memory,
                         double ring);

#endif
