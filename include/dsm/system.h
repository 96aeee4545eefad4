/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * system.h: the accelerator system, five tiers from the ground up.
 *
 *   PE      a register file and `simd_macs` multiply-accumulate units
 *   array   rows x columns of PEs, systolic
 *   core    an array or several, a scratchpad and special function units
 *   chip    cores on a ring, with external memory
 *   system  chips along the axes of a 2D torus
 *
 * Parts beside them: `storage` is what the job's data set comes from; `technology` and `area` say
 * what it is made of (technology.h), and change no time. A last one, `model`, holds the assumptions
 * of the performance model that are no hardware. Fields bear the names of the format "dsm-system/1"
 * (docs/formats.md) and its units: GB = 10^9 bytes, MiB = 2^20 bytes, KiB = 2^10 bytes.
 */
#ifndef DSM_SYSTEM_H
#define DSM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/element_type.h"
#include "dsm/limits.h"
#include "dsm/override.h"
#include "dsm/status.h"
#include "dsm/technology.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the cores of a chip are joined. */
typedef enum dsm_interconnect {
  DSM_INTERCONNECT_RING = 0, /**< one ring, shared by all that crosses it */
  DSM_INTERCONNECT_CROSSBAR, /**< each core has a link of its own to all others and the memory */
  DSM_INTERCONNECT_MESH,     /**< cores in rows and columns, each with links to its neighbours */
  DSM_INTERCONNECT_NONE,     /**< one core */
  DSM_INTERCONNECT_COUNT
} dsm_interconnect;

/** How the chips are joined. */
typedef enum dsm_topology {
  DSM_TOPOLOGY_TORUS_2D = 0, /**< two axes of rings, x and y, in the short form */
  DSM_TOPOLOGY_AXES,         /**< one to three axes, each with its own kind of links */
  DSM_TOPOLOGY_COUNT
} dsm_topology;

/** In which order a nested collective goes along the axes. */
typedef enum dsm_collective_order {
  DSM_COLLECTIVE_ORDER_GIVEN = 0,   /**< that of the system */
  DSM_COLLECTIVE_ORDER_BEST,        /**< the fastest */
  DSM_COLLECTIVE_ORDER_BOTH_HALVES, /**< a part of the bytes begins along each axis, at once */
  DSM_COLLECTIVE_ORDER_COUNT
} dsm_collective_order;

/** The kinds of links between the chips along an axis: the name of each and its word. A new kind is
 * a row here and one of src/core/model/links.c, which has its equations.
 * - ring: each to the next, the last to the first
 * - line: each to the next
 * - switch: all to all others
 * - fat_tree: a leaf switch for each `group_chips` of them, and switches above these
 * - dragonfly: groups of `group_chips`, each with links to each other group */
#define DSM_LINK_KINDS(ROW)                                                                        \
  ROW(RING, "ring")                                                                                \
  ROW(LINE, "line")                                                                                \
  ROW(SWITCH, "switch")                                                                            \
  ROW(FAT_TREE, "fat_tree")                                                                        \
  ROW(DRAGONFLY, "dragonfly")

/** The constant of a row. */
#define DSM_LINK_KIND_NAME(name, word) DSM_LINK_KIND_##name,

/** What joins the chips along an axis. */
typedef enum dsm_link_kind {
  DSM_LINK_KINDS(DSM_LINK_KIND_NAME) /**< one for each row */
  DSM_LINK_KIND_COUNT
} dsm_link_kind;

/** How a collective goes over several axes. */
typedef enum dsm_collectives {
  DSM_COLLECTIVES_NESTED = 0, /**< along one axis after the other */
  DSM_COLLECTIVES_RING,       /**< along one ring through all members */
  DSM_COLLECTIVES_COUNT
} dsm_collectives;

/** A processing element. */
typedef struct dsm_pe {
  uint64_t simd_macs;                   /**< multiply-accumulate units of a PE */
  double rates[DSM_ELEMENT_TYPE_COUNT]; /**< of them by type, over that of 16 bits; 0: none, or of a
                                             type that has another one's */
} dsm_pe;

/** A systolic array of processing elements. */
typedef struct dsm_array {
  uint64_t rows;                /**< of PEs; take reduction features (Pr = rows) */
  uint64_t columns;             /**< of PEs; take produced features (Pc = columns * simd_macs) */
  double startup_cycles;        /**< first data into the array, once per feature iteration */
  double efficiency_ratio;      /**< of the peak rate that is sustained, above 0 to 1 */
  double block_cycles;          /**< lost at each change of the block of weights */
  bool unroll_kernel_on_rows;   /**< kernel positions share the rows with reduction features */
  bool weights_from_scratchpad; /**< the next weight block comes at scratchpad bandwidth */
} dsm_array;

/** Arrays with a scratchpad and special function units. */
typedef struct dsm_core {
  double frequency_GHz;
  double sustained_frequency_ratio; /**< of the clock, in training steps */
  uint64_t arrays;                  /**< that share the scratchpad, and what the core computes */
  double vector_macs_per_cycle;     /**< of a unit that can compute in place of them; 0: none */
  double scratchpad_MiB;
  double scratchpad_bandwidth_GBps;
  double sfu_ops_per_cycle;        /**< element-passes of auxiliary work a cycle */
  double transcendental_passes;    /**< element-passes of a sigmoid, tanh or exp */
  double streaming_buffer_KiB;     /**< reserved for streaming when something is held on chip */
  double resident_weight_fraction; /**< of the scratchpad, for weights kept over timesteps */
  double tile_startup_us;          /**< of a tile of outputs, with model.tile_schedule */
  uint64_t tile_least_side;        /**< of a tile: rows or columns of outputs */
  uint64_t tile_most_elements;     /**< of a tile: outputs that a core sums up at once */
  uint64_t shared_operands;     /**< cores with neighbouring tiles that fetch operands together */
  double kernel_floor_us;       /**< of a product in tiles, beside its work */
  uint64_t tile_least_rows;     /**< of a tile of a fused attention */
  double attention_floor_us;    /**< of a fused attention, beside its work */
  double attention_tile_us;     /**< before a tile of it begins */
  double operation_overhead_us; /**< of each kernel that an invocation starts */
  double issue_us;              /**< the least time between two kernels */
  double graph_overhead_us;     /**< of each kernel of a graph that is replayed in serving, in place
                                     of these two; 0: they are as they are */
} dsm_core;

/** A chip's external memory. */
typedef struct dsm_memory {
  double capacity_GB;
  double bandwidth_GBps;
  double efficiency_ratio; /**< of the bandwidth that is usable, 0 .. 1 */
  uint64_t tile_minor;     /**< elements to which the innermost side of a tensor is padded */
  uint64_t tile_second;    /**< elements to which the side next to it is padded */
  uint64_t stacks;         /**< memories of a chip, which share its samples */
  double auxiliary_efficiency_ratio; /**< the same for auxiliary operations; 0: efficiency_ratio */
  double reserve_ratio;              /**< of the capacity that mappings leave, 0 .. 1 */
} dsm_memory;

/** A memory on the chip that all cores share, between scratchpads and external memory. */
typedef struct dsm_shared_memory {
  double capacity_MB; /**< 0: there is none */
  double bandwidth_GBps;
} dsm_shared_memory;

/** Cores, what joins them, and the chip's memories. */
typedef struct dsm_chip {
  double peak_TFLOPS; /**< with elements of 16 bits; above 0 that is all that is known of what
                           computes, and cores have none */
  uint64_t cores;
  dsm_interconnect interconnect;
  double core_link_bandwidth_GBps; /**< of the ring; of the link of a core */
  dsm_shared_memory shared_memory;
  dsm_memory memory;
} dsm_chip;

/** The most axes along which chips stand. */
#define DSM_AXES_MAX 3

/** An axis: chips in a line, and what joins them. */
typedef struct dsm_network_axis {
  const char *name;        /**< short and of the formats' letters: "x" */
  uint64_t chips;          /**< 1 or more */
  double bandwidth_GBps;   /**< of a link, one way */
  double efficiency_ratio; /**< of the bandwidth that is usable, above 0 to 1 */
  double latency_us;       /**< of a step from a chip to the next */
  dsm_link_kind link;
  bool both_ways;          /**< links are used in both directions at once */
  uint64_t chips_per_port; /**< chips of the axes before that share a port */
  uint64_t group_chips;    /**< of a leaf switch of a fat tree, of a group of a dragonfly */
  double oversubscription; /**< of a fat tree: links of a leaf's chips over its up-links */
  double global_links;     /**< of a dragonfly: between two groups, in links of a chip */
  bool protocols;          /**< collectives that stay along such axes go by one of the network's */
} dsm_network_axis;

/** Ways in which a library carries a collective; each is a row of protocols.c. */
typedef enum dsm_protocol_kind {
  DSM_PROTOCOL_LOW_LATENCY = 0,
  DSM_PROTOCOL_LOW_LATENCY_128,
  DSM_PROTOCOL_SIMPLE,
  DSM_PROTOCOL_ALL_TO_ALL,
  DSM_PROTOCOL_IN_NETWORK, /**< switches add, where in_network_reduction says so */
  DSM_PROTOCOL_COUNT
} dsm_protocol_kind;

/** What a collective takes by a protocol. */
typedef struct dsm_protocol {
  double base_us;          /**< before it begins */
  double step_us;          /**< of a step from a chip to the next */
  double efficiency_ratio; /**< of a link's usable bandwidth; below 1e-6: no such protocol */
  double most_GBps;        /**< of a link, whatever its bandwidth; 0: no limit */
} dsm_protocol;

/** The chips and the links between them. */
typedef struct dsm_network {
  dsm_topology topology;
  unsigned axis_count;                 /**< of the torus 2: a row, then a column */
  dsm_network_axis axes[DSM_AXES_MAX]; /**< the first is innermost */
  dsm_collectives collectives;
  dsm_collective_order collective_order;
  double collective_base_us;                  /**< before a collective begins */
  bool in_network_reduction;                  /**< switches add what passes them */
  dsm_protocol protocols[DSM_PROTOCOL_COUNT]; /**< along axes that say so the fastest is taken */
  double protocol_latency_ratio;              /**< of the times of all of them */
  double step_overhead_us;                    /**< of the host, of each step in serving, */
  double request_overhead_us;                 /**< and of each request of the step */
  double cache_link_GBps; /**< of a request's cache, between instances; 0: as the outermost axis */
} dsm_network;

/** Storage near the chips, of the whole system as a job sees it: node-local drives, or a burst
 * buffer. */
typedef struct dsm_fast_tier {
  double capacity_GB;    /**< that the job may use; 0: the system says nothing of its storage */
  double bandwidth_GBps; /**< of reading, all together */
} dsm_fast_tier;

/** Storage that has all of a data set: a parallel file system. */
typedef struct dsm_capacity_tier {
  double bandwidth_GBps; /**< of reading, the share that the job gets */
} dsm_capacity_tier;

/** Where data sets come from (docs/storage.md). */
typedef struct dsm_storage_tiers {
  dsm_fast_tier fast;
  dsm_capacity_tier capacity;
} dsm_storage_tiers;

/** When a tensor that is held on chip moves among the cores (docs/model.md, section 7). */
typedef enum dsm_layout_move {
  DSM_LAYOUT_MOVE_NONE = 0, /**< never: any core split finds it where it is */
  DSM_LAYOUT_MOVE_ALWAYS,   /**< once for each use */
  DSM_LAYOUT_MOVE_EXACT,    /**< where a core split does not fit the layout that it is held in */
  DSM_LAYOUT_MOVE_COUNT
} dsm_layout_move;

/** Which roles of axes the optimizations of a system have unless they are named. */
typedef enum dsm_role_search {
  DSM_ROLE_SEARCH_PAPER = 0, /**< data and model, as the paper has them */
  DSM_ROLE_SEARCH_ALL,
  DSM_ROLE_SEARCH_COUNT
} dsm_role_search;

/** What auxiliary operations read from memory and write there (docs/model.md, section 4). */
typedef enum dsm_auxiliary_traffic {
  DSM_AUXILIARY_TRAFFIC_NONE = 0, /**< nothing: all ride along with what computes their operands */
  DSM_AUXILIARY_TRAFFIC_FUSED,    /**< those that need sums over their operands */
  DSM_AUXILIARY_TRAFFIC_UNFUSED,  /**< each is a kernel of its own */
  DSM_AUXILIARY_TRAFFIC_COUNT
} dsm_auxiliary_traffic;

/** What training keeps for the gradients of auxiliary operations (docs/model.md, section 12). */
typedef enum dsm_kept_inputs {
  DSM_KEPT_INPUTS_NONE = 0,            /**< outputs and normalised inputs alone */
  DSM_KEPT_INPUTS_WITHOUT_ACTIVATIONS, /**< but what activations need, which is made anew */
  DSM_KEPT_INPUTS_ALL,
  DSM_KEPT_INPUTS_COUNT
} dsm_kept_inputs;

/** In which order a core works through its part of an invocation (docs/model.md, section 5). */
typedef enum dsm_tiling {
  DSM_TILING_PAPER = 0, /**< one operand stays in tiles, another streams past once for each */
  DSM_TILING_BLOCKED,   /**< tiles of all three loops; one operand stays */
  DSM_TILING_COUNT
} dsm_tiling;

/** Kinds of auxiliary operations by what they read and write. */
typedef enum dsm_operation {
  DSM_OPERATION_BATCH_NORM = 0, /**< in training */
  DSM_OPERATION_LAYER_NORM,
  DSM_OPERATION_SOFTMAX,
  DSM_OPERATION_CROSS_ENTROPY,      /**< in the workload's elements */
  DSM_OPERATION_CROSS_ENTROPY_WIDE, /**< in elements of 4 bytes */
  DSM_OPERATION_ACTIVATION,
  DSM_OPERATION_BIAS,
  DSM_OPERATION_RESIDUAL,
  DSM_OPERATION_FORK, /**< adding the errors of a tensor with several users */
  DSM_OPERATION_MULTIPLY,
  DSM_OPERATION_DROPOUT,      /**< in the workload's elements */
  DSM_OPERATION_DROPOUT_MASK, /**< in bytes */
  DSM_OPERATION_ROTARY,
  DSM_OPERATION_COPY,
  DSM_OPERATION_SPLIT,
  DSM_OPERATION_COUNT
} dsm_operation;

/** Elements that an operation reads and writes for each that it works on. */
typedef struct dsm_operation_traffic {
  double forward;
  double backward;
} dsm_operation_traffic;

/** Assumptions of the model (docs/model.md, section 2). */
typedef struct dsm_assumptions {
  double bptt_resident_copies;    /**< weights and gradients resident over timesteps */
  double relu_mask_bytes;         /**< an input element, re-read in backward */
  double batch_norm_saved_bytes;  /**< an output element, re-read in update */
  double reduce_memory_bytes;     /**< memory bytes per gradient byte of the chip */
  double broadcast_memory_bytes;  /**< memory bytes per weight byte of the chip */
  double collective_memory_bytes; /**< memory bytes per byte that roles gather or sum */
  bool feature_statistics;        /**< chips that share features sum statistics over them */
  double expert_imbalance;        /**< tokens of the busiest chip over those of a chip on average */
  double reduce_ring_crossings;   /**< ring bytes per byte received from a chip link */
  double rotate_memory_bytes;     /**< memory bytes per byte rotated */
  double relayout_memory_bytes;   /**< memory bytes per byte re-laid out */
  double weight_update_memory_bytes; /**< memory bytes per owned weight byte in the update */
  double accumulate_memory_bytes;    /**< the same per weight, where micro-batches add up */
  double partial_sum_bytes;          /**< of a partial sum; 0: as the workload says */
  bool dysm_uniform;                 /**< one DySM factor for all convolutions */
  bool dysm_accumulate_in_memory;    /**< partial gradients are re-read from memory */
  bool exact_rotation;               /**< nm feature iterations take nm - 1 moves */
  bool exact_forks;            /**< gradients of tensors with several users add up in memory */
  bool overlapped_hand_over;   /**< a stage hands over while it computes */
  bool pipeline_columns;       /**< stages of a pipeline may be narrower than the torus */
  bool lstm_gate_errors;       /**< the update of an lstm reads the gradients of its gates */
  bool statistics_sums;        /**< cores sum the statistics of normalisations and softmax */
  bool two_way_relayout;       /**< relayouts use both directions of each ring of chips */
  dsm_layout_move layout_move; /**< when a held tensor moves among the cores */
  bool charge_held_masks;      /**< masks and statistics are read also while held */
  bool prefer_holding;         /**< of equally fast mappings the one that holds more */
  bool resident_operands;      /**< a matmul's operand can be kept over timesteps */
  bool causal_skip;            /**< what a causal mask hides is not computed */
  bool fused_attention;        /**< scores of an attention never leave the chip */
  dsm_kept_inputs kept_inputs; /**< what is kept for gradients of auxiliary operations */
  double attention_efficiency_ratio; /**< of the arrays' peak in a fused attention; 0: theirs */
  bool attention_skips_masked;       /**< its tiles that a mask hides are left out */
  bool tile_schedule;                /**< cores take tiles of outputs as they become free */
  dsm_tiling tiling;                 /**< how cores work through what does not fit */
  bool sharded_update; /**< each of the chips that sum gradients updates a part of the weights */
  bool overlapped_reduction;     /**< sums of gradients hide behind backward and update */
  double overlapped_collectives; /**< share of gathers and scatters that hides behind a product */
  double overlapped_dispatch;    /**< the same of the all-to-alls of experts */
  bool fused_reductions;         /**< sums of gradients of several layers are one collective */
  dsm_role_search search;        /**< what all optimizations are: with which roles */
  bool search_hoist;             /**< training is searched with hoist by default */
  dsm_auxiliary_traffic auxiliary_traffic; /**< which auxiliary operations read and write memory */
  dsm_operation_traffic traffic[DSM_OPERATION_COUNT]; /**< and how much, by kind */
  double spread_low;     /**< measured over predicted, 10th percentile; predicts nothing */
  double spread_high;    /**< the 90th */
  uint64_t spread_count; /**< measurements that they are of; 0: none */
} dsm_assumptions;

/** An immutable system. Everything inside belongs to it. */
typedef struct dsm_system {
  const char *name;
  const char *source; /**< where the description comes from; NULL if not stated */
  const char *base;   /**< the systems whose values it takes, the nearest first; NULL: none */
  const char *own;    /**< with a base: the paths that it states itself, with commas; else NULL */
  dsm_pe pe;
  dsm_array array;
  dsm_core core;
  dsm_chip chip;
  dsm_network system;
  dsm_storage_tiers storage;
  dsm_technology technology;
  dsm_area area;
  dsm_assumptions model;

  const char *const *note_paths; /**< parameter paths such as "core.frequency_GHz" */
  const char *const *note_texts; /**< and what the description says of them */
  size_t note_count;

  struct dsm__arena *arena; /**< private */
} dsm_system;

/**
 * Reads a system from JSON text named `file` in findings, after applying the overrides. *system is
 * set only on DSM_OK and then belongs to the caller. DSM_ERROR_INVALID: every problem that could be
 * found is in diags. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_system_parse(dsm_system **system, const char *text,
                                                  size_t length, const char *file,
                                                  const dsm_override *overrides,
                                                  size_t override_count, dsm_diags *diags);

/** dsm_system_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_system_load(dsm_system **system, const char *path,
                                                 const dsm_override *overrides,
                                                 size_t override_count, dsm_diags *diags);

/** Frees the system; NULL is fine. */
DSM_API void dsm_system_free(dsm_system *system);

/** Chips of the system: the product over its axes. */
DSM_API uint64_t dsm_system_chips(const dsm_system *system);

/** Bytes of a chip's memory that mappings may use: its capacity without the reserve. */
DSM_API double dsm_system_usable_bytes(const dsm_system *system);

/** Peak of the whole system in floating-point operations a second (2 per MAC), of elements of 16
 * bits. */
DSM_API double dsm_system_peak_flops(const dsm_system *system);

/** Peak FLOP/s of a chip over its usable memory bandwidth: FLOP per byte at the roofline's ridge.
 */
DSM_API double dsm_system_machine_balance(const dsm_system *system);

/** The note on a parameter path, or NULL. */
DSM_API const char *dsm_system_note(const dsm_system *system, const char *path);

#ifdef __cplusplus
}
#endif

#endif
