/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_devices.h: devices of servers and profiles, and what connects them, inside of what
 * descriptions hold. */
#ifndef DSM_REPORT_DATA_DESCRIBE_DEVICES_H
#define DSM_REPORT_DATA_DESCRIBE_DEVICES_H

#include "dsm/instance.h"
#include "dsm/server.h"
#include "report/data/records.h"
#include "report/table/table.h"

/** Rows of the record of devices, and of those of ports and pairs (partition_links.h). */
typedef struct dsm__described_devices {
  dsm__rows devices;
  dsm__rows ports;
  dsm__rows pairs;
} dsm__described_devices;

extern const dsm__record_type dsm__described_device_record;

dsm__described_devices dsm__described_devices_of_server(dsm__page *page, const dsm_server *server);
dsm__described_devices dsm__described_devices_of_profile(dsm__page *page,
                                                         const dsm_instance *profile);

/** Adds what is said of links beside their bandwidth to a table: connection, devices, bandwidth, a
 * transfer. */
void dsm__described_links(dsm__table *table, const dsm__described_devices *of);

/** Operations per second that a device can do at most, 2 for a MAC; 0: its times are given. */
double dsm__device_peak_flops(const dsm_device *device);

/** The device of a row, for CSV. */
const void *dsm__described_device(const dsm__described_devices *of, size_t device);

#endif
