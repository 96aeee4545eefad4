/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot_plan.h"

#include <inttypes.h>

#include "report/figures.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static void (*const makers[])(dsm__plot_maker *maker, const dsm_plan *plan) = {
    [DSM_PLAN_FIGURE_LOSS] = dsm__plot_loss,
    [DSM_PLAN_FIGURE_SPLITS] = dsm__plot_splits,
    [DSM_PLAN_FIGURE_ROOFLINE] = dsm__plot_roofline,
    [DSM_PLAN_FIGURE_MEMORY] = dsm__plot_memory,
};
_Static_assert(COUNT_OF(makers) == DSM_PLAN_FIGURE_COUNT, "each figure can be made");

static const char *const pass_titles[] = {
    [DSM_PASS_FORWARD] = "forward",
    [DSM_PASS_BACKWARD] = "backward",
    [DSM_PASS_UPDATE] = "weight update",
};
_Static_assert(COUNT_OF(pass_titles) == DSM_PASS_COUNT, "a title for each pass");

const char *dsm__plot_pass_title(dsm_pass pass) {
  return pass_titles[pass];
}

dsm__plot_passes dsm__plot_passes_of(const dsm_plan *plan) {
  dsm__plot_passes passes = {.count = 0};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    bool exists = false;
    for (size_t i = 0; i < plan->layer_count && !exists; i++) {
      exists = plan->layers[i].passes[p].exists;
    }
    if (exists) {
      passes.of[passes.count++] = (dsm_pass)p;
    }
  }
  return passes;
}

void dsm__plot_put_pass(dsm__text_buffer *data, size_t layer, dsm_pass pass) {
  dsm__text_printf(data, "%zu\t%s\t", layer + 1, dsm_pass_name(pass));
}

const char *dsm__plot_every(dsm__plot_maker *maker, const dsm_plan *plan, dsm_pass pass,
                            size_t first, size_t end) {
  size_t before = 0;
  size_t count = 0;
  for (int p = 0; p <= (int)pass; p++) {
    for (size_t i = 0; i < plan->layer_count; i++) {
      const bool exists = plan->layers[i].passes[p].exists;
      before += exists && (p < (int)pass || i < first) ? 1 : 0;
      count += exists && p == (int)pass && i >= first && i < end ? 1 : 0;
    }
  }
  /* There is a line in any case, which of(pass) may leave out. */
  return count == 0 ? " every ::0::0"
                    : dsm__plot_text(maker, " every ::%zu::%zu", before, before + count - 1);
}

void dsm__plot_define_of(dsm__plot_maker *maker) {
  dsm__text_puts(&maker->body, "of(pass) = strcol(2) eq pass ? column(1) : NaN\n");
}

double dsm__plot_plan_heading(dsm__plot_maker *maker, const dsm_plan *plan, const char *what,
                              const char *also) {
  const dsm_system *const system = plan->system;
  const dsm_plan_result *const result = &plan->result;
  const char *const title =
      dsm__plot_text(maker, "%s on %s: %s", plan->workload->name, system->name, what);
  const char *const below = dsm__plot_text(
      maker,
      "%s, minibatch %s, %" PRIu64 " \xC3\x97 %" PRIu64 " chips; step %s ms, utilization %s %%"
      "%s%s",
      dsm_mode_name(plan->options.mode), dsm__figure_count(plan->workload->minibatch).text,
      system->system.chips_x, system->system.chips_y,
      dsm__figure_digits(1000 * result->step_seconds, 4).text,
      dsm__figure_fixed(100 * result->utilization, 1).text, also == NULL ? "" : "; ",
      also == NULL ? "" : also);
  return dsm__plot_heading(maker, title, below);
}

dsm_status dsm_plot_plan(dsm_plot **plot, const dsm_plan *plan, dsm_plan_figure figure,
                         dsm_diags *diags) {
  dsm__plot_maker maker;
  *plot = NULL;
  const dsm_status status = dsm__plot_begin(&maker, diags);
  if (status != DSM_OK) {
    return status;
  }
  makers[figure](&maker, plan);
  return dsm__plot_finish(&maker, plot, diags);
}
