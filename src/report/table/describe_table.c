/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_table.c: what workloads, systems and plans hold, for people. */
#include "report/table/describe_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/number_text.h"
#include "report/declared.h"
#include "report/parameter_list.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"
#include "system/system_internal.h"

static const dsm__table_column layer_columns[] = {
    {.title = "layer", .is_name = true},
    {.title = "type", .gap = 2, .rank = 2},
    {.title = "in", .gap = 2, .is_right = true, .rank = 3},
    {.title = "out", .gap = 2, .is_right = true, .rank = 3},
    {.title = "feature", .gap = 2, .is_right = true, .rank = 4, .is_optional = true},
    {.title = "kernel", .gap = 2, .rank = 5, .is_optional = true},
    {.title = "steps", .gap = 2, .is_right = true, .rank = 5, .is_optional = true},
    {.title = "parameters", .gap = 2, .is_right = true},
    {.title = "MACs/sample", .gap = 2, .is_right = true},
    {.title = "stored", .gap = 2, .is_right = true, .rank = 6},
};

/* Does a layer run more than once a sample? Else there is nothing to say about timesteps. */
static bool has_timesteps(const dsm_workload *workload) {
  bool is_any = false;
  for (size_t i = 0; i < workload->spec_count; i++) {
    is_any = is_any || workload->specs[i].timesteps > 1;
  }
  return is_any;
}

const char *dsm__describe_kernel(dsm__page *page, const dsm_layer_spec *spec) {
  char stride[64] = "";
  char groups[32] = "";
  if (spec->type != DSM_LAYER_CONV) {
    return "";
  }
  if (spec->stride.rows != 1 || spec->stride.columns != 1) {
    (void)snprintf(stride, sizeof stride,
                   spec->stride.rows == spec->stride.columns ? " /%" PRIu64
                                                             : " /%" PRIu64 "x%" PRIu64,
                   spec->stride.rows, spec->stride.columns);
  }
  if (spec->groups > 1) {
    (void)snprintf(groups, sizeof groups, " g%" PRIu64, spec->groups);
  }
  return dsm__page_text(page, "%" PRIu64 "x%" PRIu64 "%s%s", spec->kernel.rows,
                        spec->kernel.columns, stride, groups);
}

static void add_layer(dsm__table *table, const dsm_layer_spec *spec, const dsm__declared *declared,
                      const char *timesteps) {
  dsm__page *const page = table->page;
  const char *const feature =
      spec->type != DSM_LAYER_CONV
          ? ""
          : dsm__page_text(page, "%" PRIu64 "x%" PRIu64, spec->feature.rows, spec->feature.columns);
  const char *const type = dsm__page_text(page, "%s%s", dsm_layer_type_name(spec->type),
                                          spec->is_bidirectional ? " x2" : "");
  DSM__TABLE_TEXTS(table, spec->name, type, dsm__page_text(page, "%" PRIu64, spec->in),
                   dsm__page_text(page, "%" PRIu64, spec->out), feature,
                   dsm__describe_kernel(page, spec), timesteps,
                   dsm__figure_count(declared->parameters).text,
                   dsm__figure_count(declared->forward_macs).text,
                   dsm__figure_scaled(declared->activation_bytes, "B").text);
}

static void put_layers(dsm__page *page, const dsm_workload *workload) {
  const bool is_repeated = has_timesteps(workload);
  const dsm__declared *const declared = dsm__declared_derive(page->arena, workload);
  dsm__table table = DSM__TABLE(page, layer_columns);
  if (declared == NULL) {
    page->out.failed = true;
  }
  for (size_t i = 0; i < workload->spec_count && declared != NULL; i++) {
    const dsm_layer_spec *const spec = &workload->specs[i];
    add_layer(&table, spec, &declared[i],
              is_repeated ? dsm__page_text(page, "%" PRIu64, spec->timesteps) : "");
  }
  DSM__TABLE_STYLED(&table, DSM__STYLE_HEADING, "total", "", "", "", "", "", "",
                    dsm__figure_count(workload->parameters).text,
                    dsm__figure_count(workload->forward_macs).text,
                    dsm__figure_scaled(workload->activation_bytes, "B").text);
  dsm__table_print(&table);
}

void dsm__describe_source(dsm__page *page, const char *source) {
  if (source != NULL) {
    dsm__page_line(page, DSM__STYLE_FAINT, "source: %s", source);
  }
  dsm__page_break(page);
}

static void put_workload(dsm__page *page, const dsm_workload *workload) {
  dsm__page_line(
      page, DSM__STYLE_PLAIN,
      "%zu layer%s, minibatch %s, %s byte%s an element; %s weight%s, %s%s%s", workload->spec_count,
      dsm__plural((double)workload->spec_count), dsm__figure_count(workload->minibatch).text,
      dsm__figure_short(workload->element_bytes, 4).text,
      workload->element_bytes > 1 || workload->element_bytes < 1 ? "s" : "",
      dsm__figure_count(workload->weights).text, dsm__plural((double)workload->weights),
      dsm__figure_scaled((double)workload->weights * workload->element_bytes, "B").text,
      workload->optimizer == DSM_OPTIMIZER_NONE ? "" : ", updated by ",
      workload->optimizer == DSM_OPTIMIZER_NONE ? "" : dsm_optimizer_name(workload->optimizer));
  dsm__describe_source(page, workload->source);
  put_layers(page, workload);
}

static void put_system(dsm__page *page, const dsm_system *system) {
  const uint64_t chips = dsm_system_chips(system);
  dsm__page_line(
      page, DSM__STYLE_PLAIN,
      "%s chip%s, %s core%s, %s MAC%s; peak %s; machine balance %s FLOP per byte of memory",
      dsm__figure_count(chips).text, dsm__plural((double)chips),
      dsm__figure_count(dsm__system_cores(system)).text,
      dsm__plural((double)dsm__system_cores(system)),
      dsm__figure_fixed(dsm__system_macs(system), 0).text, dsm__plural(dsm__system_macs(system)),
      dsm__figure_scaled(dsm_system_peak_flops(system), "FLOP/s").text,
      dsm__figure_short(dsm_system_machine_balance(system), 4).text);
  dsm__page_line(page, DSM__STYLE_PLAIN, "%s of memory, %s a chip",
                 dsm__figure_scaled((double)chips * dsm__chip_memory_bytes(system), "B").text,
                 dsm__figure_scaled(dsm__chip_memory_bytes(system), "B").text);
  dsm__describe_source(page, system->source);
  size_t count = 0;
  const dsm__listed_parameter *const parameters = dsm__parameter_list_of(page, system, &count);
  if (parameters != NULL) {
    dsm__parameter_list_put(page, parameters, count);
  }
}

static void put_result(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_result *const result = &plan->result;
  dsm__page_line(page, DSM__STYLE_PLAIN, "%s", dsm__page_plan_heading(page, plan));
  dsm__page_line(page, DSM__STYLE_PLAIN, "step %s ms, %s samples/s, utilization %s %%",
                 dsm__figure_digits(1e3 * result->step_seconds, 5).text,
                 dsm__figure_digits(result->samples_per_second, 4).text,
                 dsm__figure_fixed(100 * result->utilization, 2).text);
}

static void put_item(dsm__page *page, const dsm_described *item) {
  const dsm_workload *const workload = dsm__described_workload(item);
  const dsm_system *const system = dsm__described_system(item);
  dsm__page_line(page, DSM__STYLE_HEADING, "%s: %s %s", item->file,
                 dsm_description_name(dsm__described_kind(item)), dsm__described_name(item));
  if (item->sweep != NULL) {
    dsm__describe_sweep(page, item->sweep);
  }
  if (item->server != NULL) {
    dsm__describe_server(page, item->server);
  }
  if (item->profile != NULL) {
    dsm__describe_profile(page, item->profile);
  }
  if (item->plan != NULL) {
    put_result(page, item->plan);
    dsm__page_break(page);
  }
  if (workload != NULL) {
    put_workload(page, workload);
  }
  if (workload != NULL && system != NULL) {
    dsm__page_break(page);
  }
  if (system != NULL) {
    put_system(page, system);
  }
}

char *dsm_report_description_table(const dsm_described *items, size_t count,
                                   dsm_table_style style) {
  dsm__page page = dsm__page_begin(style);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) {
      dsm__page_break(&page);
    }
    put_item(&page, &items[i]);
  }
  return dsm__page_finish(&page);
}
