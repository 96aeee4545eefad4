/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * model.h: the cost of one mapping of one layer and pass.
 *
 * The model is bandwidth-centric (DeepSpatialMatrix, section II-D): it counts what each link has to
 * carry and the cycles that the arrays compute, and puts the two together. All functions are pure:
 * values in, values out, no allocation, safe from any thread. Times are cycles at
 * core.frequency_GHz, volumes are bytes; both are real numbers and not rounded.
 *
 * An *invocation* is one execution of a layer's loops: a pass of a layer with T timesteps takes T
 * of them. Costs that occur once a step (gradient reduction, weight update, relayout) are groups of
 * their own.
 */
#ifndef DSM_MODEL_H
#define DSM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "dsm/energy.h"
#include "dsm/mapping.h"
#include "dsm/system.h"
#include "dsm/traffic.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What joins the cores of a chip, as far as it decides what its busiest link carries. */
typedef struct dsm_core_links {
  dsm_link link;    /**< which carries it */
  bool is_by_core;  /**< of streams a link carries what its core needs, else all */
  double sharers;   /**< links that share evenly what the chip moves */
  double crossings; /**< bytes on the link for each that a core sends to others */
  double distance;  /**< links that data for cores anywhere passes on average, over one a core */
} dsm_core_links;

/** Rates derived once from a system, in the model's units. */
typedef struct dsm_machine {
  const dsm_system *system;                    /**< borrowed */
  double link_bytes_per_cycle[DSM_LINK_COUNT]; /**< usable */
  dsm_core_links core_links;
  bool has_shared_memory;     /**< between scratchpads and external memory */
  double shared_memory_bytes; /**< of a chip */
  dsm_link auxiliary_link;    /**< of what operations of their own read and write in memory */
  double overhead_cycles;     /**< of a kernel */
  double issue_cycles;        /**< least, from a kernel to the next */
  double scratchpad_bytes;    /**< of a core */
  double scratchpad_bytes_per_cycle; /**< of a core */
  double peak_macs_per_cycle;        /**< of the whole system, with 16 bits */
  dsm_mode mode;                     /**< of what it runs */
  double clock_ratio; /**< the cores' clock over core.frequency_GHz, in whose cycles times are; 1 in
                           inference */
  uint64_t chip_count;
  const struct dsm__engine *engine; /**< what computes products */
  unsigned parallelism_count;       /**< the ways to give its axes roles: 1 << axes */
  uint64_t reduction_chunk;         /**< Pr: reduction features an array takes at once */
  uint64_t production_chunk;        /**< Pc: produced features an array takes at once */
  dsm_energy_rates energy;          /**< of a chip */
  bool is_weighed; /**< totals of invocations are prices: cycles and joules, weighed; false: they
                        are cycles. Only in searches: a plan is predicted in cycles */
  dsm_weights weights; /**< 1 of cycles, 0 of joules unless it is weighed */
} dsm_machine;

/** What the equations need of a system. */
DSM_API dsm_machine dsm_machine_derive(const dsm_system *system);

/** The same for a step: in training cores run at core.sustained_frequency_ratio of their clock, in
 * inference at all of it, as dsm_machine_derive has them. */
DSM_API dsm_machine dsm_machine_for(const dsm_system *system, dsm_mode mode);

/** What the equations need of a workload beside its layers: its numeric precision in bytes an
 * element, and what goes with the training recipe. */
typedef struct dsm_precision {
  double element_bytes;       /**< B */
  double gradient_bytes;      /**< Bg */
  double partial_sum_bytes;   /**< Ba */
  double update_bytes;        /**< of memory that updating a weight moves; 0: as the system says */
  double normalization_group; /**< samples that share the statistics of a batch_norm */
  double array_rate;          /**< of the arrays for elements of the type, over that of 16 bits;
                                   0: by the bytes of what a pass multiplies */
  double weight_bytes;        /**< Bw; 0: as element_bytes */
  double cache_bytes;         /**< of keys and values in a cache; 0: as element_bytes */
  uint64_t array_type;        /**< dsm_element_type that has array_rate; 0: by the bytes likewise */
} dsm_precision;

/** The workload's, except where the system has partial_sum_bytes of its own. */
DSM_API dsm_precision dsm_precision_of(const dsm_workload *workload, const dsm_system *system);

/** One chip's share of a layer under a parallelism (docs/model.md, section 3). */
typedef struct dsm_chip_share {
  dsm_parallelism parallelism;
  uint64_t groups;    /**< of the layer's groups, those of the chip */
  uint64_t turns;     /**< feature iterations: nm, but 1 where chips have groups of their own, and 0
                           where nothing is multiplied; in_turns times out_turns */
  uint64_t in_turns;  /**< of inputs */
  uint64_t out_turns; /**< of outputs */
  uint64_t model_ways;  /**< nm: chips that share the features */
  uint64_t data_ways;   /**< nd: chips that share the samples */
  uint64_t input_ways;  /**< of these nm those that have parts of the input as the passes use it, */
  uint64_t raw_ways;    /**< of the output as computed, */
  uint64_t stored_ways; /**< of the output as stored, */
  uint64_t weight_ways; /**< and of the weights */
  double position_share; /**< of a feature's positions, that of a chip */
  dsm_loops chip;        /**< ChipD; `in` is what one feature iteration handles */
} dsm_chip_share;

/** A chip's share of a layer under a parallelism, for so many samples (ChipD). */
DSM_API dsm_chip_share dsm_chip_share_derive(const dsm_layer *layer, const dsm_machine *machine,
                                             dsm_parallelism parallelism, uint64_t samples);

/** The parallelisms that a layer can use at all: matmul and grouped convolutions only data. */
DSM_API dsm_parallelism_set dsm_layer_parallelisms(const dsm_layer *layer);

/** Can the chips of the model axes have equal shares of a layer whose groups stay whole: do they
 * divide an attention's heads, of queries and of keys? True of all other layers. */
DSM_API bool dsm_model_ways_fit(const dsm_layer *layer, const dsm_system *system,
                                dsm_parallelism parallelism);

/** Does a layer have a pass in a mode? Inference has only forward. */
DSM_API bool dsm_pass_exists(const dsm_layer *layer, dsm_mode mode, dsm_pass pass);

/** Is a core split valid for a share: no loop is cut into more parts than it has (section 3)? */
DSM_API bool dsm_split_is_valid(const dsm_chip_share *share, const dsm_loops *split);

/** CoreD: the loops of the busiest core. */
DSM_API dsm_loops dsm_core_share(const dsm_chip_share *share, const dsm_loops *split);

/** ArrayD: what the array takes at a time, in a pass. */
DSM_API dsm_loops dsm_array_share(const dsm_machine *machine, dsm_pass pass,
                                  const dsm_chip_share *share, const dsm_loops *split);

/** How a held tensor lies in the cores of a chip: into how many parts its features, positions and
 * samples are divided. The product is the number of cores (section 7, model.layout_move "exact").
 */
typedef struct dsm_core_layout {
  uint64_t features;
  uint64_t ij;
  uint64_t mb;
} dsm_core_layout;

/** A held tensor that a layer reads. */
typedef struct dsm_held_tensor {
  dsm_core_layout layout;
  uint64_t elements; /**< stored, of a sample: dsm_layer.stored_size */
} dsm_held_tensor;

/** The layouts of held tensors that a layer's passes touch. */
typedef struct dsm_held_layouts {
  dsm_core_layout output;        /**< of the layer's own output, if that is held */
  const dsm_held_tensor *inputs; /**< what the producers of its input made, if all of it is held */
  size_t input_count;
} dsm_held_layouts;

/** Does a core split write, or read the error of, a layer's output as the output lies in the cores?
 * k_out, k_ij and k_mb divide its parts (section 7). */
DSM_API bool dsm_split_fits_output(const dsm_loops *split, const dsm_core_layout *layout);

/** Does a core split read a tensor of the layer's input, or write its error, as it lies in the
 * cores? k_in, k_ij and k_mb divide its parts (section 7). */
DSM_API bool dsm_split_fits_input(const dsm_loops *split, const dsm_core_layout *layout);

/** Of what the producers of a layer's input hold, the share that a core split does not fit, by
 * elements (section 7); 0 where nothing is held. */
DSM_API double dsm_misfitting_input(const dsm_held_layouts *layouts, const dsm_loops *split);

/** Cycles in which held tensors of so many bytes of a chip move to other cores (section 7). */
DSM_API double dsm_layout_move_cycles(const dsm_machine *machine, double bytes);

/** What tells the tiles of a product apart. */
typedef enum dsm_tile_member {
  DSM_TILE_ROWS = 0, /**< of outputs */
  DSM_TILE_COLUMNS,  /**< of outputs */
  DSM_TILE_PARTS,    /**< into which what is summed up is cut */
  DSM_TILE_MEMBER_COUNT
} dsm_tile_member;

/** A tile of the outputs of a product, which a core computes at a time (section 4). */
typedef struct dsm_tile {
  uint64_t n[DSM_TILE_MEMBER_COUNT]; /**< 0: none */
} dsm_tile;

/** What computes an invocation in a core. */
typedef enum dsm_computing {
  DSM_COMPUTING_ARRAY = 0,   /**< its array */
  DSM_COMPUTING_FEATURES,    /**< its arrays, which share the features produced */
  DSM_COMPUTING_SAMPLES,     /**< its arrays, which share positions and samples */
  DSM_COMPUTING_VECTOR_UNIT, /**< in place of arrays */
  DSM_COMPUTING_COUNT
} dsm_computing;

/** How long a pass computes in waves of tiles, by what decides it (model.tile_schedule). Lower is
 * better. */
typedef struct dsm_tile_schedule {
  dsm_tile tile;
  double arrays;  /**< where tiles take as long as the arrays; else 0 */
  double ring;    /**< where tiles wait for their operands; else 0 */
  double startup; /**< of tiles */
  double memory;  /**< sums in parts are written, and read to be added */
  double cycles;  /**< all of them */
} dsm_tile_schedule;

/** Cores among which a core split divides a chip's work: all of them, but 1 with
 * model.tile_schedule, where cores take tiles as they become free. */
DSM_API uint64_t dsm_split_cores(const dsm_system *system);

/**
 * What is on chip while an invocation runs, and so does not move (docs/model.md, sections 7, 8 and
 * 10).
 */
typedef struct dsm_residency {
  bool is_input_held;         /**< in_h: the input, and its error */
  bool is_output_held;        /**< out_h: the layer's own output, and its error */
  bool is_shortcut_held;      /**< sh_h: what the residual adds, and its error */
  bool is_in_shared_memory;   /**< what is held lies there, and not in the scratchpads */
  bool is_accumulating;       /**< update: adds to gradients that are already in memory */
  double resident_fraction;   /**< of the kernel, 0 .. 1 */
  double deferred_bytes;      /**< defer: forward of training writes them for the layer before */
  double scratchpad_bytes;    /**< cap: what is left of a core's scratchpad */
  double shared_bytes;        /**< free: what is left of the chip's shared memory */
  bool is_moving_free;        /**< held tensors are where they are used: a bound from below */
  dsm_axis_set gathered_axes; /**< along which the input is whole already, and its error is summed
                                   elsewhere: another layer that reads the same is charged that */
  bool is_error_apart; /**< backward: the update pass has other roles, so that what it gathers of
                            the output's error does not serve (section 11) */
  const dsm_held_layouts *layouts; /**< with model.layout_move "exact"; borrowed. NULL: whatever the
                                        split, held tensors fit */
} dsm_residency;

/** Nothing is on chip: the whole scratchpad is left. */
DSM_API dsm_residency dsm_residency_none(const dsm_machine *machine);

/** Bytes of one invocation and chip that do not depend on the core split (section 5). The first
 * four are shapes; the others are what moves, 0 where it stays on chip. */
typedef struct dsm_chip_bytes {
  double input;        /**< inp */
  double stored;       /**< st */
  double raw;          /**< output before pooling */
  double kernel;       /**< ker */
  double input_moved;  /**< the input read; in backward its error written */
  double output_moved; /**< the output written; in backward and update its error read */
  double kernel_moved; /**< kt of forward and backward */
  double deferred;     /**< defer */
  double state;        /**< save */
  double mask;         /**< backward */
  double statistics;   /**< update */
  double shortcut;     /**< fix of a residual */
  double gates;       /**< of a hoisted timestep: input products read, in backward errors written */
  double fork;        /**< backward: fix of an input that later users have left errors for */
  double input_move;  /**< held, and moves among the cores where the split does not fit */
  double output_move; /**< likewise */
  double gradient;    /**< kt of the update pass */
  double rotation;    /**< full: what a whole turn of the input features moves */
  double output_rotation; /**< the same of the output features */
  double auxiliary;       /**< tra*mbc/nm*B: what auxiliary operations read and write */
} dsm_chip_bytes;

/** A side of a tile: odd divisors of a loop of the chip, bit d/2 for the divisor d. */
typedef uint32_t dsm_odd_divisors;

/** What tiles of a pass are made of (section 5, model.tiling "blocked"). All 0 with "paper". */
typedef struct dsm_tile_bytes {
  double input;              /**< of an input feature at a position of a sample */
  double output;             /**< of an output feature there */
  double kernel;             /**< of a position of the kernel between two features */
  double sum;                /**< of a sum that is not finished, over what it becomes */
  double spilled;            /**< of all sums of the chip once written and once read */
  dsm_odd_divisors in;       /**< of the input features of a group */
  dsm_odd_divisors out;      /**< of the output features of a group */
  dsm_odd_divisors position; /**< of positions times samples */
} dsm_tile_bytes;

/** What passes a shared memory in an invocation, fetched once: whatever is held, and wherever it
 * is (section 7). All 0 where there is none. */
typedef struct dsm_shared_bytes {
  double features;  /**< that move past the kernel; in update the input */
  double kernel;    /**< in update the errors of the output */
  double rest;      /**< read and written once in any case */
  double spilled;   /**< with model.tiling "blocked": all sums once written and once read */
  double deferred;  /**< on the way to external memory: cores have no part in it */
  double auxiliary; /**< what auxiliary operations read and write */
} dsm_shared_bytes;

/** Bytes of an element of the tensors of a pass (section 2). */
typedef struct dsm_tensor_bytes {
  double input;
  double output;
  double kernel; /**< weights, or a product's second operand */
  double shortcut;
  double sum;          /**< of a sum that is not finished, over an element of what the pass makes */
  double stored_input; /**< where it is not read by products: between chips, */
  double stored_output; /**< and by auxiliary operations */
} dsm_tensor_bytes;

/** All that an invocation's cost needs and that is the same for every core split. */
typedef struct dsm_pass_work {
  const dsm_layer *layer;     /**< borrowed */
  const dsm_machine *machine; /**< borrowed */
  dsm_mode mode;
  dsm_pass pass;
  dsm_precision precision; /**< with the rate of the pass */
  dsm_tensor_bytes tensor_bytes;
  double product_share; /**< of the MACs: without what a mask hides, with what is made anew */
  dsm_chip_share share;
  dsm_residency residency;
  dsm_chip_bytes bytes;
  dsm_shared_bytes shared;
  double auxiliary_cycles;
  dsm_bound auxiliary_bound; /**< what decides them: special function units or a memory */
  double overhead_cycles;    /**< of all kernels of the invocation */
  double statistics_cycles;  /**< latency of statistics that chips share; part of partial_sum */
  dsm_traffic rotation;      /**< of the whole invocation, beside the streams */
  dsm_traffic sum_rotation;  /**< of partial sums, which nothing hides */
  double rotation_cycles;    /**< of a group of these */
  double turning_cycles;     /**< of its links between chips, where it is beside the streams */
  bool is_operand_turning; /**< an attention's keys or values turn too, among chips with queries of
                              their own */
  double collective_latency_cycles; /**< part of the next */
  double collective_cycles;         /**< of what roles make chips exchange */
  double hidden_cycles;             /**< of these, behind a product that takes long enough */
  dsm_tile_schedule tiles;          /**< with model.tile_schedule */
  dsm_tile_bytes tile_bytes;        /**< with model.tiling "blocked" */
  dsm_joules energy; /**< of a chip: of products and operations alone; 0 where no rates are known */
  double fixed_joules; /**< of a chip, on a weighed machine: all but of what core splits decide */
} dsm_pass_work;

/** Prepares the cost of an invocation. `samples` (S) is the invocation's, 1 or more. */
DSM_API dsm_pass_work dsm_pass_work_derive(const dsm_layer *layer, const dsm_machine *machine,
                                           dsm_precision precision, dsm_mode mode, dsm_pass pass,
                                           dsm_parallelism parallelism, uint64_t samples,
                                           const dsm_residency *residency);

/** One exchange between chips. */
typedef struct dsm_exchange {
  dsm_transfer transfer;
  dsm_traffic traffic;
  double hidden_share; /**< of its cycles, behind a product that takes long enough */
} dsm_exchange;

/** Most of an invocation: halos of a kernel and two pools along each axis, two of inputs, two of
 * outputs, two of statistics: 15. A layer with experts has two of its tokens, an attention two of
 * its operands, and these have no halos. */
#define DSM_EXCHANGES_MAX 16

/** What roles make chips exchange in an invocation, one after the other. */
typedef struct dsm_exchanges {
  dsm_exchange items[DSM_EXCHANGES_MAX];
  unsigned count;
} dsm_exchanges;

/** Bytes of a core's part of the kernel under a split: kcore (section 5). */
DSM_API double dsm_core_kernel_bytes(const dsm_pass_work *work, const dsm_loops *split);

/** What a kernel takes that stays on chip: of each scratchpad kcore, of a shared memory ker
 * (sections 7 and 10). */
DSM_API double dsm_kept_kernel_bytes(const dsm_pass_work *work, const dsm_loops *split);

/** Cycles of one invocation. Lower is better. */
typedef struct dsm_invocation_cost {
  double primary;            /**< arrays or vector unit compute, startup included */
  double overlapped;         /**< transfers that computation can hide */
  double overlapped_visible; /**< the part of them that it does not hide */
  double auxiliary;          /**< special function units compute */
  double partial_sum;        /**< not overlapped; sums of statistics among them, over chips too */
  double layout_move;        /**< not overlapped: held tensors between cores */
  double rotation;           /**< not overlapped: sums that turn */
  double collective;         /**< not overlapped: whole tensors between chips, and halos */
  double overhead;           /**< not overlapped: its kernels start */
  double total;              /**< primary + overlapped_visible + auxiliary + the last five */
  double footprint_bytes;    /**< s_in + s_out + kcore: decides between equally fast splits */
} dsm_invocation_cost;

/**
 * The cost of one invocation with a core split whose parts multiply to chip.cores
 * (docs/model.md, sections 4 and 5; DeepSpatialMatrix: TotCy = MAX{PriComp, Ovldt} + AuxComp +
 * Non-Ovldt).
 */
DSM_API dsm_invocation_cost dsm_invocation_score(const dsm_pass_work *work, const dsm_loops *split);

/** What an invocation takes on a chip: its products, its operations, and the bytes of its transfers
 * (docs/energy.md). Zero where the machine's rates are not known. */
DSM_API dsm_joules dsm_invocation_energy(const dsm_pass_work *work, const dsm_loops *split);

/** What computes an invocation with a core split (docs/model.md, section 4). */
DSM_API dsm_computing dsm_invocation_computing(const dsm_pass_work *work, const dsm_loops *split);

/**
 * The cycles of an invocation by what decides them; they add up to its total (docs/model.md,
 * section 6). Of primary computation and what overlaps with it only the longer counts, with all
 * that it takes: the other could be a little slower, and nothing would change.
 */
DSM_API dsm_resources dsm_invocation_resources(const dsm_pass_work *work, const dsm_loops *split);

/** The same of a group that does not overlap: all of it is its slowest link's. */
DSM_API dsm_resources dsm_group_resources(const dsm_machine *machine, const dsm_traffic *traffic);

/**
 * The smallest fraction of the weights that has to be on chip for the rest to be fetched in the
 * shadow of what else bounds a forward invocation with a core split: computation, and rotation
 * along the axes (section 10). Less makes the invocation slower, more does not make it faster. 1
 * where any weight that is fetched shows. What `work` says is resident does not matter.
 */
DSM_API double dsm_resident_fraction_needed(const dsm_pass_work *work, const dsm_loops *split);

/** Most of dsm_resident_breaks. */
#define DSM_RESIDENT_BREAKS_MAX 3

/** Fractions of the weights on chip up to each of which time falls ever faster, from the last one
 * on; the last is what dsm_resident_fraction_needed says. Without a shared memory that alone. */
typedef struct dsm_resident_breaks {
  double fractions[DSM_RESIDENT_BREAKS_MAX]; /**< rising */
  unsigned count;                            /**< 1 or more */
} dsm_resident_breaks;

/** See dsm_resident_breaks. */
DSM_API dsm_resident_breaks dsm_resident_breaks_derive(const dsm_pass_work *work,
                                                       const dsm_loops *split);

/** Can a layer keep its kernel on chip over timesteps at all (section 7)? It has timesteps, and is
 * no matmul unless model.resident_operands says that operands stay as weights do. */
DSM_API bool dsm_kernel_can_be_kept(const dsm_layer *layer, const dsm_machine *machine);

/** Kernels of an invocation: the layer's own, and each auxiliary operation that is one (section 4).
 */
DSM_API double dsm_invocation_kernels(const dsm_layer *layer, const dsm_machine *machine,
                                      dsm_mode mode, dsm_pass pass);

/** Invocations of a pass in a step: T, and twice that for a matmul's backward (two errors). */
DSM_API uint64_t dsm_invocation_count(const dsm_layer *layer, dsm_pass pass);

/** One named transfer of an invocation or of a step. */
typedef struct dsm_transfer_volume {
  dsm_transfer transfer;
  unsigned axis; /**< along which it goes; DSM_NO_AXIS: within the chips */
  dsm_group group;
  dsm_traffic traffic;
} dsm_transfer_volume;

/** Most transfers that one list can hold. */
#define DSM_TRANSFERS_MAX 40

/** A list of transfers, in the order of dsm_transfer and of axes; those without bytes are left out.
 */
typedef struct dsm_transfer_list {
  dsm_transfer_volume items[DSM_TRANSFERS_MAX];
  unsigned count;
} dsm_transfer_list;

/** The transfers of one invocation; for each group their slowest link is what the cost holds. */
DSM_API dsm_transfer_list dsm_invocation_transfers(const dsm_pass_work *work,
                                                   const dsm_loops *split);

/**
 * A group's traffic as a transfer along each axis that carries some, if the transfer goes along
 * axes. What it puts on memory and ring counts with the first of them, with the first of all where
 * none carries any.
 */
DSM_API dsm_transfer_list dsm_axis_transfers(dsm_transfer transfer, dsm_group group,
                                             const dsm_traffic *traffic);

/** Cycles of a group: its slowest link, and the latency (section 2). An infinitely fast link takes
 * none. External memory is one link: what moves at amem comes after what moves at its own rate. */
DSM_API double dsm_group_cycles(const dsm_machine *machine, const dsm_traffic *traffic);

/** The same, on a weighed machine its price: cycles and joules of the bytes, weighed. */
DSM_API double dsm_group_price(const dsm_machine *machine, const dsm_traffic *traffic);

/** The slowest link of a group, the first of equals. */
DSM_API dsm_link dsm_group_slowest_link(const dsm_machine *machine, const dsm_traffic *traffic);

/** Cycles that a volume occupies a link. */
DSM_API double dsm_link_cycles(const dsm_machine *machine, dsm_link link, double bytes);

/**
 * The parallelism of each pass of a layer (section 11). Of a layer without backward pass, that of
 * backward is the layout in which its output gradient is left; without update pass, that of update
 * has no meaning.
 */
typedef struct dsm_pass_layouts {
  dsm_parallelism of[DSM_PASS_COUNT];
} dsm_pass_layouts;

/** The same parallelism in all passes. */
DSM_API dsm_pass_layouts dsm_pass_layouts_uniform(dsm_parallelism parallelism);

/**
 * The gradient reduction, weight distribution and weight update of a layer, once a step: up to
 * three groups (sections 5 and 11). Zero for a layer without weights.
 */
typedef struct dsm_weight_traffic {
  dsm_traffic sum_of_gradients;
  dsm_traffic broadcast_weights;
  dsm_traffic weight_update;
} dsm_weight_traffic;

/** See dsm_weight_traffic. */
DSM_API dsm_weight_traffic dsm_weight_traffic_derive(const dsm_layer *layer,
                                                     const dsm_machine *machine,
                                                     dsm_precision precision,
                                                     const dsm_pass_layouts *layouts);

/** Ways in which forward and backward both leave a layer's weights cut (docs/model.md, section 11).
 */
DSM_API double dsm_used_weight_ways(const dsm_layer *layer, const dsm_machine *machine,
                                    const dsm_pass_layouts *layouts);

/** Relayout of `total_bytes` of the whole system from one way to lie to another (section 5). */
DSM_API dsm_traffic dsm_layout_traffic(const dsm_machine *machine, double total_bytes,
                                       const dsm_layouts *before, const dsm_layouts *after);

/** The same from what a layer of one parallelism leaves to what one of another reads. */
DSM_API dsm_traffic dsm_relayout_traffic(const dsm_machine *machine, double total_bytes,
                                         dsm_parallelism before, dsm_parallelism after);

/** What an update pass of a parallelism of its own has to move first, once a step (section 11): the
 * layer's input from the layout of forward, and its output error from that of backward. Nothing for
 * a layer without update pass. */
typedef struct dsm_update_relayouts {
  dsm_traffic input;
  dsm_traffic error;
} dsm_update_relayouts;

/** Relayouts of a layer's update pass. */
DSM_API dsm_update_relayouts dsm_update_relayouts_derive(const dsm_layer *layer,
                                                         const dsm_machine *machine,
                                                         dsm_precision precision,
                                                         uint64_t minibatch,
                                                         const dsm_pass_layouts *layouts);

/** What a stage of a pipeline hands to the next one in an invocation (section 9); `machine` is the
 * stage's own torus, whose columns share the bytes. */
DSM_API dsm_traffic dsm_hand_over_traffic(const dsm_layer *layer, const dsm_machine *machine,
                                          dsm_precision precision, uint64_t samples);

/** Cycles that handing over adds to a stage's step, of which `step_cycles` are without it (section
 * 9): all that it takes, or with model.overlapped_hand_over by how much it is longer. */
DSM_API double dsm_stage_hand_over_cycles(const dsm_machine *machine, const dsm_traffic *hand_over,
                                          double step_cycles);

/** Does the stage at `position` of a group hand anything over in a pass? Forward all but the last,
 * backward all but the first, update none (section 9). */
DSM_API bool dsm_stage_hands_over(dsm_pass pass, size_t position, size_t stage_count);

/** May a layer run `factor` invocations of minibatch / factor samples (section 8)? 1 always may. */
DSM_API bool dsm_dysm_factor_is_valid(const dsm_layer *layer, const dsm_machine *machine,
                                      uint64_t minibatch, uint64_t factor);

/** Bytes of a tensor on a chip, of `elements` a sample and S samples: what holding it takes
 * (section 7). */
DSM_API double dsm_tensor_chip_bytes(uint64_t elements, const dsm_machine *machine,
                                     dsm_precision precision, dsm_parallelism parallelism,
                                     uint64_t samples);

/** What held tensors and an output before pooling may take of a chip (section 7), where preloaded
 * weights take `preloaded_bytes` of each core, or of the shared memory (section 10). Negative where
 * nothing can be held. */
DSM_API double dsm_held_limit_bytes(const dsm_machine *machine, double preloaded_bytes);

/** cap: what held_bytes a chip and preloaded_bytes a core leave of a core's scratchpad, at least a
 * sixteenth of it (sections 7 and 10). All of it with a shared memory. */
DSM_API double dsm_scratchpad_left_bytes(const dsm_machine *machine, double preloaded_bytes,
                                         double held_bytes);

/** free: what both leave of the shared memory; 0 where there is none. */
DSM_API double dsm_shared_left_bytes(const dsm_machine *machine, double preloaded_bytes,
                                     double held_bytes);

/** What a kernel that stays shares with the rest of an invocation: cap, or free. */
DSM_API double dsm_kept_room_bytes(const dsm_machine *machine, const dsm_residency *residency);

/** Largest dsm_kept_kernel_bytes that can stay in such a room for all timesteps of a pass (section
 * 7). */
DSM_API double dsm_resident_kernel_limit_bytes(const dsm_machine *machine, dsm_pass pass,
                                               double room_bytes);

/** What preloaded weights may take of a core's scratchpad, or of the shared memory (section 10); 0
 * where nothing is left. */
DSM_API double dsm_preload_room_bytes(const dsm_machine *machine);

/** Cycles in which a machine without any loss does a pass of a layer in a step (section 6).
 * `array_rate` is that of the precision. */
DSM_API double dsm_ideal_cycles(const dsm_layer *layer, const dsm_machine *machine,
                                double array_rate, dsm_pass pass, uint64_t minibatch);

/** The type that a workload's products read: that of operands, else of all elements, by their bytes
 * where none is stated (section 4). */
DSM_API dsm_element_type dsm_workload_element_type(const dsm_workload *workload);

/** The type at whose rate arrays take elements of a type: of the key of pe.rates that it has, or,
 * where the system has no such rate, of the next wider one (section 4). */
DSM_API dsm_element_type dsm_system_rate_type(const dsm_system *system, dsm_element_type type);

/** dsm_system_peak_flops with the elements of a workload. */
DSM_API double dsm_workload_peak_flops(const dsm_workload *workload, const dsm_system *system);

/** What a layer takes of a chip's memory (section 12). Lower is better. */
typedef struct dsm_layer_memory {
  double weights_bytes;
  double gradients_bytes;
  double optimizer_bytes;
  double input_bytes;        /**< of the network's input, of the first layer; training only */
  double activations_bytes;  /**< kept for the update pass; training only */
  double output_bytes;       /**< of these, what the layer's output has */
  double product_bytes;      /**< what its product makes, where operations behind it keep results
                                  beside the output; else 0 */
  double recomputed_bytes;   /**< not kept, but made anew while its segment runs backward */
  bool is_output_recomputed; /**< the output is among these, though a segment ends with it */
  double cache_bytes;        /**< of keys and values; inference only */
  double transient_bytes;    /**< while the layer runs; training: its pair of live errors;
                                  inference: live tensors, the network's input among them */
} dsm_layer_memory;

/** `machine` is what the layer runs on, perhaps a stage of a pipeline. The network's input lies as
 * the first layer reads it, and in inference as the layer that runs does. */
DSM_API dsm_layer_memory dsm_layer_memory_derive(const dsm_layer *layer, const dsm_machine *machine,
                                                 const dsm_workload *workload, dsm_mode mode,
                                                 const dsm_pass_layouts *layouts);

/** Samples of an invocation with the input products of all timesteps (section 7): those of a
 * timestep on each chip, T times. */
DSM_API uint64_t dsm_hoisted_samples(const dsm_layer *layer, const dsm_machine *machine,
                                     dsm_parallelism parallelism, uint64_t minibatch);

/** What these products take of a chip's memory until the update, beside dsm_layer_memory_derive;
 * `parallelism` is that of the forward pass. */
DSM_API double dsm_hoisted_bytes(const dsm_layer *layer, const dsm_machine *machine,
                                 const dsm_workload *workload, dsm_parallelism parallelism);

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_computing_name(dsm_computing computing);

#ifdef __cplusplus
}
#endif

#endif
