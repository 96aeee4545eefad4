/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_view.c: a partition for people. */
#include "partition/answer/partition_placement.h"
#include "partition/answer/partition_record.h"
#include "partition/answer/partition_rows.h"
#include "report/table/number_style.h"

/* ---- for people ---- */

DSM__OWN_RECORD(shown_record, dsm__partition_document, false,
                "A partition with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &dsm__partition_record},
                DSM__SAID(FLAG, dsm__partition_document, has_batches),
                DSM__SAID(TEXT, dsm__partition_document, bound_text),
                DSM__SAID(TEXT, dsm__partition_document, relaxation_text),
                DSM__SAID(TEXT, dsm__partition_document, solver),
                DSM__SAID(TEXT, dsm__partition_document, off));

static const dsm__fact facts[] = {
    DSM__FACT("throughput", "{rho:4} requests/s{rho_is_bound?, a bound, as the network is not a "
                            "chain|}"),
    DSM__FACT_IF("samples", "{samples_per_second:4} samples/s, {batch} a request",
                 DSM__IF_ABOVE(dsm__partition_document, batch, 1)),
    DSM__FACT_IF("whole", "at most {whole_rho:4} requests/s if each request runs as a whole",
                 DSM__IF(dsm__partition_document, of.whole_rho)),
    DSM__FACT_IF("simulated", "{simulated_rho:4} requests/s",
                 DSM__IF(dsm__partition_document, of.simulated_rho)),
    DSM__FACT("latency", "{latency_seconds:m4} ms{waiting_seconds?, of it {waiting_seconds:m4} ms "
                         "until batches are full, on average|}"),
    DSM__FACT_IF("mean",
                 "{mean_latency_seconds:m4} ms a request, {mean_latency_is_bound?a bound, as "
                 "the network is not a chain;  |}at most "
                 "{options.latency_limit_seconds:m4} ms allowed",
                 DSM__IF(dsm__partition_document, of.options.latency_limit_seconds)),
    DSM__FACT_IF("energy", "{joules_per_request:4} J a request",
                 DSM__IF(dsm__partition_document, of.joules_per_request)),
    DSM__FACT("bound", "{bound_text}, gap {gap:%3 %|unknown}; linear relaxation {relaxation_text}"),
    DSM__FACT("solver", "{solver}"),
    DSM__FACT_IF("copies",
                 "at most {options.copies} of each task{options.stages?, each device a "
                 "stage|}",
                 DSM__IF(dsm__partition_document, of.options.copies_max)),
    DSM__FACT_IF("cuts", "at most {options.cuts}",
                 DSM__IF(dsm__partition_document, of.options.cuts_max)),
    DSM__FACT_IF("off", "{off}", DSM__IF(dsm__partition_document, of.options.is_unused_off)),
    {.label = "precision",
     .each = "devices",
     .text = "{name}: bytes an element {element_bytes:~4}, a parameter {weight_bytes:~4}",
     .when = {DSM__IF(dsm__device_row, device.element_bytes)}},
    {.label = "precision",
     .each = "devices",
     .text = "{name}: bytes a parameter {weight_bytes:~4}",
     .when = {DSM__UNLESS(dsm__device_row, device.element_bytes),
              DSM__IF(dsm__device_row, device.weight_bytes)}},
};

static dsm__text_style use_style(const void *of, const void *row) {
  (void)of;
  return dsm__style_of_utilization(((const dsm__device_row *)row)->use.time_fraction);
}

static const dsm__table_column device_columns[] = {
    {.title = "device", .value = "{name}", .is_name = true},
    DSM__COLUMN_OF("batch", "{has_batches?{batch|1}|}", .is_right = true, .is_optional = true),
    DSM__COLUMN_OF("time %", "{time_fraction:%}", .is_right = true, .style = use_style),
    DSM__COLUMN_OF("memory", "{memory_bytes}", .is_right = true, .rank = 2),
    DSM__NUMBERS("memory %", "{memory_fraction:%}"),
    DSM__COLUMN_OF("link", "{link_bytes}{link_bytes_per_second}", .is_right = true, .rank = 1),
    DSM__NUMBERS("link %", "{link_fraction:%}"),
    DSM__COLUMN_OF("binds", "{binds:,}", .rank = 0),
};
static const dsm__row_table devices = {.list = "devices", DSM__COLUMNS(device_columns)};

static const char *carrier_name(dsm__page *page, const void *of, const void *row) {
  const dsm_instance *const instance = ((const dsm__partition_document *)of)->of.instance;
  const dsm_carrier_use *const use = row; /* a row begins with it */
  switch (use->kind) {
  case DSM_CARRIER_LINK:
    return instance->devices[use->index].name;
  case DSM_CARRIER_INCOMING:
    return dsm__page_text(page, "into %s", instance->devices[use->index].name);
  case DSM_CARRIER_PORT_OUT:
    return dsm__page_text(page, "%s out", instance->ports[use->index].name);
  case DSM_CARRIER_PORT_IN:
    return dsm__page_text(page, "%s in", instance->ports[use->index].name);
  case DSM_CARRIER_PAIR:
    return dsm__page_text(page, "%s to %s", instance->devices[use->index].name,
                          instance->devices[use->target].name);
  case DSM_CARRIER_KIND_COUNT:
    break;
  }
  return "";
}

static const dsm__table_column carrier_columns[] = {
    {.title = "carrier", .make = carrier_name, .is_name = true},
    DSM__COLUMN_OF("bandwidth", "{capacity_bytes_per_second|unlimited}", .is_right = true,
                   .rank = 1),
    DSM__COLUMN_OF("carries", "{bytes}{bytes_per_second}", .is_right = true, .rank = 2),
    DSM__NUMBERS("time %", "{time_fraction:%}"),
    DSM__COLUMN_OF("binds", "{binds?yes|}", .rank = 0),
};
static const dsm__row_table carriers = {.list = "carriers", DSM__COLUMNS(carrier_columns)};

static const char *baseline_name(dsm__page *page, const void *of, const void *row) {
  static const char *const names[DSM_BASELINE_KIND_COUNT] = {
      "all of it on each accelerator", "all of it on each device", "all of it on the best device"};
  (void)page;
  (void)of;
  return names[((const dsm__baseline_row *)row)->of.kind];
}

static const dsm__table_column baseline_columns[] = {
    {.title = "without partitioning", .make = baseline_name},
    DSM__COLUMN_OF("devices", "{devices}", .is_right = true, .rank = 2),
    DSM__NUMBERS("requests/s", "{rho:4|impossible}"),
    DSM__COLUMN_OF("latency ms", "{latency_seconds:m4|-}", .is_right = true, .rank = 1),
    DSM__NUMBERS("gain", "{gain:3 x|-}"),
};

static dsm__text_style baseline_style(const void *of, const void *row) {
  const dsm__baseline_row *const baseline = row;
  (void)of;
  return !baseline->of.is_feasible ? DSM__STYLE_FAINT
         : baseline->gain > 1      ? DSM__STYLE_GOOD
                                   : DSM__STYLE_PLAIN;
}
static const dsm__row_table baselines = {
    .list = "baselines", DSM__COLUMNS(baseline_columns), .style = baseline_style};

#define SIMULATED DSM__IF(dsm__partition_document, is_simulated)

static const dsm__fact simulated_facts[] = {
    DSM__FACT("throughput", "{simulation.throughput:4} requests/s in the steady half"),
    DSM__FACT("latency", "mean {simulation.latency.mean_seconds:m4} ms, p50 "
                         "{simulation.latency.p50_seconds:m4} ms, p95 "
                         "{simulation.latency.p95_seconds:m4} ms, p99 "
                         "{simulation.latency.p99_seconds:m4} ms"),
    DSM__FACT_IF("waiting",
                 "mean {simulation.waiting_seconds:m4} ms until batches were full; "
                 "{simulation.partial_batches} batch{simulation.partial_batches;es} "
                 "began before",
                 DSM__IF(dsm__partition_document, simulation.of.mean_waiting_seconds)),
    /* What looks as if it were better than can be. */
    DSM__FACT_IF("",
                 "the throughput is above the bound because it counts requests that were under "
                 "way when the half began; of those that entered in it there are "
                 "{simulation.throughput_within:4} requests/s",
                 DSM__IF(dsm__partition_document, is_above_bound)),
    DSM__FACT_IF("",
                 "latencies are below that of the answer, where tasks run one after another: "
                 "here branches run at the same time on several devices",
                 DSM__IF(dsm__partition_document, is_below_answer)),
};

static dsm__text_style simulated_style(const void *of, const void *row) {
  (void)of;
  return dsm__style_of_utilization(((const dsm__dispatch_device_row *)row)->of.time_fraction);
}

static const dsm__table_column simulated_columns[] = {
    {.title = "device", .value = "{name}", .is_name = true},
    DSM__COLUMN_OF("time %", "{time_fraction:%}", .is_right = true, .style = simulated_style),
    DSM__NUMBERS("link %", "{link_fraction:%}"),
    DSM__NUMBERS("mean queue", "{mean_queue:.2}"),
    DSM__NUMBERS("most", "{most_queued}"),
};
static const dsm__row_table simulated_devices = {.list = "simulation.devices",
                                                 DSM__COLUMNS(simulated_columns)};

static void fill_placement(dsm__table *table, const void *of) {
  dsm__put_placement(table, &((const dsm__partition_document *)of)->of);
}
static const dsm__row_table placement = {.columns = dsm__placement_columns,
                                         .column_count = DSM__PLACEMENT_COLUMNS,
                                         .fill = fill_placement};

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", DSM__FACTS(facts), .label_width = 14},
    {.id = "placement",
     .title = "Placement",
     .heading = "Placement, with shares of the requests",
     .table = &placement},
    {.id = "devices",
     .title = "Devices",
     .heading = "Devices, and what limits them",
     .table = &devices},
    {.id = "carriers",
     .title = "Links",
     .heading = "Ports, pairs and links into devices",
     .when = {DSM__IF(dsm__partition_document, of.carrier_count)},
     .table = &carriers},
    {.id = "baselines", .title = "Without partitioning", .table = &baselines},
    {.id = "simulation",
     .title = "Simulation",
     .heading = "Simulation of {simulation.requests} request{simulation.requests;s}"
                "{simulation.window?, {simulation.window} at a time| that arrive at "
                "{simulation.rate:~4} a second, seed {simulation.seed:=}}, dispatch "
                "{simulation.rule}",
     .when = {SIMULATED}},
    {DSM__FACTS(simulated_facts), .when = {SIMULATED}, .label_width = 14},
    {.when = {SIMULATED}, .table = &simulated_devices},
};

const dsm__layout dsm__partition_layout = {
    .type = &shown_record,
    .heading = "{instance}: best {objective} on {devices} device{devices;s}",
    DSM__SECTIONS(sections)};
