/* SPDX-License-Identifier: GPL-3.0-or-later */
/* links_record.c: ports and pairs with the keys of a profile, by which a partition's are read back.
 */
#include "server/links_record.h"

#include "server/server_internal.h"

enum {
  REQUIRED = DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED,
  MAY_BE = DSM__FIELD_IS_READ | DSM__FIELD_IS_OPTIONAL,
  PAIRS_MAX = DSM_DEVICES_MAX * (DSM_DEVICES_MAX - 1) / 2
};

#define DEVICES(row, about)                                                                        \
  DSM__FIELD(TEXT_LIST, row, devices, "devices", REQUIRED,                                         \
             .count_offset = offsetof(row, device_count), .min = 1, .max = DSM_NAME_BYTES_MAX,     \
             .most_items = DSM_DEVICES_MAX, .expected = "a list of names of devices",              \
             .help = (about))
#define NUMBER(row, member, key, flags, least, most, of_unit, of_scale, ...)                       \
  DSM__FIELD(REAL, row, member, key, flags, .min = (least), .max = (most), .unit = (of_unit),      \
             .scale = (of_scale), __VA_ARGS__)
#define BANDWIDTH(row, ...)                                                                        \
  NUMBER(row, of.bytes_per_second, __VA_ARGS__, .expected = "the bandwidth each way",              \
         .help = "Each way.")
#define BYTES                                                                                      \
  "bandwidth_bytes_per_second", REQUIRED, DSM__CAPACITY_MIN, DSM__CAPACITY_MAX, "bytes/s", 1
#define GIGABYTES "bandwidth_GBps", REQUIRED, 1e-9, 1e9, "GB/s", 1e9
#define TRANSFER(key, flags, of_unit, of_scale)                                                    \
  NUMBER(dsm__pair_row, of.transfer_seconds, key, flags, 0, DSM__SECONDS_MAX, of_unit, of_scale,   \
         .fallback = 0, .help = "Fixed cost of a transfer.")

#define PORT(record_name, direct, ...)                                                             \
  DSM__RECORD(record_name, dsm__port_row, true, "A switch or bridge.",                             \
              DSM__FIELD(TEXT, dsm__port_row, of.name, "name", REQUIRED,                           \
                         .max = DSM_NAME_BYTES_MAX, .expected = "the port's name",                 \
                         .help = "Its name."),                                                     \
              DEVICES(dsm__port_row, "Who is behind it."), BANDWIDTH(dsm__port_row, __VA_ARGS__),  \
              DSM__FIELD(FLAG, dsm__port_row, of.is_direct, "direct", direct, .fallback = 1,       \
                         .help = "What its own devices send each other does not go through it."))
#define PAIR(record_name, about, transfer, ...)                                                    \
  DSM__RECORD(record_name, dsm__pair_row, true, "Two devices with a connection.",                  \
              DEVICES(dsm__pair_row, about), BANDWIDTH(dsm__pair_row, __VA_ARGS__), transfer)
#define LINKS(record_name, port, pair)                                                             \
  DSM__RECORD(record_name, dsm__link_rows, true, "What devices share, and two have.",              \
              DSM__FIELD(LIST, dsm__link_rows, ports, "ports", MAY_BE,                             \
                         .count_offset = offsetof(dsm__link_rows, port_count), .type = &(port),    \
                         .max = DSM_DEVICES_MAX, .help = "Switches and bridges."),                 \
              DSM__FIELD(LIST, dsm__link_rows, pairs, "pairs", MAY_BE,                             \
                         .count_offset = offsetof(dsm__link_rows, pair_count), .type = &(pair),    \
                         .max = PAIRS_MAX, .help = "Connections of their own."))

PORT(dsm__port_record, DSM__FIELD_IS_READ, BYTES);
PAIR(dsm__pair_record, "The two.", TRANSFER("transfer_seconds", DSM__FIELD_IS_READ, "seconds", 1),
     BYTES);

#define SEVERAL "Two, or more that are each two a pair."
PORT(dsm__profile_port_record, MAY_BE, BYTES);
PAIR(dsm__profile_pair_record, SEVERAL,
     TRANSFER("transfer_seconds", MAY_BE | DSM__FIELD_UNLESS_0, "seconds", 1), BYTES);
LINKS(dsm__profile_links_record, dsm__profile_port_record, dsm__profile_pair_record);

PORT(dsm__server_port_record, MAY_BE, GIGABYTES);
PAIR(dsm__server_pair_record, SEVERAL, TRANSFER("transfer_microseconds", MAY_BE, "us", 1e-6),
     GIGABYTES);
LINKS(dsm__server_links_record, dsm__server_port_record, dsm__server_pair_record);

/* Names of the devices that are bits; NULL if out of memory. */
static const char *const *names_of(dsm__arena *arena, const dsm__device_names *devices,
                                   uint64_t bits, size_t *count) {
  const char **const names = dsm__arena_array(arena, devices->count, sizeof *names);
  *count = 0;
  for (size_t j = 0; names != NULL && j < devices->count; j++) {
    if ((bits >> j & 1) != 0) {
      names[(*count)++] = devices->names[j];
    }
  }
  return names;
}

dsm__device_names dsm__instance_device_names(const dsm_instance *instance) {
  dsm__device_names made = {.count = instance->device_count};
  for (size_t j = 0; j < made.count; j++) {
    made.names[j] = instance->devices[j].name;
  }
  return made;
}

dsm__port_row *dsm__port_rows(dsm__arena *arena, const dsm__device_names *devices,
                              const dsm_port *ports, size_t count) {
  dsm__port_row *rows = dsm__arena_array(arena, count, sizeof *rows);
  for (size_t p = 0; rows != NULL && p < count; p++) {
    rows[p].of = ports[p];
    rows[p].devices = names_of(arena, devices, ports[p].devices, &rows[p].device_count);
    rows = rows[p].devices == NULL ? NULL : rows;
  }
  return rows;
}

dsm__pair_row *dsm__pair_rows(dsm__arena *arena, const dsm__device_names *devices,
                              const dsm_device_pair *pairs, size_t count) {
  dsm__pair_row *rows = dsm__arena_array(arena, count, sizeof *rows);
  for (size_t q = 0; rows != NULL && q < count; q++) {
    const uint64_t both = (uint64_t)1 << pairs[q].devices[0] | (uint64_t)1 << pairs[q].devices[1];
    rows[q].of = pairs[q];
    rows[q].devices = names_of(arena, devices, both, &rows[q].device_count);
    rows = rows[q].devices == NULL ? NULL : rows;
  }
  return rows;
}
