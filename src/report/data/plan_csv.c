/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_csv.c: a plan for programs that read tables: one row a layer and pass, fixed columns. */
#include "report/data/cells.h"
#include "report/loss.h"
#include "report/table/text_page.h"

static const char *const first_titles[] = {"layer", "pass", "parallelism"};
static const char *const loops_titles[] = {"chip", "core_split", "core", "array"};
static const char *const cycles_titles[] = {
    "cycles.primary",
    "cycles.overlapped",
    "cycles.overlapped_visible",
    "cycles.auxiliary",
    "cycles.non_overlapped",
    "cycles.total",
    "seconds",
    "step_share",
    "utilization",
    "bound",
};
/* What is decided for the whole layer stands in each of its rows. */
static const char *const layer_titles[] = {
    "dysm_factor", "output_on_chip", "weights_on_chip", "pipeline_group", "held_bytes",
};

static void put_invocation_titles(dsm__cells *csv) {
  for (int k = 0; k < DSM_INVOCATION_KIND_COUNT; k++) {
    const char *const kind = dsm_invocation_kind_name((dsm_invocation_kind)k);
    dsm__cells_dotted(csv, "invocations", kind);
    dsm__text_puts(csv->out, ".count");
    for (int d = 0; d < DSM_DIM_COUNT; d++) {
      dsm__cells_dotted(csv, "invocations", kind);
      dsm__text_printf(csv->out, ".core_split.%s", dsm_dim_name((dsm_dim)d));
    }
  }
}

static void put_titles(dsm__cells *csv) {
  dsm__cells_texts(csv, first_titles, DSM__COUNT_OF(first_titles));
  for (size_t i = 0; i < DSM__COUNT_OF(loops_titles); i++) {
    for (int d = 0; d < DSM_DIM_COUNT; d++) {
      dsm__cells_dotted(csv, loops_titles[i], dsm_dim_name((dsm_dim)d));
    }
  }
  dsm__cells_texts(csv, cycles_titles, DSM__COUNT_OF(cycles_titles));
  dsm__cells_texts(csv, layer_titles, DSM__COUNT_OF(layer_titles));
  put_invocation_titles(csv);
  for (int t = 0; t < DSM_TRANSFER_COUNT; t++) {
    const char *const name = dsm_transfer_name((dsm_transfer)t);
    dsm__cells_dotted(csv, "transfers", name);
    dsm__text_puts(csv->out, ".bytes");
    dsm__cells_dotted(csv, "transfers", name);
    dsm__text_puts(csv->out, ".cycles");
  }
  dsm__cells_end_row(csv);
}

static void put_loops(dsm__cells *csv, const dsm_loops *loops) {
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    dsm__cells_u64(csv, loops->n[d]);
  }
}

static void put_cycles(dsm__cells *csv, const dsm_plan *plan, const dsm_pass_plan *pass) {
  dsm__cells_double(csv, pass->cycles.primary);
  dsm__cells_double(csv, pass->cycles.overlapped);
  dsm__cells_double(csv, pass->cycles.overlapped_visible);
  dsm__cells_double(csv, pass->cycles.auxiliary);
  dsm__cells_double(csv, pass->cycles.non_overlapped);
  dsm__cells_double(csv, pass->cycles.total);
  dsm__cells_double(csv, pass->cycles.total / (plan->system->core.frequency_GHz * 1e9));
  dsm__cells_double(csv, dsm__share(pass->cycles.total, plan->result.step_cycles));
  dsm__cells_double(csv, pass->utilization);
  dsm__cells_text(csv, dsm_bound_name(pass->bound));
}

static void put_layer(dsm__cells *csv, const dsm_plan *plan, const dsm_layer_plan *layer) {
  dsm__cells_u64(csv, layer->decisions.dysm_factor);
  dsm__cells_bool(csv, layer->decisions.is_output_held);
  dsm__cells_double(csv, layer->decisions.weights_on_chip);
  dsm__cells_text(csv, layer->pipeline == DSM_NO_PIPELINE ? NULL
                                                          : plan->pipelines[layer->pipeline].name);
  dsm__cells_double(csv, layer->held_bytes);
}

static void put_invocations(dsm__cells *csv, const dsm_pass_plan *pass, dsm_invocation_kind kind) {
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    if (pass->invocations[i].kind == kind) {
      dsm__cells_u64(csv, pass->invocations[i].count);
      put_loops(csv, &pass->invocations[i].split);
      return;
    }
  }
  dsm__cells_empty(csv, 1 + DSM_DIM_COUNT);
}

/* A transfer's bytes and cycles on the link that is listed first for it. */
static void put_transfer(dsm__cells *csv, const dsm_pass_plan *pass, dsm_transfer name) {
  for (size_t i = 0; i < pass->transfer_count; i++) {
    if (pass->transfers[i].transfer == name) {
      dsm__cells_double(csv, pass->transfers[i].bytes);
      dsm__cells_double(csv, pass->transfers[i].cycles);
      return;
    }
  }
  dsm__cells_empty(csv, 2);
}

static void put_pass(dsm__cells *csv, const dsm_plan *plan, const dsm_layer_plan *layer,
                     dsm_pass p) {
  const dsm_pass_plan *const pass = &layer->passes[p];
  const dsm_invocation *const first = &pass->invocations[0];
  dsm__cells_text(csv, layer->layer->name);
  dsm__cells_text(csv, dsm_pass_name(p));
  dsm__cells_text(csv, dsm_parallelism_name(pass->share.parallelism));
  put_loops(csv, &pass->share.chip);
  put_loops(csv, &first->split);
  put_loops(csv, &first->core);
  put_loops(csv, &first->array);
  put_cycles(csv, plan, pass);
  put_layer(csv, plan, layer);
  for (int k = 0; k < DSM_INVOCATION_KIND_COUNT; k++) {
    put_invocations(csv, pass, (dsm_invocation_kind)k);
  }
  for (int t = 0; t < DSM_TRANSFER_COUNT; t++) {
    put_transfer(csv, pass, (dsm_transfer)t);
  }
  dsm__cells_end_row(csv);
}

char *dsm_report_plan_csv(const dsm_plan *plan) {
  dsm__text_buffer out = {0};
  dsm__cells csv = {.out = &out};
  put_titles(&csv);
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[i].passes[p].exists) {
        put_pass(&csv, plan, &plan->layers[i], (dsm_pass)p);
      }
    }
  }
  return dsm__text_finish(&out);
}
