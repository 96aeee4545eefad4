/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * traffic.h: what is moved, over which links, and what decides how long that takes.
 *
 * All functions are pure. Times are cycles at core.frequency_GHz, volumes are bytes.
 */
#ifndef DSM_TRAFFIC_H
#define DSM_TRAFFIC_H

#include <stdbool.h>

#include "dsm/status.h"
#include "dsm/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What carries data. */
typedef enum dsm_link {
  DSM_LINK_AXIS = 0,              /**< chip to chip along the first axis; + a: along axis a */
  DSM_LINK_MEMORY = DSM_AXES_MAX, /**< a chip's external memory, at its usable bandwidth */
  DSM_LINK_RING,                  /**< a chip's core-to-core ring */
  DSM_LINK_CORES,                 /**< the busiest link between the cores where they are no ring */
  DSM_LINK_SHARED,                /**< a chip's shared memory */
  DSM_LINK_AUXILIARY_MEMORY,      /**< external memory at amem, where that is a rate of its own */
  DSM_LINK_COUNT
} dsm_link;

/** What decides how long something takes: give it more of that, and it is faster. In the order in
 * which the first of equals is named. */
typedef enum dsm_bound {
  DSM_BOUND_COMPUTE = 0, /**< the arrays' rate */
  DSM_BOUND_AXIS,        /**< the links along the first axis; + a: along axis a */
  DSM_BOUND_MEMORY = DSM_BOUND_AXIS + DSM_AXES_MAX,
  DSM_BOUND_RING,
  DSM_BOUND_CORES,      /**< the links between the cores of a chip where they are no ring */
  DSM_BOUND_SHARED,     /**< the memory that the cores of a chip share */
  DSM_BOUND_AUXILIARY,  /**< the rate of the special function units */
  DSM_BOUND_STARTUP,    /**< start-ups of the arrays, and changes of their blocks; less is better */
  DSM_BOUND_SCRATCHPAD, /**< the scratchpads' bandwidth, where blocks of weights wait for it */
  DSM_BOUND_LATENCY,    /**< the latency of steps between chips; less of it is better */
  DSM_BOUND_AUXILIARY_MEMORY, /**< the memory's rate for what auxiliary operations read and write */
  DSM_BOUND_OVERHEAD,         /**< starting and issuing kernels; less of it is better */
  DSM_BOUND_BUBBLE,           /**< waiting for other stages; more micro-batches leave less of it */
  DSM_BOUND_COUNT
} dsm_bound;

/** Cycles by what decides them (docs/model.md, section 6). Lower is better. */
typedef struct dsm_resources {
  double cycles[DSM_BOUND_COUNT];
} dsm_resources;

/** Data transfers by name (DeepSpatialMatrix, Fig. 5). */
typedef enum dsm_transfer {
  DSM_TRANSFER_FETCH_INPUT = 0,  /**< activations read */
  DSM_TRANSFER_FETCH_KERNEL,     /**< weights, or a matmul's second operand, read */
  DSM_TRANSFER_FETCH_SHORTCUT,   /**< the residual's other operand (its error in backward) */
  DSM_TRANSFER_WRITE_OUTPUT,     /**< the layer's output written */
  DSM_TRANSFER_WRITE_DEFERRED,   /**< the output that the layer before holds on chip, written now */
  DSM_TRANSFER_SAVE_STATE,       /**< an LSTM's gates and cell written for the backward pass */
  DSM_TRANSFER_FETCH_ERROR,      /**< the error of the layer's output read */
  DSM_TRANSFER_FETCH_FORK,       /**< the error that later users of the input left, to be added */
  DSM_TRANSFER_FETCH_STATE,      /**< an LSTM's gates and cell read back */
  DSM_TRANSFER_FETCH_STATISTICS, /**< what batch_norm or layer_norm saved, read back */
  DSM_TRANSFER_WRITE_ERROR,      /**< the error of the layer's input written */
  DSM_TRANSFER_FETCH_MASK,       /**< masks of the activation function that made the input */
  DSM_TRANSFER_WRITE_GRADIENT,   /**< weight gradients written, and re-read where they add up */
  DSM_TRANSFER_SPILL_SUMS,       /**< sums that are not finished written, and read to go on */
  DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE, /**< partial sums between cores */
  DSM_TRANSFER_SUM_OF_STATISTICS,      /**< of normalisations and softmax, between cores */
  DSM_TRANSFER_LAYOUT_MOVE,            /**< held tensors to the layout of their user */
  DSM_TRANSFER_ROTATE,         /**< input features, keys or values moved along an axis, or errors */
  DSM_TRANSFER_ROTATE_OUTPUT,  /**< output features moved along an axis as sums, or their errors */
  DSM_TRANSFER_ALL_GATHER,     /**< a tensor that chips have parts of becomes whole on each */
  DSM_TRANSFER_REDUCE_SCATTER, /**< sums that each chip has a part of: each has some of them */
  DSM_TRANSFER_ALL_REDUCE,     /**< the same: each has all of them */
  DSM_TRANSFER_ALL_TO_ALL,     /**< tokens to the chips of their experts, or back from there */
  DSM_TRANSFER_HALO,           /**< rows of neighbouring chips that a kernel reads */
  DSM_TRANSFER_HAND_OVER,      /**< outputs or gradients passed to the next stage of a pipeline */
  DSM_TRANSFER_SUM_OF_GRADIENTS,
  DSM_TRANSFER_BROADCAST_WEIGHTS,
  DSM_TRANSFER_WEIGHT_UPDATE,
  DSM_TRANSFER_TIED_GRADIENTS, /**< of a tied layer, to where its weights are updated */
  DSM_TRANSFER_TIED_WEIGHTS,   /**< from there, to where the tied layer uses them */
  DSM_TRANSFER_RELAYOUT,
  DSM_TRANSFER_AUXILIARY_TRAFFIC, /**< what auxiliary operations read and write */
  DSM_TRANSFER_COUNT
} dsm_transfer;

/** Transfers of a group happen at the same time; the slowest link decides how long it takes. */
typedef enum dsm_group {
  DSM_GROUP_STREAM = 0, /**< overlaps with primary computation; all others do not */
  DSM_GROUP_PARTIAL_SUM,
  DSM_GROUP_LAYOUT_MOVE, /**< of held tensors among the cores */
  DSM_GROUP_ROTATION,    /**< of the errors in backward */
  DSM_GROUP_COLLECTIVE,  /**< whole tensors between chips, and halos, one after the other */
  DSM_GROUP_HAND_OVER,   /**< between the stages of a pipeline */
  DSM_GROUP_SUM_OF_GRADIENTS,
  DSM_GROUP_BROADCAST_WEIGHTS,
  DSM_GROUP_WEIGHT_UPDATE,
  DSM_GROUP_TIED_WEIGHTS, /**< gradients to the layer that has the weights, and weights back */
  DSM_GROUP_RELAYOUT,
  DSM_GROUP_OVERHEAD,  /**< no transfers: kernels of the invocations start */
  DSM_GROUP_ISSUE,     /**< no transfers: waiting for kernels to be issued */
  DSM_GROUP_RECOMPUTE, /**< invocations of the forward pass again, whatever they do */
  DSM_GROUP_BUBBLE,    /**< no transfers: waiting for other stages of the step */
  DSM_GROUP_AUXILIARY, /**< the last: its cycles are part of the auxiliary ones, and 0 here */
  DSM_GROUP_COUNT,
  DSM_GROUP_LINKS_END = DSM_GROUP_OVERHEAD,   /**< after those that a link decides */
  DSM_GROUP_VISIBLE_END = DSM_GROUP_AUXILIARY /**< after those that do not overlap */
} dsm_group;

/** Bytes that each link of a chip carries, and the time that passes beside that. */
typedef struct dsm_traffic {
  double bytes[DSM_LINK_COUNT];
  double latency_cycles; /**< of the steps from chip to chip, and before the first */
} dsm_traffic;

/** The axis of what goes along none. */
#define DSM_NO_AXIS DSM_AXES_MAX

/** The resource that a link is. */
DSM_API dsm_bound dsm_bound_of_link(dsm_link link);

/** Adds `times` as much of some resources to others. */
DSM_API void dsm_resources_add(dsm_resources *sum, const dsm_resources *more, double times);

/** What most cycles are spent on, the first of equals (docs/model.md, section 6). */
DSM_API dsm_bound dsm_resources_bound(const dsm_resources *resources);

/** Does a transfer go along an axis? The others stay within the chips. */
DSM_API bool dsm_transfer_has_axis(dsm_transfer transfer);

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_link_name(dsm_link link);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_bound_name(dsm_bound bound);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_transfer_name(dsm_transfer transfer);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_group_name(dsm_group group);

#ifdef __cplusplus
}
#endif

#endif
