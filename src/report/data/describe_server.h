/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_server.h: the part of a description that is about a server or a profile. */
#ifndef DSM_REPORT_DATA_DESCRIBE_SERVER_H
#define DSM_REPORT_DATA_DESCRIBE_SERVER_H

#include "base/json_write.h"
#include "report/table/text_page.h"

/** Operations per second that a device can do at most, 2 for a MAC; 0: its times are given. */
double dsm__device_peak_flops(const dsm_device *device);

/** Appends a server: its devices. */
void dsm__describe_server(dsm__page *page, const dsm_server *server);

/** Appends a profile: its tasks in sum, and its devices. */
void dsm__describe_profile(dsm__page *page, const dsm_instance *profile);

/** Write the members of a server, and of a profile. */
void dsm__describe_server_json(dsm__json_writer *writer, const dsm_server *server);
void dsm__describe_profile_json(dsm__json_writer *writer, const dsm_instance *profile);

#endif
