/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server_internal.h: what the readers of servers and profiles share. */
#ifndef DSM_SERVER_SERVER_INTERNAL_H
#define DSM_SERVER_SERVER_INTERNAL_H

#include "base/arena.h"
#include "base/json_read.h"
#include "dsm/server.h"

/** An empty server with an arena of its own, freed with dsm_server_free; NULL if out of memory. */
dsm_server *dsm__server_new(void);

/** Reads all of a server; what is wrong is reported at the document of the node. */
void dsm__server_read(dsm_server *server, const dsm__json_node *root);

/** Shortest and longest time of a task that a description may give, in seconds. */
#define DSM__SECONDS_MIN 1e-12
#define DSM__SECONDS_MAX 1e9

/** Watts of a device, if it has the key "power". */
typedef struct dsm__power {
  bool is_given;
  double busy_watts;
  double idle_watts;
} dsm__power;

/** Reads "power" of a device. */
dsm__power dsm__power_read(const dsm__json_node *device);

/** Reads a time of a task on a device: infinite for null. */
bool dsm__seconds_read(const dsm__json_node *node, double *seconds);

/** Reads a member that may be absent: a number in a range, or else the fallback. */
void dsm__optional_read(const dsm__json_node *object, const char *key, dsm__json_range range,
                        double fallback, double *value);

/** Reports the second of two equal names in one list; `names` may have NULL entries. */
bool dsm__names_differ(const dsm__json_node *list, const char *const *names, size_t count,
                       dsm__arena *arena);

#endif
