/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_view.c: what descriptions hold, for people. */
#include "model/names.h"
#include "plan/plan_internal.h"
#include "report/data/describe_record.h"
#include "report/parameter_list.h"
#include "report/table/describe_table.h"
#include "system/system_internal.h"

DSM__OWN_RECORD(
    shown_record, dsm__item_row, false, "A description with what is said of it to people.",
    {.kind = DSM__FIELD_PART, .type = &dsm__item_record}, DSM__SAID(TEXT, dsm__item_row, heading),
    DSM__SAID(TEXT, dsm__item_row, source), DSM__SAID(TEXT, dsm__item_row, system_source),
    DSM__SAID(TEXT, dsm__item_row, record), DSM__SAID(TEXT, dsm__item_row, elements),
    DSM__SAID(TEXT, dsm__item_row, axes_text), DSM__SAID(TEXT, dsm__item_row, reserve),
    DSM__SAID(TEXT, dsm__item_row, optimizer), DSM__SAID(TEXT, dsm__item_row, types),
    DSM__SAID(COUNT, dsm__item_row, layer_count), DSM__SAID(COUNT, dsm__item_row, other_count),
    DSM__SAID(COUNT, dsm__item_row, all_weights), DSM__SAID(REAL, dsm__item_row, element_bytes),
    DSM__FIELD(REAL, dsm__item_row, stored_bytes, "stored_bytes", 0, .unit = "bytes"),
    DSM__FIELD(REAL, dsm__item_row, cache_bytes, "cache_bytes", 0, .unit = "bytes"),
    DSM__FIELD(COUNT, dsm__item_row, counts.weights, "weights", 0, .min = 0),
    DSM__FIELD(COUNT, dsm__item_row, counts.biases, "biases", 0, .min = 0),
    DSM__FIELD(COUNT, dsm__item_row, counts.norms, "norms", 0, .min = 0),
    DSM__FIELD(COUNT, dsm__item_row, counts.embeddings, "embeddings", 0, .min = 0),
    DSM__FIELD(WORD, dsm__item_row, sweep.options.mode, "sweep_mode", 0,
               .words = &dsm__mode_words));

#define SOURCE                                                                                     \
  { .text = "{source?source: {source}|}", .is_faint = true }

static const dsm__fact sweep_facts[] = {
    DSM__FACT(NULL, "{points} point{points;s}, {sweep_mode} mode, records {record}"), SOURCE};

/* "P and Q: 1 and 2, 3 and 4": the paths of an axis and its values. */
static void show_axes(dsm__page *page, const void *of) {
  const dsm_sweep *const sweep = &((const dsm__item_row *)of)->sweep;
  for (size_t a = 0; a < sweep->axis_count; a++) {
    const dsm_axis *const axis = &sweep->axes[a];
    const char *text = "";
    for (size_t p = 0; p < axis->path_count; p++) {
      text = dsm__page_join(page, text, " and ", "%s", axis->paths[p]);
    }
    for (size_t v = 0; v < axis->value_count * axis->path_count; v++) {
      text = dsm__page_text(page, "%s%s%s", text,
                            v == 0                      ? ": "
                            : v % axis->path_count != 0 ? " and "
                                                        : ", ",
                            axis->values[v].text);
    }
    dsm__page_line(page, DSM__STYLE_PLAIN, "%s", text);
  }
}

static const dsm__fact server_facts[] = {DSM__FACT(NULL, "{devices} device{devices;s}"), SOURCE};
static const dsm__fact profile_facts[] = {
    DSM__FACT(NULL, "{tasks} task{tasks;s} with {weights_bytes} of parameters, {tensors} "
                    "tensor{tensors;s} between them")};

#define ROLE DSM__COLUMN_OF("role", "{accelerator?accelerator|host}", .rank = 2)
#define LIMITS                                                                                     \
  DSM__NUMBERS("memory", "{memory_bytes|unlimited}"),                                              \
      DSM__NUMBERS("link", "{link_bytes_per_second|unlimited}"),                                   \
      DSM__COLUMN_OF("busy W", "{busy_watts:~4|-}", .is_right = true, .rank = 1)

static const dsm__table_column server_columns[] = {
    {.title = "device", .value = "{name}", .is_name = true},
    DSM__COLUMN_OF("kind", "{kind}", .rank = 0),
    ROLE,
    DSM__NUMBERS("peak", "{peak_flops|-}"),
    LIMITS};
static const dsm__row_table server_devices = {.list = "devices", DSM__COLUMNS(server_columns)};

static const dsm__table_column profile_columns[] = {
    {.title = "device", .value = "{name}", .is_name = true},
    ROLE,
    DSM__NUMBERS("runs tasks", "{runs_tasks}"),
    LIMITS};
static const dsm__row_table profile_devices = {.list = "devices", DSM__COLUMNS(profile_columns)};

static const dsm__table_column link_columns[] = {
    {.title = "connection", .is_name = true},
    DSM__COLUMN_OF("devices", NULL, .is_name = true),
    DSM__NUMBERS("bandwidth", NULL),
    DSM__NUMBERS("a transfer", NULL),
};
static void fill_links(dsm__table *table, const void *of) {
  dsm__described_links(table, &((const dsm__item_row *)of)->of_server);
}
static const dsm__row_table links = {DSM__COLUMNS(link_columns), .fill = fill_links};

static const dsm__table_column precision_columns[] = {
    {.title = "precision", .value = "{name}", .is_name = true},
    DSM__NUMBERS("bytes an element", "{element_bytes:~4|as stated}"),
    DSM__NUMBERS("a parameter", "{weight_bytes:~4|as stated}"),
};
static bool has_precision(const void *of, const void *row) {
  (void)of;
  return ((const dsm_instance_device *)row)->weight_bytes > 0; /* a row begins with it */
}
static const dsm__row_table precision = {
    .list = "devices", DSM__COLUMNS(precision_columns), .is_shown = has_precision};

static const dsm__fact chain_facts[] = {
    DSM__FACT(NULL, "{stages} stage{stages;s}, minibatch {minibatch}, {step_seconds:m4} ms when "
                    "nothing is recomputed"),
    SOURCE};
static void show_stages(dsm__page *page, const void *of) {
  dsm__describe_stages(page, ((const dsm__item_row *)of)->of.chain);
}

static const dsm__fact plan_facts[] = {
    DSM__FACT(NULL, "{heading}"),
    DSM__FACT(NULL, "step {result.step_seconds:m5} ms, {result.samples_per_second:4} samples/s, "
                    "utilization {result.utilization:%2} %")};

static const dsm__fact workload_facts[] = {
    DSM__FACT(NULL,
              "{layer_count:=} layer{layer_count;s}, minibatch {minibatch}, {element_bytes:~4} "
              "byte{element_bytes;s} an element{other_count? ({other_count:=} "
              "layer{other_count;s} {1<other_count?state|states} others)|}; {weights} "
              "weight{weights;s}{embeddings? and {embeddings} of embeddings|}, "
              "{stored_bytes}{optimizer?, updated by {optimizer}|}{types?; {types}|}"),
    DSM__FACT_IF(NULL,
                 "data set: {dataset.samples} sample{dataset.samples;s} of "
                 "{dataset.sample_bytes}, {dataset.samples*dataset.sample_bytes}"
                 "{1<dataset.repeat?, each mini-epoch {dataset.repeat:~6} times|}",
                 DSM__IF(dsm__item_row, dataset.samples)),
    SOURCE};
static void show_layers(dsm__page *page, const void *of) {
  dsm__describe_folded_layers(page, ((const dsm__item_row *)of)->of.workload);
}
static const dsm__fact count_facts[] = {
    DSM__FACT(NULL, "parameters: weights {weights}{biases?, biases {biases}|}{norms?, norms "
                    "{norms}|}{embeddings?, embeddings {embeddings}|}{cache_bytes?; cache in "
                    "inference {cache_bytes} a sample|}")};

static const dsm__fact system_facts[] = {
    DSM__FACT(NULL, "{chips} chip{chips;s}, {cores} core{cores;s}, {macs_per_cycle:.0} "
                    "MAC{macs_per_cycle;s}; peak {peak_flops}; machine balance "
                    "{machine_balance:~4} FLOP per byte of memory{elements}"),
    DSM__FACT(NULL, "{axes_text?axes: {axes_text}|}"),
    DSM__FACT(NULL, "{memory_bytes} of memory, {memory_bytes/chips:B} a chip{reserve}"),
    DSM__FACT(NULL, "{base?base: {base}{own_values?; its own values: {own_values}|}|}"),
    {.text = "{system_source?source: {system_source}|}", .is_faint = true}};
static void show_parameters(dsm__page *page, const void *of) {
  dsm__parameter_list_put(page, &((const dsm__item_row *)of)->parameters);
}

#define IS(member) .when = {DSM__IF(dsm__item_row, of.member)}
#define HAS_DEVICES .when = {DSM__IF(dsm__item_row, of_server.devices.count)}

static const dsm__fact technology_facts[] = {SOURCE};

static const dsm__section sections[] = {
    {DSM__FACTS(sweep_facts), IS(sweep)},
    {.put = show_axes, IS(sweep)},
    {DSM__FACTS(server_facts), IS(server)},
    {.table = &server_devices, IS(server)},
    {DSM__FACTS(technology_facts), IS(technology)},
    {.put = show_parameters, IS(technology)},
    {DSM__FACTS(profile_facts), IS(profile)},
    {.table = &profile_devices, IS(profile)},
    {.table = &links, HAS_DEVICES, .is_optional = true},
    {.table = &precision, HAS_DEVICES, .is_optional = true},
    {DSM__FACTS(chain_facts), IS(chain)},
    {.put = show_stages, IS(chain)},
    {DSM__FACTS(plan_facts), IS(plan)},
    {DSM__FACTS(workload_facts), IS(workload)},
    {.put = show_layers, IS(workload)},
    {DSM__FACTS(count_facts), IS(workload)},
    {DSM__FACTS(system_facts), IS(system)},
    {.put = show_parameters, IS(system)},
};

const dsm__layout dsm__item_layout = {.type = &shown_record,
                                      .heading = "{file}: {kind} {name}",
                                      .is_dense = true,
                                      DSM__SECTIONS(sections)};
