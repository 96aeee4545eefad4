/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_losers.c: which passes lose most of the step, and what they lose it to, in sentences. */
#include <inttypes.h>
#include <string.h>

#include "model/equations.h"
#include "report/figures.h"
#include "report/loss.h"
#include "report/page.h"
#include "report/plan_table.h"

/* A pass and the cycles that it loses. */
typedef struct losing_pass {
  const dsm_layer_plan *layer;
  dsm_pass pass;
  double lost;
} losing_pass;

typedef struct loser_list {
  losing_pass items[DSM__LOSERS_MAX];
  size_t count;
} loser_list;

/* Keeps the list in falling order; of equals the earlier stays before the later. */
static void consider(loser_list *list, losing_pass candidate) {
  size_t at = list->count;
  while (at > 0 && list->items[at - 1].lost < candidate.lost) {
    at--;
  }
  if (at == DSM__LOSERS_MAX) {
    return;
  }
  const size_t kept = list->count < DSM__LOSERS_MAX ? list->count : DSM__LOSERS_MAX - 1;
  memmove(&list->items[at + 1], &list->items[at], (kept - at) * sizeof *list->items);
  list->items[at] = candidate;
  list->count = kept + 1;
}

static loser_list find_losers(const dsm_plan *plan) {
  loser_list list = {.count = 0};
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      const double lost = pass->exists ? pass->cycles.total - pass->ideal_cycles : 0;
      if (lost > 0) {
        consider(&list,
                 (losing_pass){.layer = &plan->layers[i], .pass = (dsm_pass)p, .lost = lost});
      }
    }
  }
  return list;
}

/* The transfer that occupies a group's slowest link longest, as "rotate_x on link_x"; empty if the
 * group carries nothing. */
static const char *busiest_transfer(dsm__page *page, const dsm_pass_plan *pass, dsm_group group) {
  double link_cycles[DSM_LINK_COUNT] = {0};
  for (size_t i = 0; i < pass->transfer_count; i++) {
    if (pass->transfers[i].group == group) {
      link_cycles[pass->transfers[i].link] += pass->transfers[i].cycles;
    }
  }
  int link = 0;
  for (int l = 1; l < DSM_LINK_COUNT; l++) {
    link = link_cycles[l] > link_cycles[link] ? l : link;
  }
  const dsm_plan_transfer *busiest = NULL;
  for (size_t i = 0; i < pass->transfer_count; i++) {
    const dsm_plan_transfer *const transfer = &pass->transfers[i];
    if (transfer->group == group && (int)transfer->link == link &&
        (busiest == NULL || transfer->cycles > busiest->cycles)) {
      busiest = transfer;
    }
  }
  return busiest == NULL
             ? ""
             : dsm__page_text(page, " (%s%s on %s)",
                              busiest->cycles < link_cycles[link] ? "most of it " : "",
                              dsm_transfer_name(busiest->transfer), dsm_link_name(busiest->link));
}

/* The invocations that compute longest in a step. */
static const dsm_invocation *busiest_invocation(const dsm_pass_plan *pass) {
  const dsm_invocation *busiest = &pass->invocations[0];
  for (unsigned i = 1; i < pass->invocation_count; i++) {
    const dsm_invocation *const other = &pass->invocations[i];
    if ((double)other->count * other->cost.primary >
        (double)busiest->count * busiest->cost.primary) {
      busiest = other;
    }
  }
  return busiest;
}

/* How often arrays start in a step, and the cycles of the pass that this takes. */
typedef struct array_starts {
  double count;
  double cycles;
} array_starts;

static array_starts starts_of(const dsm_plan *plan, const dsm_pass_plan *pass) {
  const uint64_t model_ways = pass->share.model_ways;
  double invocations = 0;
  double primary = 0;
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    invocations += (double)pass->invocations[i].count;
    primary += (double)pass->invocations[i].count * pass->invocations[i].cost.primary;
  }
  /* A stage of a pipeline runs beside others: its cycles are only a share of its time. */
  const double share = primary > 0 ? pass->cycles.primary / primary : 1;
  return (array_starts){
      .count = invocations * (double)model_ways,
      .cycles = invocations * dsm__startup_cycles(plan->system, model_ways) * share,
  };
}

/* Why arrays are idle while they compute: features do not fill them, or, where they do, what is
 * left: the time until the first data is in, and shares of different size. */
static const char *array_filling(dsm__page *page, const dsm_plan *plan, const losing_pass *loser) {
  const dsm_array *const array = &plan->system->array;
  const dsm_pass_plan *const pass = &loser->layer->passes[loser->pass];
  const dsm_loops *const used = &busiest_invocation(pass)->array;
  const bool is_backward = loser->pass == DSM_PASS_BACKWARD;
  const uint64_t rows = used->n[is_backward ? DSM_DIM_OUT : DSM_DIM_IN];
  const uint64_t columns = used->n[is_backward ? DSM_DIM_IN : DSM_DIM_OUT];
  const uint64_t column_macs = array->columns * plan->system->pe.simd_macs;
  if (array->unroll_kernel_on_rows) {
    return "";
  }
  const array_starts starts = starts_of(plan, pass);
  if (starts.cycles > (pass->cycles.primary - pass->ideal_cycles) / 2) {
    return dsm__page_text(page, " (the arrays start %s time%s, at %s cycles)",
                          dsm__figure_fixed(starts.count, 0).text, starts.count > 1 ? "s" : "",
                          dsm__figure_short(array->startup_cycles, 4).text);
  }
  if (rows >= array->rows && columns >= column_macs) {
    return " (the arrays are full: start-up and uneven shares)";
  }
  return dsm__page_text(
      page, " (an array takes %" PRIu64 " x %" PRIu64 " features, gets %" PRIu64 " x %" PRIu64 ")",
      array->rows, column_macs, rows, columns);
}

/* What a pass loses most to, in words. */
typedef struct cause {
  const char *phrase;
  const char *detail;
  double cycles;
} cause;

static cause main_cause(dsm__page *page, const dsm_plan *plan, const losing_pass *loser) {
  const dsm_pass_plan *const pass = &loser->layer->passes[loser->pass];
  const dsm__loss loss = dsm__loss_of_pass(pass);
  cause found = {
      .phrase = "array underuse", .detail = array_filling(page, plan, loser), .cycles = loss.array};
  if (loss.transfer > found.cycles) {
    found = (cause){.phrase = dsm__group_phrase(DSM_GROUP_STREAM),
                    .detail = busiest_transfer(page, pass, DSM_GROUP_STREAM),
                    .cycles = loss.transfer};
  }
  if (loss.auxiliary > found.cycles) {
    found = (cause){.phrase = "auxiliary operations", .detail = "", .cycles = loss.auxiliary};
  }
  const dsm_group group = dsm__loss_largest_group(loss.groups);
  if (loss.groups[group] > found.cycles) {
    found = (cause){.phrase = dsm__group_phrase(group),
                    .detail = busiest_transfer(page, pass, group),
                    .cycles = loss.groups[group]};
  }
  return found;
}

size_t dsm__plan_loser_sentences(dsm__page *page, const dsm_plan *plan,
                                 const char *sentences[DSM__LOSERS_MAX]) {
  const loser_list list = find_losers(plan);
  for (size_t i = 0; i < list.count; i++) {
    const losing_pass *const loser = &list.items[i];
    const cause most = main_cause(page, plan, loser);
    sentences[i] =
        dsm__page_text(page, "%s %s: %s %% of the step, of which %s %% goes to %s%s.",
                       loser->layer->layer->name, dsm_pass_name(loser->pass),
                       dsm__figure_percent(dsm__share(loser->lost, plan->result.step_cycles)).text,
                       dsm__figure_fixed(100 * dsm__share(most.cycles, loser->lost), 0).text,
                       most.phrase, most.detail);
  }
  return list.count;
}

void dsm__plan_losers(dsm__page *page, const dsm_plan *plan) {
  const char *sentences[DSM__LOSERS_MAX];
  const size_t count = dsm__plan_loser_sentences(page, plan, sentences);
  if (count == 0) {
    return;
  }
  dsm__page_break(page);
  dsm__page_line(page, DSM__TONE_HEADING, "Most is lost in");
  for (size_t i = 0; i < count; i++) {
    dsm__page_labelled(page, 3, dsm__page_text(page, "%zu.", i + 1), sentences[i]);
  }
}
