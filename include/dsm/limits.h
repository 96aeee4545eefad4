/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * limits.h: the documented limits of all inputs. They are checked once at the border; within them
 * no count overflows 64 bits and no time or volume overflows a double.
 */
#ifndef DSM_LIMITS_H
#define DSM_LIMITS_H

#define DSM_NAME_BYTES_MAX 128            /**< bytes of a name */
#define DSM_AXIS_NAME_BYTES_MAX 16        /**< bytes of an axis's name, a part of words */
#define DSM_TEXT_BYTES_MAX 4096           /**< bytes of a source or note */
#define DSM_LAYERS_MAX 12000              /**< declared layers */
#define DSM_PARAMETERS_MAX 1000           /**< parameters of a workload */
#define DSM_JSON_VALUES_MAX 16777216      /**< values of a JSON text, keys not counted */
#define DSM_DIMENSION_MAX 2147483647      /**< features of a layer, operand parts, the minibatch */
#define DSM_SIDE_MAX 1048576              /**< rows or columns, strides, timesteps, units of a PE */
#define DSM_PRODUCT_MAX 9007199254740992U /**< 2^53: elements and MACs of a layer per sample */
#define DSM_CORES_MAX 1048576             /**< cores of a chip */
#define DSM_CHIPS_MAX 1048576             /**< chips of a system */
#define DSM_DEVICES_MAX 64                /**< devices of a server */
#define DSM_TASKS_MAX 12000               /**< tasks of a partition */
#define DSM_DEVICE_BATCH_MAX 65536        /**< requests that a device runs together */
#define DSM_BATCH_POWER_MAX 64       /**< largest of the powers of two that are tried as batches */
#define DSM_BATCH_TIMES_MAX 64       /**< sizes of batches of which a task has times */
#define DSM_REQUESTS_MAX 10000000    /**< requests of a dispatch simulation */
#define DSM_TRACE_EVENTS_MAX 2000000 /**< tasks and transfers in the trace of a simulation */
#define DSM_SWEEP_POINTS_MAX 1000000 /**< points of a sweep, before conditions exclude any */
#define DSM_SWEEP_OPEN_MAX                                                                         \
  9007199254740992                    /**< the same of one whose points are not listed: 2^53 */
#define DSM_SWEEP_AXES_MAX 32         /**< axes of a sweep, and paths of an axis */
#define DSM_SWEEP_CONDITIONS_MAX 1000 /**< conditions of a specification, and of a command line */
#define DSM_SWEEP_VALUES_MAX 100000   /**< values of an axis, and inputs of a sweep */
#define DSM_MEASUREMENTS_MAX 10000    /**< measurements that a system is calibrated on */
#define DSM_INTERLEAVE_MAX 1024       /**< runs of layers of a stage of a step */
#define DSM_REMAT_STAGES_MAX 2000     /**< stages of a chain */
#define DSM_REMAT_OPTIONS_MAX 400     /**< options of a stage */
#define DSM_REMAT_OPERATIONS_MAX 64   /**< operations of a stage that is a graph of them */
#define DSM_REMAT_MICRO_BATCHES_MAX 4096 /**< micro-batches of a pipeline */
#define DSM_WATTS_MAX 1e6                /**< limit of a chip's power */
#define DSM_SAMPLE_BYTES_MAX 1e15        /**< bytes of a sample of a data set */
#define DSM_MINI_EPOCHS_MAX 1000000      /**< parts of a data set that are listed one by one */
#define DSM_REPEAT_MAX 1000000           /**< times that such a part is trained on */
#define DSM_STORAGE_NUMBER_MAX 1e60      /**< sizes and rates of storage; least: 1 over it */
#define DSM_TRACE_ROWS_MAX 10000000      /**< rows of a trace of metrics */
#define DSM_WINDOW_MAX 1000              /**< scores over which a mean moves */

#endif
