/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_links.h: what devices of a server, a profile or a partition share, and what two have
 * for themselves. */
#ifndef DSM_REPORT_DATA_PARTITION_LINKS_H
#define DSM_REPORT_DATA_PARTITION_LINKS_H

#include "report/data/records.h"

extern const dsm__record_type dsm__carrier_record;
extern const dsm__record_type dsm__port_record;
extern const dsm__record_type dsm__pair_record;

/** A port, and a pair, with the names of their devices: rows of the last two. */
typedef struct dsm__port_row {
  dsm_port of;
  const char *const *devices;
  size_t device_count;
} dsm__port_row;

typedef struct dsm__pair_row {
  dsm_device_pair of;
  const char *const *devices;
  size_t device_count;
} dsm__pair_row;

/** Of devices, by number; borrowed. */
typedef struct dsm__device_names {
  const char *names[DSM_DEVICES_MAX];
  size_t count;
} dsm__device_names;

dsm__device_names dsm__instance_device_names(const dsm_instance *instance);

/** Rows of these records. */
dsm__rows dsm__partition_carriers(dsm__page *page, const dsm_partition *partition);
dsm__rows dsm__port_rows(dsm__page *page, const dsm__device_names *devices, const dsm_port *ports,
                         size_t count);
dsm__rows dsm__pair_rows(dsm__page *page, const dsm__device_names *devices,
                         const dsm_device_pair *pairs, size_t count);

#endif
