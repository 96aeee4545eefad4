/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_links.c: what ports, pairs and links of a partition carry. */
#include "report/data/partition_links.h"

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
