/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * server.h: a server, that is devices of different kinds that share inference requests.
 *
 * Read from JSON (format "dsm-server/1", docs/formats.md). What a device needs for a task is not
 * here but in an instance (instance.h), which is made from a server and a workload, or from a
 * profile.
 */
#ifndef DSM_SERVER_H
#define DSM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/override.h"
#include "dsm/status.h"
#include "dsm/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a device's times come from. */
typedef enum dsm_device_kind {
  DSM_DEVICE_CHIP = 0, /**< times from the inference model on the device's own tiers */
  DSM_DEVICE_ROOFLINE, /**< peak, memory bandwidth, efficiency and a fixed cost a task */
  DSM_DEVICE_FPGA,     /**< instances of a kernel: clock, multipliers, initiation interval */
  DSM_DEVICE_TIMES,    /**< a time is given for each layer by name */
  DSM_DEVICE_KIND_COUNT
} dsm_device_kind;

/** seconds = task_seconds + sum over the layers of a task of
 *  max(flops / (peak * efficiency), bytes / (bandwidth * efficiency)) */
typedef struct dsm_roofline_device {
  double peak_flops; /**< per second */
  double memory_bytes_per_second;
  double efficiency_ratio; /**< 0 < e <= 1 */
} dsm_roofline_device;

/** seconds = task_seconds + sum over the layers of a task of
 *  ceil(MACs / (multipliers * instances)) * initiation_interval_cycles / clock */
typedef struct dsm_fpga_device {
  double clock_hertz;
  uint64_t multipliers;              /**< of an instance */
  double initiation_interval_cycles; /**< of an instance, 1 or more */
  uint64_t instances;
} dsm_fpga_device;

/** The time of a layer, or that the device cannot run it. A task of several layers takes the sum.
 */
typedef struct dsm_given_time {
  const char *task; /**< a layer's name */
  double seconds;   /**< infinite: cannot run here */
} dsm_given_time;

/** Devices behind a switch or a bridge: what moves between them and all others goes through it. */
typedef struct dsm_port {
  const char *name;
  double bytes_per_second; /**< each way */
  uint64_t devices; /**< bits, by number; of two ports one has all of the other and more, or none */
  bool is_direct;   /**< what its own devices send each other does not go through it */
} dsm_port;

/** Two devices with a connection of their own: what they send each other takes no other way. */
typedef struct dsm_device_pair {
  size_t devices[2];       /**< the lower number first */
  double bytes_per_second; /**< each way */
  double transfer_seconds; /**< fixed cost of a transfer */
} dsm_device_pair;

/** A device of a server, or several equal ones. */
typedef struct dsm_device {
  const char *name;
  const char *source; /**< of its numbers; NULL: not stated */
  dsm_device_kind kind;
  bool is_accelerator;          /**< counts for the baseline "accelerators only" */
  double memory_bytes;          /**< infinite: unlimited; of a chip that does not state it what one
                                     chip of its system has */
  double link_bytes_per_second; /**< out of the device; infinite: unlimited */
  double incoming_bytes_per_second; /**< into the device; 0: unlimited */
  double transfer_seconds;          /**< fixed cost of a transfer over its link */
  double element_bytes; /**< of activations and tensors that it makes; 0: the workload's */
  double weight_bytes;  /**< of a parameter; 0: the workload's */
  bool has_power;
  double busy_watts;
  double idle_watts;      /**< 0 if not stated */
  double task_seconds;    /**< fixed cost of any task, whatever its layers; 0 where there is none */
  const dsm_system *chip; /**< DSM_DEVICE_CHIP: owned by the server */
  dsm_roofline_device roofline;
  dsm_fpga_device fpga;
  const dsm_given_time *times; /**< DSM_DEVICE_TIMES */
  size_t time_count;
} dsm_device;

/** Immutable once parsed. */
typedef struct dsm_server {
  const char *name;
  const char *source;        /**< NULL: not stated */
  const dsm_device *devices; /**< "count": N in JSON, N > 1, makes equal devices NAME1 .. NAMEn */
  size_t device_count;       /**< 1 .. DSM_DEVICES_MAX */
  const dsm_port *ports;     /**< of two nested ones the inner first */
  size_t port_count;
  const dsm_device_pair *pairs;
  size_t pair_count;

  dsm_system **chips;       /**< private: those that devices of kind chip point to */
  size_t chip_count;        /**< private */
  struct dsm__arena *arena; /**< private */
} dsm_server;

/** As dsm_system_parse. A chip's tiers stand in the device in full, under "system". */
DSM_API DSM_NODISCARD dsm_status dsm_server_parse(dsm_server **server, const char *text,
                                                  size_t length, const char *file,
                                                  const dsm_override *overrides,
                                                  size_t override_count, dsm_diags *diags);
/** dsm_server_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_server_load(dsm_server **server, const char *path,
                                                 const dsm_override *overrides,
                                                 size_t override_count, dsm_diags *diags);
/** Frees the server; NULL is fine. */
DSM_API void dsm_server_free(dsm_server *server);

/** The word of the format: "chip", "roofline", "fpga", "times". Never NULL. */
DSM_API const char *dsm_device_kind_name(dsm_device_kind kind);

#ifdef __cplusplus
}
#endif

#endif
