/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_links.c: ports and pairs with the keys of a profile, by which a partition's are read
 * back, and what they carry.
 */
#include "report/data/partition_links.h"

DSM__RECORD(dsm__port_record, dsm__port_row, true, "A switch or bridge.",
            DSM__FIELD(TEXT, dsm__port_row, of.name, "name", 0, .help = "Its name."),
            DSM__FIELD(TEXT_LIST, dsm__port_row, devices, "devices", 0,
                       .count_offset = offsetof(dsm__port_row, device_count),
                       .help = "Who is behind it."),
            DSM__REAL(dsm__port_row, of.bytes_per_second, "bandwidth_bytes_per_second", 0,
                      "bytes/s", "Each way."),
            DSM__FIELD(FLAG, dsm__port_row, of.is_direct, "direct", 0,
                       .help = "What its own devices send each other does not go through it."));

DSM__RECORD(dsm__pair_record, dsm__pair_row, true, "Two devices with a connection.",
            DSM__FIELD(TEXT_LIST, dsm__pair_row, devices, "devices", 0,
                       .count_offset = offsetof(dsm__pair_row, device_count), .help = "The two."),
            DSM__REAL(dsm__pair_row, of.bytes_per_second, "bandwidth_bytes_per_second", 0,
                      "bytes/s", "Each way."),
            DSM__REAL(dsm__pair_row, of.transfer_seconds, "transfer_seconds", 0, "seconds",
                      "Fixed cost of a transfer."));

/* What carries transfers beside links out of devices. */
static const dsm__word carrier_words[] = {[DSM_CARRIER_LINK].key = "link",
                                          [DSM_CARRIER_INCOMING].key = "incoming",
                                          [DSM_CARRIER_PORT_OUT].key = "port_out",
                                          [DSM_CARRIER_PORT_IN].key = "port_in",
                                          [DSM_CARRIER_PAIR].key = "pair"};
static DSM__WORDS(carrier_kinds, "what carries transfers", carrier_words, DSM_CARRIER_KIND_COUNT);

typedef struct carrier_row {
  dsm_carrier_use use;
  const char *name;
  const char *target; /* of a pair */
  bool is_one_request;
} carrier_row;

DSM__RECORD(dsm__carrier_record, carrier_row, false,
            "What carries transfers, and is limited, beside the links out of devices.",
            DSM__FIELD(WORD, carrier_row, use.kind, "kind", 0, .words = &carrier_kinds,
                       .help = "Which."),
            DSM__FIELD(TEXT, carrier_row, name, "name", 0,
                       .help = "Of the device or port; of a pair the device that sends."),
            DSM__FIELD(TEXT, carrier_row, target, "to", 0,
                       .stated_if = DSM__IF_IS(carrier_row, use.kind, DSM_CARRIER_PAIR),
                       .help = "Of a pair: the device that receives."),
            DSM__FIELD(REAL, carrier_row, use.capacity, "capacity_bytes_per_second", DSM__NULLABLE,
                       .unit = "bytes/s", .help = "null: unlimited."),
            DSM__FIELD(REAL, carrier_row, use.bytes_per_second, "bytes", 0, .unit = "bytes",
                       .stated_if = DSM__IF(carrier_row, is_one_request),
                       .help = "Of the objective latency: of the one request."),
            DSM__FIELD(REAL, carrier_row, use.bytes_per_second, "bytes_per_second", 0,
                       .unit = "bytes/s", .stated_if = DSM__UNLESS(carrier_row, is_one_request),
                       .help = "Of all but the objective latency."),
            DSM__FIELD(REAL, carrier_row, use.time_fraction, "time_fraction", 0, .unit = "ratio",
                       .help = "How much of the time it carries, fixed costs counted."),
            DSM__FIELD(FLAG, carrier_row, use.is_binding, "binds", 0,
                       .help = "It can carry no more."));

/* Names of the devices that are bits. */
static dsm__rows names_of(dsm__page *page, const dsm__device_names *devices, uint64_t bits) {
  dsm__rows made = dsm__rows_make(page, devices->count, sizeof(const char *));
  const char **const names = made.items;
  const size_t most = made.count;
  made.count = 0;
  for (size_t j = 0; j < most; j++) {
    if ((bits >> j & 1) != 0) {
      names[made.count++] = devices->names[j];
    }
  }
  return made;
}

dsm__device_names dsm__instance_device_names(const dsm_instance *instance) {
  dsm__device_names made = {.count = instance->device_count};
  for (size_t j = 0; j < made.count; j++) {
    made.names[j] = instance->devices[j].name;
  }
  return made;
}

dsm__rows dsm__port_rows(dsm__page *page, const dsm__device_names *devices, const dsm_port *ports,
                         size_t count) {
  const dsm__rows made = dsm__rows_make(page, count, sizeof(dsm__port_row));
  dsm__port_row *const rows = made.items;
  for (size_t p = 0; p < made.count; p++) {
    const dsm__rows names = names_of(page, devices, ports[p].devices);
    rows[p] = (dsm__port_row){ports[p], names.items, names.count};
  }
  return made;
}

dsm__rows dsm__pair_rows(dsm__page *page, const dsm__device_names *devices,
                         const dsm_device_pair *pairs, size_t count) {
  const dsm__rows made = dsm__rows_make(page, count, sizeof(dsm__pair_row));
  dsm__pair_row *const rows = made.items;
  for (size_t q = 0; q < made.count; q++) {
    const dsm__rows names = names_of(
        page, devices, (uint64_t)1 << pairs[q].devices[0] | (uint64_t)1 << pairs[q].devices[1]);
    rows[q] = (dsm__pair_row){pairs[q], names.items, names.count};
  }
  return made;
}

dsm__rows dsm__partition_carriers(dsm__page *page, const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const dsm__rows made = dsm__rows_make(page, partition->carrier_count, sizeof(carrier_row));
  carrier_row *const rows = made.items;
  for (size_t r = 0; r < made.count; r++) {
    const dsm_carrier_use *const use = &partition->carriers[r];
    const bool is_port = use->kind == DSM_CARRIER_PORT_OUT || use->kind == DSM_CARRIER_PORT_IN;
    rows[r] = (carrier_row){
        .use = *use,
        .name = is_port ? instance->ports[use->index].name : instance->devices[use->index].name,
        .target = is_port ? NULL : instance->devices[use->target].name,
        .is_one_request = partition->options.objective == DSM_OBJECTIVE_LATENCY};
  }
  return made;
}
