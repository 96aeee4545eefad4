/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chip_link.h: what moves between chips (sections 5, 8 and 11); equations.h has what a chip does.
 */
#ifndef DSM_MODEL_CHIP_LINK_H
#define DSM_MODEL_CHIP_LINK_H

#include "dsm/model.h"

/**
 * Cycles of the steps of a collective along an axis, of one step, and before its first. Source:
 * section 5. Symbols: (n-1) L, with both_ways half of that; L; base. Limits: one chip: 0; 0 us: 0.
 */
double dsm__axis_latency_cycles(const dsm_machine *machine, unsigned axis);
double dsm__step_latency_cycles(const dsm_machine *machine, unsigned axis);
double dsm__collective_base_cycles(const dsm_machine *machine);

/**
 * A reduce-scatter of `bytes` a chip among the chips of some axes, or its reverse, an all-gather:
 * what their links carry, and the latency but for the base. See collective.c.
 */
dsm_traffic dsm__reduce_scatter_traffic(const dsm_machine *machine, dsm_axis_set members,
                                        double bytes);

/** Steps of a collective along each axis. */
typedef struct dsm__steps {
  double along[DSM_AXES_MAX];
} dsm__steps;

/**
 * Source: section 5. Symbols: n - 1 along an axis, with both_ways half of that; of one ring through
 * N members N/p - N/(p*n), p those of the axes before. Limits: one member: 0.
 */
dsm__steps dsm__steps_of(const dsm_network *network, dsm_axis_set members, bool is_all_to_all);

/** Of that, what a chip receives: from its link of each axis, in one ring from one link only. */
double dsm__received_bytes(const dsm_machine *machine, const dsm_traffic *traffic);

/** Of a reduction, what passes the links of the cores: reduce_ring_crossings of what is received.
 */
double dsm__crossing_bytes(const dsm_machine *machine, const dsm_traffic *traffic);

/** What the links of an axis carry in an all-to-all of `bytes` a chip. See collective.c. */
double dsm__all_to_all_bytes(const dsm_machine *machine, unsigned axis, double bytes);

/** The halves of an all-reduce: the sum of gradients, and the way back of weights. */
enum { DSM__HALF_SUM, DSM__HALF_WAY_BACK, DSM__HALF_COUNT };

/** What a layer computes before it can sum, and after that. */
typedef struct dsm__reduction {
  double update_cycles;
  double backward_cycles;
  double cycles[DSM__HALF_COUNT];
  double begin[DSM__HALF_COUNT];   /**< found: after the first layer began */
  double visible[DSM__HALF_COUNT]; /**< found: of cycles, after the last layer has computed */
} dsm__reduction;

/**
 * What computing does not hide of a chain of collectives, in the order in which layers are updated,
 * the last layer first. Source: section 5, model.overlapped_reduction; a flow shop of two machines.
 * Symbols: C += u; a half begins at max(C, E), E = begin + its cycles; C += b; visible is what it
 * has after the C of all. Limits: nothing computed after the first sum begins: all is visible.
 */
void dsm__reductions_overlap(dsm__reduction *reductions, size_t count);

/**
 * Features rotated among the chips that share them. Source: section 5; DSM II-D (rotation along X
 * every iteration, along Y once every m). Symbols: full; of two axes that turn (full, full/m), of
 * one (full, 0) or (0, full); with exact_rotation one move less: (full*(m-1)/m, full*(n-1)/(n*m)),
 * (full*(m-1)/m, 0), (0, full*(n-1)/n); rm = rotate_memory_bytes * max(x, y) on memory and ring;
 * partial sums that turn: everything widened, Ba / Bi or Ba / Bo times, ring x + y. Limits: an axis
 * of length 1, or another role, carries nothing.
 */
dsm_traffic dsm__rotation_traffic(const dsm_machine *machine, double widening, dsm_divided turning,
                                  bool are_sums, dsm_parallelism parallelism, double full_bytes);

/**
 * What roles make the chips of an axis exchange in an invocation. Source: sections 3 and 5, the
 * table of roles. Symbols: column: input's error all-reduced in backward; row: output all-reduced
 * in forward; gather_column: input all-gathered in forward and update, its error reduce-scattered
 * in backward; row_scatter: output reduce-scattered in forward, its error all-gathered in update
 * (without one, in backward); spatial: halos; expert: tokens there and back in forward, their
 * errors in backward; model.feature_statistics: statistics all-reduced, forward and backward. Sums
 * in partial_sum_bytes. Limits: data and model, without statistics: nothing.
 */
dsm_exchanges dsm__exchanges_derive(const dsm_pass_work *work);

/**
 * Of what roles make chips exchange in an invocation, what shows beside its product. Source:
 * section 5, model.overlapped_collectives and model.overlapped_dispatch. Symbols: C -
 * min(s*C, product), the exchanges C each with its share s; with the product max(product + (1-s)*C,
 * C). Limits: s = 0: C; s = 1: what the links take longer than the product.
 */
double dsm__shown_cycles(const dsm_pass_work *work, double product);

/**
 * Keys or values that turn among chips which share an attention's positions. Source: section 5,
 * spatial attention. Symbols: an all-gather of b bytes beside the streams, b through the memory
 * model.collective_memory_bytes times; half of it in each of the two invocations of a backward
 * pass. Limits: no such axes: dsm__is_operand_turning is false.
 */
dsm_traffic dsm__operand_traffic(const dsm_pass_work *work);
bool dsm__is_operand_turning(const dsm_pass_work *work);

/**
 * What a chip has of an attention's keys or values while their product runs beyond its own part, of
 * all that its queries see. Source: section 12. Symbols: (1 - 1/ng)/nt, ng chips of the axes that
 * gather them, nt of those along which they turn. Limits: none gathers: 0.
 */
double dsm__gathered_operand_share(const dsm_layer *layer, const dsm_network *network,
                                   dsm_parallelism parallelism);

/**
 * Weights that are shared out, gathered for a pass. Source: section 12. Symbols: an all-gather over
 * dsm__broadcast_axes. Limits: no such axes: memory alone.
 */
dsm_traffic dsm__weights_gathering(const dsm_layer *layer, const dsm_machine *machine,
                                   dsm_precision precision, const dsm_pass_layouts *layouts);

/**
 * dsm_weight_traffic_derive with or without shards of the update, whatever model.sharded_update
 * says. Source: section 5 (gradient reduction). Limits: one chip: the same.
 */
dsm_weight_traffic dsm__sharded_weight_traffic(const dsm_layer *layer, const dsm_machine *machine,
                                               dsm_precision precision,
                                               const dsm_pass_layouts *layouts, bool is_sharded);

/**
 * Axes over which a layer's gradients are summed. Source: sections 3 and 5. Symbols: those that
 * share samples or positions; of layers with experts not those that share the experts. Limits:
 * model: none.
 */
dsm_axis_set dsm__summing_axes(const dsm_layer *layer, const dsm_network *network,
                               dsm_parallelism parallelism);

/** What passes from a stage of a step to the next for a micro-batch, or an error back. */
typedef struct dsm_boundary {
  double bytes;       /**< of the tensor on a chip, once it is there */
  dsm_traffic shift;  /**< to the chip at the same place of the next stage */
  dsm_traffic gather; /**< there, along axes on which it is whole */
} dsm_boundary;

/**
 * The output of a layer, or its error, handed over along an axis that stages divide; the machine is
 * that of a stage. Source: section 8. Symbols: T st_el mb B / (chips of the stage) shifted, over c
 * links of a ring or line whose stages have c chips, on a line for each of `stages`; then (t-1)/t
 * of what a chip has, where t have the same, without latency. Limits: nothing whole: no gather.
 */
dsm_boundary dsm__boundary_derive(const dsm_layer *layer, const dsm_machine *machine,
                                  dsm_precision precision, uint64_t samples, unsigned axis,
                                  size_t stages, dsm_parallelism parallelism);

/**
 * Gradients of weights that layers of two stages share, all-reduced over both, each chip what it
 * has summed. Source: section 8. Symbols: an all-reduce over 2 of w_el Bg / (cut and summed over).
 * Limits: no weights: nothing.
 */
dsm_traffic dsm__tie_traffic(const dsm_layer *layer, const dsm_machine *machine,
                             dsm_precision precision, unsigned axis, dsm_parallelism parallelism);

/** Collectives by what goes where. */
typedef enum dsm__collective_kind {
  DSM__COLLECTIVE_ONE_WAY,   /**< a reduce-scatter, or its reverse, an all-gather */
  DSM__COLLECTIVE_BOTH_WAYS, /**< an all-reduce */
  DSM__COLLECTIVE_ALL_TO_ALL
} dsm__collective_kind;

/** A collective among the chips of some axes. */
typedef struct dsm__collective_asked {
  dsm__collective_kind kind;
  dsm_axis_set members;    /**< one or more, each of more than one chip */
  double bytes;            /**< of a chip: before a reduce-scatter, after an all-gather */
  double memory_bytes;     /**< that pass the memory */
  bool is_kept_from_cores; /**< nothing of it passes their links */
  bool is_begun;           /**< it goes on with what another one began */
  bool is_joined;          /**< it is part of a large one */
} dsm__collective_asked;

/**
 * What a collective puts on links, memory and links of cores, and its latency. Source: section 5.
 * Symbols: dsm__reduce_scatter_traffic, of an all-reduce twice, or dsm__all_to_all_bytes of each
 * axis; base + steps * L; or dsm__by_protocol of that. Limits: one member: memory alone.
 */
dsm_traffic dsm__collective_traffic(const dsm_machine *machine, const dsm__collective_asked *asked);

/**
 * The same collective by the fastest protocol of the system, along axes that have protocols.
 * Source: section 5, protocols. Symbols: of links bytes * max(1/e, usable/most), in the network
 * b*(1 + 1/n) * that; latency r * (base + steps * step). Limits: no such axes or protocols: plain.
 */
dsm_traffic dsm__by_protocol(const dsm_machine *machine, const dsm__collective_asked *asked,
                             const dsm_traffic *plain);

/**
 * Axes along which weights go back to all chips after an update. Source: section 11. Symbols: those
 * along which the update leaves weights in pieces, summed or cut, and forward or backward has them
 * whole. Limits: model in all passes: none.
 */
dsm_axis_set dsm__broadcast_axes(const dsm_layer *layer, const dsm_network *network,
                                 const dsm_pass_layouts *layouts);

/** Chips of some axes together. */
double dsm__chips_of(const dsm_network *network, dsm_axis_set axes);

#endif
