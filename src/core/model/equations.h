/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * equations.h: the model's equations that are no public interface, one pure function each.
 *
 * Each has a card: source, symbols, domain, limits. "Section" is docs/model.md; "DSM" is the
 * DeepSpatialMatrix paper. docs/model.md names each function beside its equation.
 */
#ifndef DSM_MODEL_EQUATIONS_H
#define DSM_MODEL_EQUATIONS_H

#include "dsm/model.h"

/**
 * Chips among which a parallelism divides something of a layer. Source: section 3, the table of
 * roles. Symbols: product of the lengths of the axes whose role divides it. Limits: data: 1, but
 * for samples; model: all chips, but for samples.
 */
uint64_t dsm__divided_ways(const dsm_machine *machine, dsm_parallelism parallelism,
                           dsm_divided what);

/**
 * Chips that do not share samples or rows and have parts of a layer's input where it lies between
 * layers. Source: section 3. Symbols: product of the lengths of the axes that cut its features, or
 * positions where the layer gathers them. Limits: data, column: 1; model: all.
 */
double dsm__lying_ways(const dsm_machine *machine, dsm_parallelism parallelism);

/**
 * How many times more of its input a chip works on than the part of the output that it stores is of
 * the output. Source: section 3. Symbols: ways of the stored output over lying ways of the input.
 * Limits: words of the paper: 1; column: n.
 */
double dsm__input_widening(const dsm_machine *machine, const dsm_chip_share *share);

/**
 * Chips among which a parallelism cuts the samples of stored tensors. Source: section 3. Symbols:
 * product of the lengths of the axes with layout D, those of data and expert. Limits: model: 1.
 */
uint64_t dsm__sample_ways(const dsm_machine *machine, dsm_parallelism parallelism);

/**
 * Tokens of the busiest of the chips that share a layer's experts, over those of each on average.
 * Source: section 3, model.expert_imbalance. Symbols: it multiplies what a chip computes, and the
 * bytes of activations that it moves, sends and receives. Limits: no axis with the role expert: 1.
 */
double dsm__expert_imbalance(const dsm_layer *layer, const dsm_machine *machine,
                             dsm_parallelism parallelism);

/**
 * What joins the cores of a chip. Source: section 5, kinds of interconnect. Symbols: the table of
 * interconnect.c. Limits: ring: all passes one link; none: nothing passes.
 */
dsm_core_links dsm__core_links_derive(const dsm_chip *chip);

/**
 * Do two parallelisms divide layers alike, and rotate the same? Source: sections 3 and 5: an axis
 * of length 1 divides nothing and carries nothing. Limits: one chip: all do.
 */
bool dsm__are_alike(const dsm_machine *machine, dsm_parallelism a, dsm_parallelism b);

/**
 * The most parts of a loop in a valid split. Source: section 3. Symbols: ChipD_d, of the input
 * features those of one group. Limits: one group: ChipD_d.
 */
uint64_t dsm__parts_max(const dsm_chip_share *share, dsm_dim dim);

/** The loops of the busiest core, group by group. */
typedef struct dsm__core_work {
  uint64_t groups; /**< groups of a grouped convolution on the core; else 1 */
  uint64_t in;     /**< input features of a group */
  uint64_t out;    /**< output features of a group */
  uint64_t ij;
  uint64_t kij;
  uint64_t mb;
} dsm__core_work;

/** Share of the MACs and of the auxiliary work of a layer that is done. Source: section 4. Symbols:
 * with model.causal_skip 1 - hidden_share. Limits: no mask: 1. */
double dsm__visible_share(const dsm_layer *layer, const dsm_assumptions *model);

/** Does an attention's score stay on chip, as its producer or its reader sees it? With
 * model.fused_attention; false of all other layers. */
bool dsm__is_score_fused(const dsm_layer *layer, const dsm_assumptions *model);
bool dsm__is_read_score_fused(const dsm_layer *layer, const dsm_assumptions *model);

/** Bytes of an element of weights or of a cache. Source: section 2. Symbols: what the workload
 * states, else B. Limits: nothing stated: B. */
double dsm__stated_bytes(double stated, double element_bytes);

/** Bytes of a weight of a layer. Source: section 2 (element sizes of a layer). */
double dsm__layer_weight_bytes(const dsm_layer *layer, double weight_bytes, double element_bytes);

/** Bytes that a weight takes of a chip's memory. Source: section 12. Symbols: Bk; cast for products
 * Bp, in training both. Limits: read as it is stored: Bk. */
double dsm__kept_weight_bytes(const dsm_layer *layer, const dsm_workload *workload, dsm_mode mode);

/** Bytes of an element of a layer's cache, likewise. */
double dsm__layer_cache_bytes(const dsm_layer *layer, double cache_bytes, double element_bytes);

/**
 * Bytes of an element of the tensors of a pass. Source: section 2 (element sizes of a layer).
 * Symbols: Bi, Bo, Bk, Bs and Ba over that of the result: Bo in forward, Bi in backward, Bk in
 * update; of what products read at most Bp. Limits: a layer that states nothing and reads from
 * such: B, weights Bw, Ba / B.
 */
dsm_tensor_bytes dsm__tensor_bytes_derive(const dsm_layer *layer, const dsm_precision *precision,
                                          dsm_mode mode, dsm_pass pass);

/** Rate of the arrays with elements of a type. Source: section 4 (rates of types). */
double dsm__type_rate(const dsm_system *system, dsm_element_type type);

/**
 * Rate of the arrays in a pass of a layer. Source: section 4 (array rate). Symbols: of the type of
 * its operands; else of the stated type of all elements; else of the larger of the two elements
 * that the pass multiplies: Bi and Bk in forward, Bo and Bk in backward (of a product of
 * activations Bi too), Bi and Bo in update. Limits: all of one size: that of the workload.
 */
double dsm__pass_array_rate(const dsm_layer *layer, const dsm_system *system,
                            const dsm_precision *precision, dsm_mode mode, dsm_pass pass);

/** The type of that rate. Source and limits: the same. */
dsm_element_type dsm__pass_element_type(const dsm_layer *layer, const dsm_precision *precision,
                                        dsm_mode mode, dsm_pass pass);

/**
 * What a technology says of each thing that is counted. Source: docs/energy.md. Symbols: joules; a
 * type without a number has that of the next wider one; where the busiest link of a core counts, a
 * byte on it is one on that of each core. Limits: what is not stated: 0.
 */
dsm_energy_rates dsm__energy_rates_of(const dsm_system *system, const dsm_core_links *links);

/**
 * What products and operations of an invocation take on a chip. Source: docs/energy.md. Symbols:
 * MACs, of all chips shared out evenly, * e_mac of their type; operand bytes / columns and sum
 * bytes
 * * 2 / rows of each * e_scratchpad; elements that operations pass over * e_vector. Limits: no
 * rates: 0.
 */
dsm_joules dsm__work_energy(const dsm_pass_work *work, dsm_element_type type, double macs,
                            double operations);

/**
 * Joules of an invocation on a chip that no core split changes. Source: docs/energy.md. Symbols:
 * the energy above, and the bytes of rotation, exchanges and operations of their own;
 * `is_turning_streamed`: what turns is in the streams on the chip's own links. Limits: as above.
 */
double dsm__fixed_joules(const dsm_pass_work *work, bool is_turning_streamed);

/** Do the groups of a layer have operands of their own, so that chips can have whole groups each
 * and nothing is turned between them? */
bool dsm__has_own_groups(const dsm_layer *layer);

/**
 * Positions, times the samples that multiply the same operand, of a core's part: those of a product
 * of activations have an operand each.
 */
double dsm__shared_positions(const dsm_layer *layer, uint64_t ij, uint64_t mb);

/**
 * Cores that share one group's output features. Source: section 3. Symbols: max(1, floor(k_out /
 * g)): all groups must run at once, so cores that do not make up one more for each group idle.
 * Limits: g = 1: k_out.
 */
uint64_t dsm__parts_within_group(uint64_t groups, const dsm_loops *split);

/**
 * Parts into which the output features are really divided. Source: section 3. Symbols: min(g,
 * k_out) groups times the cores of each. Limits: g = 1: k_out.
 */
uint64_t dsm__output_parts(uint64_t groups, const dsm_loops *split);

/**
 * CoreD. Source: section 4. Symbols: c_d = ceil(ChipD_d / k_d); with groups g > 1, k_out splits
 * whole groups before it splits within one: g_c = ceil(g / min(g, k_out)), in = ceil(nin / g /
 * k_in), out = ceil(nout / g / max(1, floor(k_out / g))). Domain: all parts >= 1. Limits: one core:
 * ChipD.
 */
dsm__core_work dsm__core_work_derive(const dsm_chip_share *share, const dsm_loops *split);

/**
 * Blocks of weights that an array works through. Source: section 4; DSM II-E ("the array executes
 * computations in chunks of P"). Symbols: (red, prod) = (c_in, c_out), exchanged in backward;
 * g_c * ceil(red / Pr) * ceil(prod / Pc) * c_kij, with unroll_kernel_on_rows
 * g_c * ceil(red * c_kij / Pr) * ceil(prod / Pc). Limits: a core's work smaller than the array is
 * one block a kernel position.
 */
double dsm__array_blocks(const dsm_machine *machine, dsm_pass pass, const dsm__core_work *core);

/**
 * Blocks of one of n arrays that share the features produced. Source: section 4, core.arrays.
 * Symbols: n = core.arrays; of g_c * ceil(prod / Pc) columns of blocks ceil(that / n). Limits: one
 * array: dsm__array_blocks.
 */
double dsm__shared_blocks(const dsm_machine *machine, dsm_pass pass, const dsm__core_work *core);

/**
 * Multiply-accumulates of a core a cycle at its peak. Source: section 2. Symbols: the larger of Pr
 * * Pc * arrays * rate of the element type and vector_macs_per_cycle: one of them computes at a
 * time; or of peak_TFLOPS / 2 f / cores * rate. Limits: one array, no vector unit: Pr * Pc.
 */
double dsm__core_macs_per_cycle(const dsm_system *system, double array_rate);

/**
 * Cycles that a block of weights stays in the array. Source: section 4. Symbols: stream / rate,
 * stream = c_ij * c_mb or what an array has of it, rate that of the element type; with
 * weights_from_scratchpad at least Pr * Pc * Bk / scratchpad bytes per cycle for each of the blocks
 * loaded at once. Limits: an infinitely fast scratchpad: stream / rate.
 */
double dsm__block_cycles(const dsm_machine *machine, double array_rate, double kernel_bytes,
                         double stream, double blocks_at_once);

/**
 * Cycles in which the arrays of an invocation start up. Source: section 4; DSM II-D (startup time).
 * Symbols: nm * startup, once per feature iteration. Limits: one chip: one start-up.
 */
double dsm__startup_cycles(const dsm_machine *machine, uint64_t model_ways);

/**
 * Cycles that arrays lose where their block of weights changes. Source: section 4, derived there
 * (fill and drain of a weight-stationary array). Symbols: nm * blocks * array.block_cycles. Limits:
 * block_cycles 0 (double buffering): 0.
 */
double dsm__block_change_cycles(const dsm_machine *machine, uint64_t model_ways, double blocks);

/**
 * Cycles of an array for each block of weights. Source: section 4. Symbols: stream /
 * array.efficiency_ratio + array.block_cycles. Limits: efficiency 1, no block cycles: stream.
 */
double dsm__whole_block_cycles(const dsm_machine *machine, double block_cycles);

/**
 * Primary compute cycles of an invocation. Source: section 4; DSM II-D (PriComp with startup time).
 * Symbols: nm * blocks * (stream / efficiency_ratio + array.block_cycles) + nm * startup. Limits:
 * one chip: one feature iteration.
 */
double dsm__primary_cycles(const dsm_machine *machine, uint64_t model_ways, double blocks,
                           double block_cycles);

/** What computes in a core, and for how long. */
typedef struct dsm__primary {
  dsm_computing computing;
  double cycles;         /**< primary */
  double blocks;         /**< that each array works through; 0: no array does */
  bool is_block_loading; /**< a block of weights takes longer to load than to use */
} dsm__primary;

/**
 * Source: section 4. Symbols: primary; of n > 1 arrays the least of two ways to share: features
 * produced, dsm__shared_blocks, each with a block of its own; samples and positions, ceil(stream /
 * n), all with the same block; and of these and the vector unit the least. Limits: one array, no
 * vector unit: dsm__primary_cycles of dsm__array_blocks.
 */
dsm__primary dsm__primary_derive(const dsm_pass_work *work, const dsm__core_work *core);

/** Its cycles alone: without choices sooner. */
double dsm__primary_of_core(const dsm_pass_work *work, const dsm__core_work *core);

/** Of primary start-ups, and changes of blocks; none where no array works. */
double dsm__primary_starting(const dsm_pass_work *work, const dsm__primary *primary);

/**
 * Cycles in which the vector unit of a core does so many multiply-accumulates, nm times. Source:
 * section 4, core.vector_macs_per_cycle. Symbols: nm * macs / rate. Limits: no unit: infinite.
 */
double dsm__vector_cycles(const dsm_machine *machine, uint64_t model_ways, double macs);

/** A product of matrices, of a chip and one feature iteration. */
typedef struct dsm__product {
  double batch;        /**< q: products alike */
  double rows;         /**< M */
  double columns;      /**< N */
  double summed;       /**< K */
  double row_bytes;    /**< of an element of the operand with rows; 0: as the workload's */
  double column_bytes; /**< of that with columns */
} dsm__product;

/**
 * What a pass multiplies. Source: section 4, model.tile_schedule; a convolution as a product
 * (im2col). Symbols: of each of g groups: forward M = mb*ij, N = out, K = in*kij; backward M =
 * mb*iij, N = in, K = out*kij / (product of both strides), at least out*kij*ij/iij; update M = out,
 * N = in*kij, K = mb*ij; a matmul has a product for each sample. Limits: M*N*K*q = macs*mb, in
 * backward at least, and where iij = ij * strides.
 */
dsm__product dsm__product_derive(const dsm_layer *layer, const dsm_chip_share *share,
                                 dsm_pass pass);

/** Gives a product the bytes of its operands' elements: rows of inputs in forward, of errors in
 * backward, both by the kernel; in update errors by inputs. */
void dsm__product_size(dsm__product *product, const dsm_tensor_bytes *bytes, dsm_pass pass);

/**
 * Cycles of a product in waves of tiles. Source: section 4, model.tile_schedule. Symbols: tiles =
 * q*ceil(M/tm)*ceil(N/tn)*k, kk = ceil(K/k); ceil(tiles/cores) * (max(tm*tn*kk /
 * (Pr*Pc*arrays*rate*efficiency), min(tm*Bm/c+tn*Bn, tm*Bm+tn*Bn/c)*kk / (ring/cores)) +
 * tile_startup), c = core.shared_operands, and where k > 1 2*k*q*M*N*4 / amem. Limits: one core,
 * tiles that divide all, no start-up: M*N*K*q / rate.
 */
dsm_tile_schedule dsm__tile_time(const dsm_machine *machine, const dsm_precision *precision,
                                 const dsm__product *product, const dsm_tile *tile);

/** Multiply-accumulates of the arrays of a core a cycle, all of them. Source: section 4,
 * model.tile_schedule. Symbols: Pr * Pc * arrays * rate. Limits: one array, 16 bits: Pr * Pc. */
double dsm__tile_macs_per_cycle(const dsm_machine *machine, const dsm_precision *precision);

/** Cycles in which sums in parts cross the memory for auxiliary operations, and a shared one.
 * Source: section 4. Limits: none: 0. */
double dsm__sums_cycles(const dsm_machine *machine, double bytes);

/** What decides the time of sums in parts: memory for auxiliary operations, or a slower shared one.
 */
dsm_bound dsm__sums_bound(const dsm_machine *machine);

/**
 * Cycles of a product on a chip of which the peak rate is known. Source: section 4,
 * chip.peak_TFLOPS. Symbols: batch * rows * columns * summed / (peak / 2 f * r *
 * efficiency_ratio). Limits: infinite peak: 0.
 */
double dsm__peak_cycles(const dsm_system *system, double array_rate, const dsm__product *product);

/**
 * The tile and parts of least time, the first of equals, nm times. Source: section 4,
 * model.tile_schedule. Symbols: sides are tile_least_side times powers of two, one at most twice
 * the other, of at most tile_most_elements, the smallest in any case; k = 1, 2, 4 .. 64 with K/k >=
 * 64. Limits: one shape, K < 128: dsm__tile_time of it.
 */
dsm_tile_schedule dsm__tile_schedule_find(const dsm_machine *machine,
                                          const dsm_precision *precision,
                                          const dsm__product *product, double times);

/** Overhead of an invocation whose kernel multiplies in tiles. Source: section 4,
 * model.tile_schedule. Symbols: core.kernel_floor_us. Limits: nothing to multiply: 0. */
double dsm__kernel_floor_cycles(const dsm_pass_work *work);

/** Is a layer part of one kernel of an attention: its score, softmax and sums of values? With
 * model.fused_attention and model.tile_schedule. */
bool dsm__is_attention_kernel(const dsm_layer *layer, const dsm_system *system);

/**
 * What an invocation computes of an attention's kernel. Source: section 4 (attention as one
 * kernel; FlashAttention 2 and 3, flash decoding). Symbols: of h heads a product, least over the
 * divisors h of heads/kv heads and p = 1, 2, 4 .. with keys/p >= 256 of max(products*p*W/cores,
 * max one) and for p > 1 the sums of parts; one = max(tm*k*(d+v) / (Pr*Pc*arrays*rate*a),
 * k*(d+v)*Bk / (ring/cores)) + attention_tile. Limits: kv heads multiplied: never less.
 */
dsm_tile_schedule dsm__attention_schedule(const dsm_pass_work *work);

/** Cycles of an invocation beside what it computes and moves. Source: section 4 (attention as one
 * kernel). Symbols: its share of core.attention_floor_us. Limits: both layers: once a pass. */
double dsm__attention_floor_cycles(const dsm_pass_work *work);

/**
 * Element-passes of auxiliary work per sample and timestep. Source: section 4; DSM II-A. Symbols:
 * o = out_el, t = transcendental_passes, H = st_el of an lstm. Domain: passes that the layer has;
 * a layer without backward does its backward work in update. Limits: no operations: 0.
 */
double dsm__auxiliary_ops(const dsm_layer *layer, const dsm_system *system, dsm_mode mode,
                          dsm_pass pass);

/** Does a pass cast what it reads to the type of its operands, or the error of the output? Source:
 * section 4 (casts). Limits: what never leaves the kernel of a fused attention: no. */
bool dsm__casts_input(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass);
bool dsm__casts_error(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass);

/** Element-passes of a chip that widen weights as they are read. Source: section 4 (casts).
 * Symbols: ker / Bk. Limits: weights that are stored as products read them: 0. */
double dsm__widening_ops(const dsm_layer *layer, dsm_pass pass, const dsm_chip_bytes *bytes,
                         const dsm_tensor_bytes *each);

/** The same of a forward pass of which nothing is masked or fused. */
double dsm__forward_ops(const dsm_layer *layer, double transcendental_passes, dsm_mode mode);

/**
 * Element-passes in which a layer adds its input's error to what later users of the input have
 * left, per sample and timestep. Source: section 5, exact_forks. Symbols: fork_el in backward.
 * Limits: an input without a later user: 0.
 */
double dsm__fork_ops(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass);

/**
 * Of both, what works on the input where it lies between layers. Source: section 4. Symbols: pools,
 * upsample and normalisations of the input, forks. Limits: nothing on the input: 0.
 */
double dsm__input_ops(const dsm_layer *layer, const dsm_system *system, dsm_mode mode,
                      dsm_pass pass);

/**
 * Auxiliary cycles of an invocation. Source: section 4. Symbols: ops * mbc / nm / cores /
 * sfu_ops_per_cycle. Limits: no operations: 0.
 */
double dsm__auxiliary_cycles(const dsm_machine *machine, const dsm_chip_share *share, double ops);

/** Cycles of element-passes that all cores of a chip share. Source: section 4. */
double dsm__special_function_cycles(const dsm_machine *machine, double ops);

/**
 * How many times its bytes a tensor takes where it lies in tiles. Source: section 5, padded tiles;
 * the TPU performance guide (8 x 128). Symbols: up(v, k) = ceil(v/k)*k / v, b = mbc / stacks, C
 * features; pad = min(up(b, minor)*up(C, second), up(C, minor)*up(b, second)). Limits: tiles that
 * divide both sides: 1.
 */
double dsm__padding(const dsm_memory *memory, uint64_t samples, double features);

/**
 * Adds what operations of their own read and write in external memory. Source: section 2. Symbols:
 * bytes / amem. Limits: without a rate of its own amem is memory's; a shared memory has it too.
 */
void dsm__add_auxiliary_traffic(const dsm_machine *machine, dsm_traffic *traffic, double bytes);

/**
 * Bytes of memory that updating a weight moves. Source: section 5, weight update. Symbols: sgd 20,
 * lars 28, adam 28, adam_mixed 40, with 2 momenta of adam, else 1, of which each is read and
 * written in its type, in place of 4 bytes. Limits: no optimizer: 0, the system says.
 */
double dsm__optimizer_traffic_bytes(dsm_optimizer optimizer, dsm_element_type of_momenta);

/**
 * Elements that a layer's auxiliary operations read from memory and write there, per sample and
 * timestep. Source: section 4, auxiliary_traffic. Symbols: tra = sum over operations of e * o, o =
 * out_el, of a fork fork_el; e the key model.traffic_OP_PASS, 0 for what rides along, of 4 bytes *
 * 4 / B; out_h: forward 0, backward at most 2 of a normalisation and 1 of others. Domain: passes
 * that the layer has; a layer without backward does its backward work in update. Limits: none, an
 * lstm: 0.
 */
double dsm__auxiliary_elements(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                               dsm_pass pass, const dsm_residency *residency, double element_bytes);

/**
 * Of these, what operations on the input and forks do. Source: section 4. Symbols: as above, o =
 * in_el and fork_el. Limits: nothing on the input: 0.
 */
double dsm__input_elements(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass,
                           const dsm_residency *residency, double element_bytes);

/**
 * Auxiliary operations of an invocation that are kernels of their own. Source: section 4. Symbols:
 * k = 1 for each normalisation (but a batch_norm of inference), softmax and cross_entropy, with
 * unfused traffic 1 for each operation that reads or writes anything where nothing is held, but not
 * for a bias. Domain: passes that the layer has, as dsm__auxiliary_elements. Limits: an lstm: 0.
 */
double dsm__auxiliary_kernels(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                              dsm_pass pass);

/**
 * Does the traffic of auxiliary operations have what a residual adds, in place of `fix`? Source:
 * section 5. Limits: unfused, but not in the forward pass of a layer whose output is held, where
 * the addition is on chip.
 */
bool dsm__is_shortcut_auxiliary(const dsm_assumptions *model, dsm_pass pass,
                                const dsm_residency *residency);

/**
 * Bytes of an invocation and chip that do not depend on the core split. Source: section 5. Symbols:
 * inp = in_el*mbc/nm*Bi, st = st_el*mbc/nm*Bo, raw = out_el*mbc/nm*Bo, ker = w_el/nm*Bk (matmul
 * operand_el*mbc/nm*Bk), save, mask, saved statistics, fix, defer, kt, full = in_el*mbc*Bi; what
 * the residency keeps on chip (section 7) does not move to or from memory, but with layout_move
 * among the cores: inp in forward, st in update and backward; with "exact" st in forward and inp in
 * backward too, where the split does not fit. Fields that the pass does not use are 0.
 */
dsm_chip_bytes dsm__chip_bytes_derive(const dsm_layer *layer, const dsm_machine *machine,
                                      dsm_precision precision, dsm_mode mode, dsm_pass pass,
                                      const dsm_chip_share *share, const dsm_residency *residency);

/** Bytes of a core's share of the three data structures. */
typedef struct dsm__core_bytes {
  double input;  /**< s_in */
  double output; /**< s_out */
  double kernel; /**< kcore */
} dsm__core_bytes;

/**
 * Source: section 5. Symbols: s_in = inp / (k_in*k_ij*k_mb), with groups inp / (min(g, k_out) *
 * k_in*k_ij*k_mb); s_out = raw / (k_out*k_ij*k_mb); kcore = ker / (k_in*k_kij*k_out), matmul with
 * k_mb in place of k_out. Limits: one core: the chip's.
 */
dsm__core_bytes dsm__core_bytes_derive(const dsm_layer *layer, uint64_t groups_of_chip,
                                       const dsm_chip_bytes *chip, const dsm_loops *split);

/**
 * Tiles in which a core's part of a data structure is worked through. Source: section 5. Symbols:
 * ceil(part / tile), tile = cap / 2 (double buffered). Limits: what fits half the room: 1.
 */
double dsm__tiles(double bytes, double scratchpad_bytes);

/** How often the streamed data structures are fetched. */
typedef struct dsm__refetch {
  double features; /**< times that the pass's moving features are fetched; in update the input */
  double kernel;   /**< times that the kernel is fetched; in update the errors of the output */
  double sums;     /**< times that all sums of the pass are written before they are finished, and
                        read again */
} dsm__refetch;

/** The loops of a core that tiles divide, of a group. Real, so that they can be bounds. */
typedef struct dsm__core_extents {
  double in;
  double out;
  double positions; /**< times samples that multiply the same operand */
  double kij;       /**< which tiles do not divide */
} dsm__core_extents;

/**
 * What tiles are made of, that does not depend on the core split. Source: section 5, model.tiling.
 * Symbols: e_in = inp / (inc*ij*mbc), e_out = raw / (outc*ij*mbc), e_ker = ker /
 * ((inc/g)*outc*kij), ker of all experts, of a matmul over mbc too; Ba over Bo, Bi or Bk; spilled
 * = 2 * (raw unless out_h, inp unless in_h, ker * (1 - resident)) times that in forward, backward,
 * update. Limits: "paper", or with model.tile_schedule: 0.
 */
dsm_tile_bytes dsm__tile_bytes_derive(const dsm_pass_work *work);

/** What an invocation would move with nothing held, nothing written later. Source: section 7.
 * Limits: nothing held: its bytes. */
dsm_chip_bytes dsm__open_bytes_derive(const dsm_pass_work *work);

/**
 * What passes a shared memory. Source: section 7. Symbols: what section 5 reads and writes where
 * nothing is held, and defer. Limits: no shared memory: 0.
 */
dsm_shared_bytes dsm__shared_bytes_derive(const dsm_pass_work *work);

/**
 * How often external memory has what is fetched again. Source: section 7. Symbols: once, and sums
 * never, where io_in, ker (of the update pass its errors) or the sums fit in what is left of a
 * shared memory; else as often as the cores. Limits: no shared memory: as the cores.
 */
dsm__refetch dsm__memory_refetch(const dsm_pass_work *work, dsm__refetch refetch);

/** The loops of a core with a split. Source: section 5, model.tiling. Symbols: c_in, c_out,
 * c_ij*c_mb, c_kij. Limits: "paper", or with model.tile_schedule: 0, as nothing needs them. */
dsm__core_extents dsm__core_extents_derive(const dsm_pass_work *work, const dsm_loops *split);

/** What the memory, or the busiest link of the cores, has to do for the streams of a pass, each
 * fetched once: cycles, or shares of a limit. */
typedef struct dsm__stream_load {
  double fixed; /**< for all that is moved once in any case */
  double features;
  double kernel;
  double spilled; /**< for all sums once written and once read */
} dsm__stream_load;

enum { DSM__STREAM_LOADS = 3 };

/** Of the memory, of links that carry what a core needs, and of a shared memory. */
typedef struct dsm__stream_loads {
  dsm__stream_load of[DSM__STREAM_LOADS];
  int count;
} dsm__stream_loads;

/**
 * The tiles of least load, of the larger one. Source: section 5, model.tiling "blocked". Symbols:
 * counts of tiles ceil(loop / side) of the loops that two operands and their product share
 * pairwise; sides: powers of two times odd divisors up to 63 of the chip's loop, and the whole
 * loop; two tiles of the operands, and the sums of a tile, within cap. One of the three stays: sums
 * finish in one go, or are spilled once for each further tile of what is summed up. Of equals
 * `least`, then the first. Limits: all fits: each once.
 */
dsm__refetch dsm__blocked_refetch(const dsm_pass_work *work, const dsm__core_extents *extents,
                                  const dsm__stream_loads *loads, dsm__refetch least);

/** The paper's two orders of loops; in update there is one. */
typedef struct dsm__refetch_orders {
  dsm__refetch kernel_outer;
  dsm__refetch feature_outer;
} dsm__refetch_orders;

/** What each order fetches again: dsm__refetch_derive has their card. With a shared memory a kernel
 * that stays there is fetched in tiles as any other. */
dsm__refetch_orders dsm__refetch_orders_derive(const dsm_pass_work *work,
                                               const dsm__core_bytes *core);

/**
 * Loop order of the stream between memory and scratchpad. Source: section 5. Symbols: tile =
 * cap / 2 (double buffered); kernel-outer re-fetches the features n1 = ceil(kcore / tile) times (1
 * with the whole kernel resident), feature-outer the kernel ceil(s / tile) times, s = s_in forward,
 * s_out backward; the cheaper order is taken, kernel-outer of equals. update: features n1 times.
 * With model.tiling "blocked" tiles of all loops where they are cheaper. With a shared memory the
 * order with which the slowest of memory, shared memory and link of the cores takes least. Limits:
 * what fits a tile is fetched once.
 */
dsm__refetch dsm__refetch_derive(const dsm_pass_work *work, const dsm__core_bytes *core,
                                 const dsm__core_extents *extents);

/** Of what a chip streams, the shares that the busiest link of its cores carries. */
typedef struct dsm__stream_shares {
  double input;
  double output; /**< where it is read */
  double kernel;
  double rest; /**< what each core has a part of its own of */
} dsm__stream_shares;

/** All of everything: what the memory carries, and a ring. */
extern const dsm__stream_shares dsm__whole_stream;

/**
 * Source: section 5, kinds of interconnect. Symbols: ring 1; crossbar and mesh s_in / inp, s_out /
 * raw, kcore / ker, 1 / c, with model.tile_schedule all 1 / c; none 0. Limits: one core of a
 * crossbar: 1, as of a ring.
 */
dsm__stream_shares dsm__stream_shares_derive(const dsm_pass_work *work,
                                             const dsm__core_bytes *core);

/**
 * Of the streams of an invocation, the bytes that something carries which has these shares of them.
 * Source: section 5. Limits: dsm__whole_stream: dsm__memory_bytes.
 */
double dsm__streamed_bytes(const dsm_pass_work *work, dsm__refetch refetch,
                           const dsm__stream_shares *shares);

/** dsm__refetch_derive without a shared memory, and with one. */
dsm__refetch dsm__scratchpad_refetch(const dsm_pass_work *work, const dsm__core_bytes *core,
                                     const dsm__core_extents *extents);
dsm__refetch dsm__shared_refetch(const dsm_pass_work *work, const dsm__core_bytes *core,
                                 const dsm__core_extents *extents);

/**
 * dsm_resident_breaks_derive with a shared memory, where all else takes `bound_cycles`. Source:
 * section 10. Symbols: with an order o of loops external memory takes a_o - rho * b_o, all else of
 * the stream c_o; the least of max(c_o, a_o - rho * b_o) falls less steeply where an order reaches
 * its c_o. Limits: no kernel: 0 is needed.
 */
dsm_resident_breaks dsm__shared_breaks(const dsm_pass_work *work, const dsm__core_bytes *core,
                                       double bound_cycles);

/**
 * Of what passes a shared memory, the bytes that it carries, and that the link of the cores does
 * with its shares: all but what is on the way to external memory. Source: section 7. Limits:
 * nothing held, room for nothing: both are what a ring carries of external memory.
 */
double dsm__shared_memory_bytes(const dsm_pass_work *work, dsm__refetch refetch);
double dsm__shared_link_bytes(const dsm_pass_work *work, dsm__refetch refetch,
                              const dsm__stream_shares *shares);

/**
 * External memory traffic of an invocation and chip. Source: section 5, table and mem; DSM Fig. 5,
 * FetchInp, FetchKer, WriteOut. Limits: every structure in a tile: the table's sum.
 */
double dsm__memory_bytes(const dsm_pass_work *work, dsm__refetch refetch);

/**
 * Cycles of the stream that overlaps with the arrays: memory and links of cores, and rotation but
 * in backward. Source: sections 5 and 6. Limits: nothing moves: 0.
 */
double dsm__stream_cycles(const dsm_pass_work *work, const dsm__core_bytes *core,
                          const dsm__core_extents *extents);

/**
 * Price on a weighed machine of an invocation of so many cycles, whose cores stream as in
 * dsm__stream_cycles and exchange so many bytes. Source: docs/energy.md. Limits: no joules count:
 * the cycles, weighed.
 */
double dsm__stream_price(const dsm_pass_work *work, double cycles, const dsm__core_bytes *core,
                         const dsm__core_extents *extents, double exchanged_bytes);

/** Cycles of so many bytes on the link of the cores. Source: section 2. Limits: none: 0. */
double dsm__core_link_cycles(const dsm_machine *machine, double bytes);

/**
 * On the busiest link of the cores: bytes of a chip of which each core has its part. Source:
 * section 5, kinds of interconnect. Symbols: ring: all; crossbar, mesh: bytes / c. Limits: none: 0.
 */
double dsm__spread_bytes(const dsm_machine *machine, double bytes);

/**
 * On the busiest link of the cores: where each core sends so many bytes to others. Source: section
 * 5, kinds of interconnect. Symbols: ring 1, crossbar 2, mesh 2*d(b) times. Limits: none: 0.
 */
double dsm__exchanged_bytes(const dsm_machine *machine, double bytes);

/**
 * Bytes a cycle in which a core gets the operands of a tile. Source: section 4,
 * model.tile_schedule. Symbols: ring / c; crossbar, mesh: of its link; at most its part of the
 * shared memory's. Limits: none, and no shared memory: infinite.
 */
double dsm__tile_operand_bytes_per_cycle(const dsm_machine *machine);

/** The link that decides it, of equals that of the cores. */
dsm_link dsm__tile_operand_link(const dsm_machine *machine);

/**
 * Smallest resident fraction with which a forward invocation's streams are at most `limit` bytes
 * on what has these shares of them. Source: section 10, from section 5's mem. Symbols: rest =
 * io_out + fix + save + defer, k = the whole kernel; kernel-outer 1 - (limit - rest - io_in*n1) /
 * k, feature-outer 1 - (limit - rest - io_in) / (k*ceil(s_in/tile)), the smaller, at least 0.
 * Limits: 1 where even a kernel that is on chip leaves more traffic than the limit; no kernel: 0.
 */
double dsm__resident_fraction_within(const dsm_pass_work *work, const dsm__core_bytes *core,
                                     const dsm__stream_shares *shares, double limit);

/**
 * The same with tiles of all loops, where a fraction is known that is enough. Source: section 10,
 * model.tiling "blocked". Symbols: the least fraction over all tiles with which memory and link
 * keep within their limits. Limits: "paper": what is known.
 */
double dsm__blocked_fraction_within(const dsm_pass_work *work, const dsm__core_bytes *core,
                                    const dsm__core_extents *extents, double memory_limit,
                                    double link_limit, double enough);

/**
 * Share of the experts' weights that an invocation fetches: of those that some position of the
 * chip's samples is sent to. Source: section 5. Symbols: inference 1 - (1 - k/E)^(s*mbc), each
 * position's experts being chosen evenly. Limits: training, or no experts: 1.
 */
double dsm__fetched_experts(const dsm_layer *layer, const dsm_chip_share *share, dsm_mode mode);

/**
 * Positions that are sent to experts, of all that these have room for: E * ij, with ij rounded up.
 * Source: section 1. Limits: no experts, or positions that divide among them evenly: 1.
 */
double dsm__sent_share(const dsm_layer *layer);

/**
 * Partial sums between the cores of a chip. Source: section 5; DSM Fig. 5, PartialSumAcc. Symbols:
 * (r - 1) / r * part; forward r = k_in*k_kij of s_out, backward r = k_out*k_kij of s_in*nm, update
 * r = k_ij*k_mb of kcore (matmul none); Ba / Bo, Ba / Bi, Ba / Bk bytes each. Limits: r = 1 (one
 * core): 0.
 */
double dsm__partial_sum_bytes(const dsm_pass_work *work, const dsm_loops *split,
                              const dsm__core_bytes *core);

/**
 * Sums of statistics between the cores of a chip, four bytes each. Source: section 5,
 * statistics_sums; DSM Fig. 5 (partial sums of auxiliary layers). Symbols: batch_norm in training
 * (r-1)/r * 2*(nout/nm/k_out)*4, r = k_ij*k_mb: two statistics a feature; softmax, layer_norm,
 * cross_entropy (k_out-1)/k_out * 2*(mbc/k_mb)*4: two a sample; in forward and where the layer does
 * its backward auxiliary work. Limits: one core, or cores that share no statistic: 0.
 */
double dsm__statistics_bytes(const dsm_pass_work *work, const dsm_loops *split);

/**
 * Latency of the statistics of a batch_norm that chips share in training, of a pass that does the
 * layer's auxiliary work. Source: section 5, normalization_group. Symbols: q = min(g, S) / max(1,
 * mbc / stacks), at least 1; ceil(log2 q) * 2 * L, L of the innermost axis along which more than
 * one chip shares samples. Limits: a group within a memory, or no such axis: 0.
 */
double dsm__statistics_cycles(const dsm_pass_work *work, uint64_t samples);

/**
 * Links that data passes on a ring that carries both ways, on average over all members, itself
 * among them. Source: sections 5 and 7, derived there. Symbols: floor(k*k/4)/k: the shorter ways
 * from one member are min(i, k-i) for i = 0 .. k-1, and sum up to floor(k*k/4). Domain: 1 <=
 * members <= 2^20. Limits: one member: 0; even k: k/4.
 */
double dsm__two_way_distance(uint64_t members);

/**
 * Bytes of held tensors that move to other cores. Source: section 7, layout_move. Symbols: "always"
 * all of inp and st that are held; "exact" st unless the split fits the output's layout, and inp *
 * (st_el of the producers that it does not fit) / (st_el of all). Limits: nothing held, or no
 * layouts given: 0.
 */
double dsm__misfit_bytes(const dsm_pass_work *work, const dsm_loops *split);

/**
 * Bytes that the busiest link of the cores carries when held tensors of `bytes` move to other
 * cores. Source: section 7, layout_move. Symbols: bytes * distance / c; of a ring the two-way
 * distance of c cores. Limits: a ring of even c: bytes/4; one core: 0.
 */
double dsm__layout_move_bytes(const dsm_machine *machine, double bytes);

/**
 * The total of dsm_invocation_score where it is at most the limit; any larger number where it is
 * not, infinite where primary and auxiliary cycles alone exceed the limit, which costs less to
 * know. Source: section 6. Limits: an infinite limit: the total.
 */
double dsm__invocation_total_within(const dsm_pass_work *work, const dsm_loops *split,
                                    double limit);

#endif
