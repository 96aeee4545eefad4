/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/pass_columns.h"

#include <inttypes.h>
#include <math.h>

#include "report/loss.h"
#include "report/roofline.h"
#include "report/table/number_style.h"

const dsm__pass_column dsm__pass_columns[] = {
    [DSM__COLUMN_LAYER] = {"layer", "layer", "name of the layer", .brief = "layer"},
    [DSM__COLUMN_COUNT] = {"count", "count", "number of equal layers in the row", .brief = "n",
                           .gap = 1, .is_number = true, .is_optional = true},
    [DSM__COLUMN_PASS] = {"pass", "pass", "forward, backward or update", .brief = "pass", .gap = 1},
    [DSM__COLUMN_PARALLELISM] = {"parallelism", "parallelism", "how the chips divide the work",
                                 .brief = "par.", .gap = 2, .rank = 1},
    [DSM__COLUMN_SPLIT] = {"split", "core split", "over how many cores each loop is divided",
                           .brief = "core split", .gap = 2, .rank = 5},
    [DSM__COLUMN_ON_CHIP] = {"on_chip", "on chip", "what stays on chip", .brief = "on chip",
                             .gap = 2, .rank = 2, .is_optional = true},
    [DSM__COLUMN_DYSM] = {"dysm", "DySM", "number of parts that the minibatch is cut into",
                          .brief = "dysm", .gap = 2, .rank = 2, .is_number = true,
                          .is_optional = true},
    [DSM__COLUMN_PIPELINE] = {"pipeline", "pipe", "number of the pipeline", .brief = "pipe",
                              .gap = 2, .rank = 2, .is_number = true, .is_optional = true},
    [DSM__COLUMN_TIME] = {"cycles", "time", "time of the pass in the step", .is_number = true},
    [DSM__COLUMN_STEP] = {"step", "step %", "share of the step's time", .brief = "step", .gap = 2,
                          .is_number = true},
    [DSM__COLUMN_UTILIZATION] = {"utilization", "util %", "useful work at full speed, in the pass",
                                 .brief = "util", .gap = 2, .is_number = true},
    [DSM__COLUMN_ARRAY] = {"array", "array %", "arrays starting up or not full, in the pass",
                           .brief = "array", .gap = 1, .rank = 4, .is_number = true},
    [DSM__COLUMN_TRANSFER] = {"transfer", "xfer %", "transfers that computation does not hide",
                              .brief = "xfer", .gap = 2, .rank = 3, .is_number = true},
    [DSM__COLUMN_AUXILIARY] = {"auxiliary", "aux %", "auxiliary operations, in the pass",
                               .brief = "aux", .gap = 2, .rank = 6, .is_number = true},
    [DSM__COLUMN_OTHER] = {"other", "other %", "what is never hidden, in the pass",
                           .brief = "other", .gap = 1, .rank = 3, .is_number = true},
    [DSM__COLUMN_KIND] = {"mostly", "mostly", "the largest kind of other", .brief = "mostly",
                          .gap = 1, .rank = 7},
    [DSM__COLUMN_INTENSITY] = {"intensity", "FLOP/B", "FLOP for each byte of memory traffic",
                               .is_number = true},
    [DSM__COLUMN_BOUND] =
        {"bound", "bound",
         "the resource on which most of the pass's time is spent: more of it makes the pass faster",
         .brief = "bound", .gap = 2, .rank = 2},
};

const char dsm__other_split_note[] =
    "core split: * = of the first invocation; later ones have another.";

static dsm__pass_cell words(const char *text) {
  return (dsm__pass_cell){.text = text};
}

static dsm__pass_cell share(dsm__page *page, double part, double whole) {
  const double value = dsm__share(part, whole);
  return (dsm__pass_cell){.text = dsm__page_text(page, "%s", dsm__figure_percent(value).text),
                          .exact = value};
}

/* A whole number, or nothing. */
static dsm__pass_cell whole_number(dsm__page *page, uint64_t value, bool is_there) {
  return (dsm__pass_cell){.text = is_there ? dsm__page_text(page, "%" PRIu64, value) : "",
                          .exact = (double)value};
}

static dsm__pass_cell intensity(dsm__page *page, double value) {
  return (dsm__pass_cell){.text = isfinite(value)
                                      ? dsm__page_text(page, "%s", dsm__figure_short(value, 3).text)
                                      : "none",
                          .exact = value};
}

dsm__pass_cell dsm__pass_cell_of(dsm__page *page, const dsm_plan *plan, const dsm__pass_row *row,
                                 dsm__pass_column_id column) {
  const dsm_layer_plan *const planned = &plan->layers[row->layer];
  const dsm_pass_plan *const run = &planned->passes[row->pass];
  const dsm__loss loss = dsm__loss_of_pass(run);
  dsm__pass_cell cell = {.text = ""};
  switch (column) {
  case DSM__COLUMN_LAYER:
    return (dsm__pass_cell){.text = row->name, .style = DSM__STYLE_HEADING};
  case DSM__COLUMN_COUNT:
    return whole_number(page, row->count, row->count > 1);
  case DSM__COLUMN_PASS:
    return words(dsm_pass_name(row->pass));
  case DSM__COLUMN_PARALLELISM:
    return words(dsm_plan_parallelism_name(plan, run->share.parallelism));
  case DSM__COLUMN_SPLIT:
    return words(dsm__page_text(page, "%s%s", dsm__page_split(page, &run->invocations[0].split),
                                dsm__has_other_split(run) ? " *" : ""));
  case DSM__COLUMN_ON_CHIP:
    return words(dsm__on_chip_text(page, planned, row->pass));
  case DSM__COLUMN_DYSM:
    return whole_number(page, planned->decisions.dysm_factor, planned->decisions.dysm_factor > 1);
  case DSM__COLUMN_PIPELINE:
    return whole_number(page, planned->pipeline + 1, planned->pipeline != DSM_NO_PIPELINE);
  case DSM__COLUMN_STEP:
    return share(page, row->cycles, dsm__step_cycles(plan));
  case DSM__COLUMN_UTILIZATION:
    cell = share(page, run->utilization, 1);
    cell.style = dsm__style_of_utilization(run->utilization);
    return cell;
  case DSM__COLUMN_ARRAY:
    return share(page, loss.array, loss.total);
  case DSM__COLUMN_TRANSFER:
    return share(page, loss.transfer, loss.total);
  case DSM__COLUMN_AUXILIARY:
    return share(page, loss.auxiliary, loss.total);
  case DSM__COLUMN_OTHER:
    return share(page, loss.other, loss.total);
  case DSM__COLUMN_KIND:
    return words(dsm__loss_kind_that_matters(&loss));
  case DSM__COLUMN_INTENSITY:
    return intensity(page, dsm__roofline_point_of(plan, row->layer, row->pass).intensity);
  case DSM__COLUMN_BOUND:
    return words(dsm_plan_bound_name(plan, run->bound));
  case DSM__COLUMN_TIME:
  case DSM__PASS_COLUMN_COUNT:
    break;
  }
  cell.exact = row->cycles;
  return cell;
}

static void look_at(dsm__pass_traits *traits, const dsm_layer_plan *layer, dsm_pass p) {
  const dsm_pass_plan *const pass = &layer->passes[p];
  const dsm_parallelism parallelism = pass->share.parallelism;
  const dsm__loss loss = dsm__loss_of_pass(pass);
  if (dsm__loss_kind_that_matters(&loss)[0] != '\0') {
    traits->has_group[dsm__loss_largest_group(loss.groups)] = true;
  }
  const bool has_roles = dsm_parallelism_has_roles(parallelism);
  traits->has_roles = traits->has_roles || has_roles;
  traits->has_hybrid =
      traits->has_hybrid ||
      (!has_roles && (DSM_PARALLELISM_HYBRIDS & DSM_PARALLELISM_BIT(parallelism)) != 0);
  traits->has_other_split = traits->has_other_split || dsm__has_other_split(pass);
  traits->on_chip |= dsm__on_chip_of(layer, p);
}

dsm__pass_traits dsm__pass_traits_of(const dsm_plan *plan) {
  dsm__pass_traits traits = {.has_pipeline = plan->pipeline_count > 0};
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    traits.has_dysm = traits.has_dysm || layer->decisions.dysm_factor > 1;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (layer->passes[p].exists) {
        look_at(&traits, layer, (dsm_pass)p);
      }
    }
  }
  return traits;
}
