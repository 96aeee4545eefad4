/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server_internal.h: what the readers of servers and profiles share. */
#ifndef DSM_SERVER_SERVER_INTERNAL_H
#define DSM_SERVER_SERVER_INTERNAL_H

#include "base/arena.h"
#include "base/description.h"
#include "base/record.h"
#include "dsm/instance.h"
#include "dsm/server.h"
#include "workload/name_index.h"

extern const dsm__words dsm__device_kind_words;

extern const dsm__description dsm__server_description;
extern const dsm__description dsm__profile_description; /**< of its own format alone */

/* The objects of "dsm-server/1". */
extern const dsm__object_type dsm__server_object;
extern const dsm__object_type dsm__device_object;
extern const dsm__object_type dsm__power_object;

/*
 * What devices and tasks can be like at all (docs/formats.md). Within these limits no number that
 * is made of them overflows or vanishes, and the solver can scale all.
 */

/** Shortest time of a task on a device other than 0, and longest, given or computed, in seconds. */
#define DSM__SECONDS_MIN 1e-12
#define DSM__SECONDS_MAX 1e9
#define DSM__SECONDS_RANGE "1e-12 to 1e9 s, or 0" /**< in messages */
/** Bytes of parameters or tensors other than 0. */
#define DSM__BYTES_MIN 1e-3
#define DSM__BYTES_MAX 1e18
#define DSM__BYTES_RANGE "0.001 to 1e18 bytes"
/** Bytes of a memory, and bytes a second of a link. */
#define DSM__CAPACITY_MIN 1
#define DSM__CAPACITY_MAX 1e18
#define DSM__CAPACITY_RANGE "1 to 1e18 bytes"
/** Watts of a busy device, and of an idle one other than 0. */
#define DSM__WATTS_MIN 1e-9
#define DSM__WATTS_MAX 1e9

/** Reports watts of an idle device above those of a busy one, where both could be read. */
void dsm__power_check(const dsm__json_node *power, double busy_watts, double idle_watts);

/** Reads a time of a task on a device: infinite for null, or 0. */
bool dsm__seconds_read(const dsm__json_node *node, double *seconds);

/** The range of bytes other than 0. */
extern const dsm__json_range dsm__bytes_range;
/** The range of memories in bytes, and of links in bytes a second. */
extern const dsm__json_range dsm__capacity_range;

/** A name, and the devices that it stands for, as bits. */
typedef struct dsm__named_devices {
  const char *name;
  uint64_t devices;
} dsm__named_devices;

typedef struct dsm__links {
  const dsm_port *ports;
  size_t port_count;
  const dsm_device_pair *pairs;
  size_t pair_count;
} dsm__links;

/** Reads "ports" and "pairs", the rows of a record (links_record.h); at most 2 * DSM_DEVICES_MAX
 * names. */
dsm__links dsm__links_read(const dsm__json_node *root, const dsm__record_type *rows,
                           const dsm__named_devices *names, size_t name_count, dsm__arena *arena);

/** What a profile has of a device, whose name stays the server's. */
dsm_instance_device dsm__instance_device_of(const dsm_device *device);

/** The same of a profile or partition, whose devices the instance has, into the instance. */
void dsm__instance_links_read(dsm_instance *instance, const dsm__json_node *root,
                              dsm__arena *arena);

/** Reports the second of two equal names of items of a list, by their sorted index. */
bool dsm__index_differs(const dsm__json_node *list, const dsm__name_index *index);

/** The same; `names` may have NULL entries. */
bool dsm__names_differ(const dsm__json_node *list, const char *const *names, size_t count,
                       dsm__arena *arena);

/* ---- what reading a profile's two formats has in common ---- */

/** Reads the planner format of msr-fiddle/dnn-partitioning into an instance that has only its
 * arena; findings are the document's. */
void dsm__planner_read(dsm_instance *instance, const dsm__json_node *root);

#endif
