/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_losses.c: stacked bars of the time of each layer and pass (DeepSpatialMatrix, Fig. 13). */
#include <stdlib.h>

#include "model/names.h"
#include "report/figure/svg.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/table/number_style.h"

/* ---- which layers have bars ---- */

typedef struct layer_time {
  size_t layer;
  double cycles; /* of all its passes */
  double lost;   /* of these, without useful work */
} layer_time;

static layer_time time_of(const dsm_plan *plan, size_t layer) {
  layer_time sum = {.layer = layer};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &plan->layers[layer].passes[p];
    if (pass->exists) {
      sum.cycles += pass->cycles.total;
      sum.lost += pass->cycles.total - pass->ideal_cycles;
    }
  }
  return sum;
}

/* What loses most comes first, of equals the earlier layer. */
static int compare_losses(const void *a, const void *b) {
  const layer_time *const left = a;
  const layer_time *const right = b;
  if (left->lost < right->lost || left->lost > right->lost) {
    return left->lost < right->lost ? 1 : -1;
  }
  return left->layer < right->layer ? -1 : 1;
}

static int compare_layers(const void *a, const void *b) {
  const layer_time *const left = a;
  const layer_time *const right = b;
  return left->layer < right->layer ? -1 : 1;
}

typedef struct chosen_layers {
  layer_time *items; /* in order of layers */
  size_t count;
  size_t left_out;
  double left_cycles;
} chosen_layers;

static chosen_layers choose_layers(dsm__page *page, const dsm_plan *plan) {
  chosen_layers chosen = {
      .items = dsm__arena_array(page->arena, plan->layer_count, sizeof *chosen.items)};
  if (chosen.items == NULL) {
    page->out.failed = true;
    return chosen;
  }
  for (size_t i = 0; i < plan->layer_count; i++) {
    chosen.items[i] = time_of(plan, i);
  }
  chosen.count = plan->layer_count;
  if (chosen.count > DSM__WEB_BAR_LAYERS_MAX) {
    qsort(chosen.items, chosen.count, sizeof *chosen.items, compare_losses);
    for (size_t i = DSM__WEB_BAR_LAYERS_MAX; i < chosen.count; i++) {
      chosen.left_cycles += chosen.items[i].cycles;
    }
    chosen.left_out = chosen.count - DSM__WEB_BAR_LAYERS_MAX;
    chosen.count = DSM__WEB_BAR_LAYERS_MAX;
    qsort(chosen.items, chosen.count, sizeof *chosen.items, compare_layers);
  }
  return chosen;
}

/* ---- the figure ---- */

enum { NAME_WIDTH = 20 };
static const double bar_height = 11;
static const double bar_pitch = 12;
static const double layer_gap = 8;
static const double bars_left = 190;
static const double bars_width = DSM__WEB_WIDTH - 190 - 64;
static const double axis_height = 26;

static void put_bar(dsm__page *page, const dsm_plan *plan, const layer_time *shown, dsm_pass p,
                    dsm__svg_point at, double units_per_cycle) {
  const dsm_layer_plan *const layer = &plan->layers[shown->layer];
  const dsm__loss loss = dsm__loss_of_pass(&layer->passes[p]);
  const dsm__time_parts parts = dsm__time_parts_of(&loss);
  double x = at.x;
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    const double width = parts.cycles[part] * units_per_cycle;
    if (width > 0.05) { /* what is narrower cannot be seen */
      dsm__svg_rect(
          &page->out, dsm__web_part_class(page, part),
          (dsm__svg_box){.x = x, .y = at.y, .width = width, .height = bar_height},
          dsm__page_text(page, "%s %s: %s %s of the pass, %s", layer->layer->name, dsm_pass_name(p),
                         dsm__part_phrase((dsm__time_part)part),
                         dsm__web_percent(page, dsm__share(parts.cycles[part], loss.total)),
                         dsm__web_time(page, plan, parts.cycles[part])));
    }
    x += width;
  }
  dsm__svg_text(&page->out, "small", (dsm__svg_point){.x = x + 5, .y = at.y + bar_height - 2},
                dsm__web_percent(page, dsm__share(loss.total, plan->result.step_cycles)));
}

/* The bars of a layer's passes; returns the height that they take. */
static double put_layer(dsm__page *page, const dsm_plan *plan, const layer_time *shown, double top,
                        double units_per_cycle) {
  const dsm_layer_plan *const layer = &plan->layers[shown->layer];
  double y = top;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (layer->passes[p].exists) {
      dsm__svg_text(&page->out, "small end",
                    (dsm__svg_point){.x = bars_left - 6, .y = y + bar_height - 2},
                    dsm__word_brief(&dsm__pass_words, (size_t)p));
      put_bar(page, plan, shown, (dsm_pass)p, (dsm__svg_point){.x = bars_left, .y = y},
              units_per_cycle);
      y += bar_pitch;
    }
  }
  const double middle = (top + y) / 2;
  dsm__svg_text(&page->out, "end", (dsm__svg_point){.x = bars_left - 36, .y = middle + 3},
                dsm__web_short_name(page, layer->layer->name, NAME_WIDTH));
  return y - top + layer_gap;
}

static double drawing_height(const dsm_plan *plan, const layer_time *layers, size_t count) {
  double height = axis_height;
  for (size_t i = 0; i < count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      height += plan->layers[layers[i].layer].passes[p].exists ? bar_pitch : 0;
    }
    height += layer_gap;
  }
  return height;
}

static double longest_pass(const dsm_plan *plan, const chosen_layers *chosen) {
  double longest = 0;
  for (size_t i = 0; i < chosen->count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[chosen->items[i].layer].passes[p];
      longest = pass->exists && pass->cycles.total > longest ? pass->cycles.total : longest;
    }
  }
  return longest;
}

static void put_axis(dsm__page *page, const dsm_plan *plan, double longest, double height) {
  enum { TICKS = 4 };
  for (int i = 0; i <= TICKS; i++) {
    const double x = bars_left + bars_width * i / TICKS;
    dsm__svg_line(&page->out, "grid", (dsm__svg_point){.x = x, .y = axis_height - 8},
                  (dsm__svg_point){.x = x, .y = height});
    dsm__svg_text(&page->out, i == 0 ? "start" : "middle",
                  (dsm__svg_point){.x = x, .y = axis_height - 13},
                  i == 0 ? "0" : dsm__web_tick_time(page, plan, longest * i / TICKS, longest));
  }
}

/* The bars of some layers, with an axis of their own: a page of paper holds them. */
static void put_drawing(dsm__page *page, const dsm_plan *plan, const layer_time *layers,
                        size_t count, double longest) {
  const double height = drawing_height(plan, layers, count);
  const double units_per_cycle = dsm__share(bars_width, longest);
  dsm__svg_begin(
      &page->out, "figure", DSM__WEB_WIDTH, height,
      dsm__page_text(
          page,
          "A bar for each pass of the layers %s to %s, as long as its time and divided by "
          "what that goes to. The table of layers and passes has the numbers.",
          plan->layers[layers[0].layer].layer->name,
          plan->layers[layers[count - 1].layer].layer->name));
  put_axis(page, plan, longest, height);
  double y = axis_height;
  for (size_t i = 0; i < count; i++) {
    y += put_layer(page, plan, &layers[i], y, units_per_cycle);
  }
  dsm__svg_end(&page->out);
}

static void put_drawings(dsm__page *page, const dsm_plan *plan, const chosen_layers *chosen) {
  static const size_t at_a_time = 20;
  const double longest = longest_pass(plan, chosen);
  for (size_t first = 0; first < chosen->count; first += at_a_time) {
    const size_t left = chosen->count - first;
    put_drawing(page, plan, &chosen->items[first], left < at_a_time ? left : at_a_time, longest);
  }
}

void dsm__web_losses(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan *const plan = subject->plan;
  const dsm__loss loss = dsm__loss_of_plan(plan);
  const dsm__time_parts parts = dsm__time_parts_of(&loss);
  const chosen_layers chosen = choose_layers(page, plan);
  dsm__web_paragraph(page, NULL,
                     "A bar for each pass, as long as its time. All but the first colour is lost. "
                     "The number beside a bar is the share of the step.");
  dsm__web_figure_begin(page, "loss-figure");
  dsm__web_parts_legend(page, &parts);
  dsm__web_scroll_begin(page, "Bars of layers and passes");
  put_drawings(page, plan, &chosen);
  dsm__web_scroll_end(page);
  dsm__web_figure_end(
      page,
      chosen.left_out == 0
          ? "fwd: forward, bwd: backward, upd: update."
          : dsm__page_text(
                page,
                "fwd: forward, bwd: backward, upd: update. Shown are the %d layers that "
                "lose most time, in order of execution; the other %s of %s take %s of "
                "the step.",
                DSM__WEB_BAR_LAYERS_MAX, dsm__figure_count(chosen.left_out).text,
                dsm__figure_count(plan->layer_count).text,
                dsm__web_percent(page, dsm__share(chosen.left_cycles, plan->result.step_cycles))));
}
