/* SPDX-License-Identifier: GPL-3.0-or-later */
/* links_record.h: what devices of a server, a profile or a partition share, and what two have for
 * themselves, as rows with the names of devices. */
#ifndef DSM_SERVER_LINKS_RECORD_H
#define DSM_SERVER_LINKS_RECORD_H

#include "base/record.h"
#include "dsm/instance.h"
#include "dsm/limits.h"

/** What several devices share. */
typedef struct dsm__port_row {
  dsm_port of;
  const char *const *devices;
  size_t device_count;
} dsm__port_row;

/** What two devices have for themselves. */
typedef struct dsm__pair_row {
  dsm_device_pair of;
  const char *const *devices;
  size_t device_count;
} dsm__pair_row;

extern const dsm__record_type dsm__port_record;
extern const dsm__record_type dsm__pair_record;
extern const dsm__record_type dsm__profile_port_record;
extern const dsm__record_type dsm__profile_pair_record; /**< without a fixed cost of 0 */

/** What a document says of links, and is read. */
typedef struct dsm__link_rows {
  const dsm__port_row *ports;
  size_t port_count;
  const dsm__pair_row *pairs;
  size_t pair_count;
} dsm__link_rows;

extern const dsm__record_type dsm__profile_links_record; /**< of profiles, and partitions */
extern const dsm__record_type dsm__server_links_record;  /**< in its units */

/** Of devices, by number; borrowed. */
typedef struct dsm__device_names {
  const char *names[DSM_DEVICES_MAX];
  size_t count;
} dsm__device_names;

dsm__device_names dsm__instance_device_names(const dsm_instance *instance);

/** Rows of ports and pairs in an arena; NULL if out of memory. */
dsm__port_row *dsm__port_rows(dsm__arena *arena, const dsm__device_names *devices,
                              const dsm_port *ports, size_t count);
dsm__pair_row *dsm__pair_rows(dsm__arena *arena, const dsm__device_names *devices,
                              const dsm_device_pair *pairs, size_t count);

#endif
