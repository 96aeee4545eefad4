/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_roofline.c: every pass of every layer under the roof of a chip. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "base/order.h"
#include "model/names.h"
#include "report/figure/plot_plan.h"
#include "report/table/number_style.h"

static const double left_margin = 92;
static const double right_margin = 34;
static const double title_height = 18;
static const double panel_gap = 8;
static const double axis_height = 34;
static const double point_radius = 3.5;
/* Points that are no farther apart have a label together. */
static const double same_point = 3;
/* A label is not wider, and one that is cut not as wide as this. */
static const double widest_label = 330;
static const double widest_cut = 125;
/* In the list below. */
static const double widest_name = 100;
static const double number_gap = 5;
static const size_t many_layers = 100;
static const double smallest_size = 8.5;
/* Of a panel, alone and with others. */
static const double height_alone = 380;
static const double height_of_several = 230;
/* Layers that get a list of their names; those of more are in the data. */
static const size_t most_listed = 1000;
/* Layers in a report. */
static const size_t most_layers = 200;

/* A pass of a layer in the panel of its pass. */
typedef struct spot {
  size_t layer;
  dsm__point at;
} spot;

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm_plan *plan;
  dsm__plot_passes passes;
  dsm__roof roof;
  dsm__plot_layers layers;
  const size_t *equal; /**< dsm__roofline_equal_layers: only layers that stand for some are shown */
  size_t shown_count;
  dsm__panel_axis intensity;
  dsm__panel_axis flops;
  double panel_height;
  size_t left_out; /* layers without a label */
  size_t cut;      /* layers whose label does not say all of its layers */
} figure;

/* ---- data and axes ---- */

static bool has_pass(const figure *f, size_t layer, dsm_pass pass) {
  return f->plan->layers[layer].passes[pass].exists;
}

/* What a point is, with the layers that are equal to its own. */
static const char *about(const figure *f, size_t layer, dsm_pass pass,
                         const dsm__roofline_point *point) {
  const size_t others = f->equal[layer] - 1;
  const double cycles = f->plan->layers[layer].passes[pass].cycles.total * (double)f->equal[layer];
  return dsm__plot_text(
      f->maker, "%s%s %s: %s, %s, %s %% of what the roof allows there; %s %% of the step",
      f->plan->layers[layer].layer->name,
      others == 0
          ? ""
          : dsm__plot_text(f->maker, " and %zu equal layer%s", others, dsm__plural((double)others)),
      dsm_pass_name(pass), dsm__figure_scaled(point->flops, "FLOP/s").text,
      isfinite(point->intensity)
          ? dsm__plot_text(f->maker, "%s FLOP/B", dsm__figure_short(point->intensity, 4).text)
          : "no memory traffic",
      dsm__figure_fixed(100 * dsm__share(point->flops, point->roof_flops), 1).text,
      dsm__figure_fixed(100 * dsm__share(cycles, dsm__step_cycles(f->plan)), 1).text);
}

/* Draws the roof and the points of a pass, of equal layers one, and notes where these are; how
 * many. */
static size_t put_points(const figure *f, dsm_pass pass, spot *spots) {
  const dsm__look look = {.color = dsm__color_of_pass(pass), .symbol = 7, .size = 0.75};
  const double bandwidth = f->roof.bytes_per_second;
  const double left = fmax(f->intensity.low, f->flops.low / bandwidth);
  const dsm__point roof[] = {{left, left * bandwidth},
                             {f->roof.peak_flops / bandwidth, f->roof.peak_flops},
                             {f->intensity.high, f->roof.peak_flops}};
  size_t count = 0;
  dsm__mark_curve(f->maker, roof, DSM__COUNT_OF(roof),
                  &(dsm__look){.color = DSM__COLOR_INK, .width = 1.2}, "roof");
  for (size_t i = 0; i < f->layers.count; i++) {
    const size_t layer = f->layers.items[i];
    if (f->equal[layer] > 0 && has_pass(f, layer, pass)) {
      const dsm__roofline_point point = dsm__roofline_point_of(f->plan, layer, pass);
      const dsm__point at = {point.memory_bytes > 0 ? point.flop / point.memory_bytes
                                                    : f->intensity.high,
                             fmax(point.flops, f->flops.low)};
      dsm__mark_curve(f->maker, &at, 1, &look, about(f, layer, pass, &point));
      spots[count++] = (spot){.layer = layer, .at = dsm__plot_place(f->maker, at.x, at.y)};
    }
  }
  return count;
}

/* All points and the ridge are within the axes; what has no memory traffic is at their right end.
 */
static void choose_axes(figure *f) {
  const double ridge = f->roof.peak_flops / f->roof.bytes_per_second;
  dsm__panel_axis x = {.low = ridge / 10, .high = ridge * 10, .is_log = true};
  dsm__panel_axis y = {.low = f->roof.peak_flops / 10, .high = f->roof.peak_flops, .is_log = true};
  for (size_t i = 0; i < f->layers.count; i++) {
    for (size_t p = 0; p < f->passes.count; p++) {
      const size_t layer = f->layers.items[i];
      const dsm_pass pass = f->passes.of[p];
      if (!has_pass(f, layer, pass)) {
        continue;
      }
      const dsm__roofline_point point = dsm__roofline_point_of(f->plan, layer, pass);
      if (isfinite(point.intensity) && point.intensity > 0) {
        x.low = fmin(x.low, point.intensity);
        x.high = fmax(x.high, point.intensity * 1.01);
      }
      y.low = point.flops > 0 ? fmin(y.low, point.flops) : y.low;
    }
  }
  f->intensity = dsm__axis_round(x);
  f->flops = dsm__axis_round(y);
  f->flops.high = 2 * f->roof.peak_flops;
}

/* ---- labels ---- */

DSM__ORDER_OF(compare_spots, spot,
              dsm__order_then(dsm__order_then(dsm__order(a->at.x, b->at.x),
                                              dsm__order(a->at.y, b->at.y)),
                              dsm__order_whole(a->layer, b->layer)));

/* What is taken in a panel before any label: points and the roof. */
static void take_points(const figure *f, dsm__places *places, const spot *spots, size_t count) {
  const dsm__area area = places->area;
  const size_t steps = (size_t)ceil(area.width / point_radius);
  for (size_t step = 0; step < steps; step++) {
    const double x = point_radius * (double)step;
    const double intensity =
        f->intensity.low * pow(f->intensity.high / f->intensity.low, x / area.width);
    const double flops = fmin(f->roof.peak_flops, intensity * f->roof.bytes_per_second);
    const double y = dsm__plot_place(f->maker, intensity, flops).y;
    dsm__places_take(places, (dsm__point){area.left + x + 1, y},
                     (dsm__point){area.left + x + point_radius - 1, y}, 1, DSM__PLACE_POINT);
  }
  for (size_t i = 0; i < count; i++) {
    dsm__places_take(places, spots[i].at, spots[i].at, point_radius, DSM__PLACE_POINT);
  }
}

/* Moves the spots that share a label with spots[first] to follow it; returns the end of them. The
 * spots are sorted along X from there on. */
static size_t gather(spot *spots, size_t first, size_t count) {
  size_t end = first + 1;
  for (size_t i = end; i < count && spots[i].at.x - spots[first].at.x <= same_point; i++) {
    if (fabs(spots[i].at.y - spots[first].at.y) <= same_point) {
      const spot found = spots[i];
      for (size_t k = i; k > end; k--) {
        spots[k] = spots[k - 1];
      }
      spots[end++] = found;
    }
  }
  return end;
}

DSM__ORDER_OF(compare_layers, spot, dsm__order_whole(a->layer, b->layer));

/* The name of a layer, and how many are equal to it: "conv4_2 x 5". */
static const char *name_of(const figure *f, size_t layer) {
  const char *const name = f->plan->layers[layer].layer->name;
  return f->equal[layer] == 1 ? name
                              : dsm__plot_text(f->maker, "%s \xC3\x97 %zu", name, f->equal[layer]);
}

/* The numbers of the layers of some spots, with runs as "3-6". */
static const char *label_text(const figure *f, spot *spots, size_t count) {
  qsort(spots, count, sizeof *spots, compare_layers);
  dsm__text_buffer text = {0};
  for (size_t i = 0; i < count; i++) {
    size_t last = i;
    while (last + 1 < count && spots[last + 1].layer == spots[last].layer + 1) {
      last++;
    }
    dsm__text_puts(&text, i > 0 ? ", " : "");
    if (last < i + 2) {
      dsm__text_printf(&text, "%zu", spots[i].layer + 1);
      last = i;
    } else {
      dsm__text_printf(&text, "%zu-%zu", spots[i].layer + 1, spots[last].layer + 1);
    }
    i = last;
  }
  const char *const kept = dsm__plot_text(f->maker, "%s", text.failed ? "" : text.text);
  f->maker->body.failed = f->maker->body.failed || text.failed;
  dsm__text_fini(&text);
  return kept;
}

/* Numbers that are too wide, cut after one of them. */
static const char *cut_label(const figure *f, const char *whole, size_t count) {
  const char *kept = "";
  for (const char *comma = strchr(whole, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
    const char *const next = dsm__plot_text(f->maker, "%.*s, \xE2\x80\xA6 (%zu layers)",
                                            (int)(comma - whole), whole, count);
    if (dsm__plot_text_width(next, DSM__SIZE_SMALL) > widest_cut) {
      break;
    }
    kept = next;
  }
  return kept;
}

/* Puts the label of some points that share one where there is room for it: whole, else cut. */
static void put_label(figure *f, dsm__places *places, spot *spots, size_t count) {
  const dsm__point point = spots[0].at;
  const char *const text = label_text(f, spots, count);
  const double width = dsm__plot_text_width(text, DSM__SIZE_SMALL);
  bool is_placed = width <= widest_label && dsm__places_label(places, f->maker, point, text);
  if (!is_placed && width > widest_cut) {
    is_placed = dsm__places_label(places, f->maker, point, cut_label(f, text, count));
    f->cut += is_placed ? count : 0;
  }
  f->left_out += is_placed ? 0 : count;
}

/* Labels the points of a panel, from left to right. */
static void put_labels(figure *f, spot *spots, size_t count) {
  dsm__places places;
  if (!dsm__places_init(&places, f->maker->panel.area, f->maker->arena)) {
    f->maker->body.failed = true;
    return;
  }
  qsort(spots, count, sizeof *spots, compare_spots);
  take_points(f, &places, spots, count);
  for (size_t first = 0; first < count;) {
    const size_t end = gather(spots, first, count);
    put_label(f, &places, spots + first, end - first);
    first = end;
  }
}

/* ---- drawing ---- */

static dsm__area panel_area(const figure *f, size_t index, double first) {
  const double pitch = title_height + f->panel_height + panel_gap;
  return (dsm__area){.left = left_margin,
                     .top = first + (double)index * pitch + title_height,
                     .width = f->maker->width - left_margin - right_margin,
                     .height = f->panel_height};
}

static void put_panel(figure *f, size_t index, double first) {
  const dsm_pass pass = f->passes.of[index];
  const dsm__area area = panel_area(f, index, first);
  const bool is_last = index + 1 == f->passes.count;
  spot *const spots = dsm__arena_array(f->maker->arena, f->layers.count, sizeof *spots);
  dsm__plot_panel(f->maker, area, f->intensity, f->flops);
  dsm__plot_y_axis(f->maker, area, f->flops, (dsm__axis_text){.unit = "FLOP/s"});
  dsm__plot_x_axis(
      f->maker, area, f->intensity,
      (dsm__axis_text){.title = is_last ? "FLOP for each byte of memory traffic" : NULL,
                       .has_no_numbers = !is_last});
  dsm__plot_label(f->maker, (dsm__point){area.left, area.top - title_height / 2},
                  (dsm__label_style){.size = DSM__SIZE_TEXT},
                  dsm__word_text(&dsm__pass_words, pass));
  f->maker->body.failed = f->maker->body.failed || spots == NULL;
  if (spots != NULL) {
    put_labels(f, spots, put_points(f, pass, spots));
  }
  dsm__plot_panel_end(f->maker);
}

/* ---- which number is which layer ---- */

/* Many layers are listed in smaller letters. */
static double list_size(const figure *f) {
  return f->shown_count > many_layers ? smallest_size : DSM__SIZE_SMALL;
}

/* Of the layers that are shown. */
static const char *const *list_names(const figure *f) {
  const char **const names = dsm__arena_array(f->maker->arena, f->shown_count, sizeof *names);
  size_t count = 0;
  if (names == NULL) {
    f->maker->body.failed = true;
    return NULL;
  }
  for (size_t i = 0; i < f->layers.count; i++) {
    if (f->equal[f->layers.items[i]] > 0) {
      names[count++] = name_of(f, f->layers.items[i]);
    }
  }
  return dsm__plot_fit_all(f->maker, names, count, list_size(f), widest_name);
}

/* A layer of the list, at the right end of its number. */
static void put_entry(const figure *f, size_t layer, const char *name, dsm__point at) {
  const dsm__label_style number = {
      .size = list_size(f), .anchor = DSM__ANCHOR_RIGHT, .color = DSM__COLOR_FAINT};
  dsm__plot_label(f->maker, at, number, dsm__plot_text(f->maker, "%zu", layer + 1));
  dsm__plot_label(f->maker, (dsm__point){at.x + number_gap, at.y},
                  (dsm__label_style){.size = list_size(f)}, name);
}

/* The names with their numbers, in columns that are read downwards; returns the height. */
static double put_list(const figure *f, double top) {
  if (f->shown_count > most_listed) {
    return 0;
  }
  const double gap = 12;
  const double size = list_size(f);
  const double line = size * DSM__LINE_PITCH;
  const double number_width =
      dsm__plot_text_width(dsm__plot_text(f->maker, "%zu", f->plan->layer_count), size);
  const char *const *const names = list_names(f);
  double widest = 0;
  for (size_t i = 0; i < f->shown_count && names != NULL; i++) {
    widest = fmax(widest, dsm__plot_text_width(names[i], size));
  }
  const double pitch = number_width + number_gap + widest + gap;
  const size_t columns = (size_t)((f->maker->width - 2 * DSM__PLOT_MARGIN + gap) / pitch);
  const size_t rows = (f->shown_count + columns - 1) / columns;
  size_t entry = 0;
  for (size_t i = 0; i < f->layers.count && names != NULL; i++) {
    if (f->equal[f->layers.items[i]] > 0) {
      const size_t column = entry / rows;
      const dsm__point at = {DSM__PLOT_MARGIN + pitch * (double)column + number_width,
                             top + line * ((double)(entry % rows) + 0.5)};
      put_entry(f, f->layers.items[i], names[entry], at);
      entry++;
    }
  }
  return line * (double)rows + 4;
}

/* ---- all of it ---- */

/* What labels do not say, for below the title; NULL if they say all. */
static const char *labels_text(const figure *f) {
  const char *text = NULL;
  if (f->left_out > 0) {
    text = dsm__plot_text(f->maker, "%zu %s no room for a label", f->left_out,
                          f->left_out == 1 ? "point has" : "points have");
  }
  if (f->cut > 0) {
    text = dsm__plot_text(f->maker, "%s%s%s of %zu %s cut", text == NULL ? "" : text,
                          text == NULL ? "" : ", ", f->cut == 1 ? "the label" : "labels", f->cut,
                          f->cut == 1 ? "point is" : "points are");
  }
  return text;
}

static double put_legend(const figure *f) {
  const char *const roof =
      dsm__plot_text(f->maker, "roof of a chip: %s, memory %s; they meet at %s FLOP for each byte",
                     dsm__figure_scaled(f->roof.peak_flops, "FLOP/s").text,
                     dsm__figure_scaled(f->roof.bytes_per_second, "B/s").text,
                     dsm__figure_short(f->roof.peak_flops / f->roof.bytes_per_second, 3).text);
  const dsm__legend_entry entry = {.color = DSM__COLOR_INK, .text = roof};
  return dsm__plot_legend(f->maker, &entry, 1);
}

/* What the picture does not show, and where it does not say all of it. */
static const char *note_of(const figure *f) {
  const char *const text = labels_text(f);
  return f->layers.note == NULL ? text
         : text == NULL         ? f->layers.note
                                : dsm__plot_text(f->maker, "%s %s.", f->layers.note, text);
}

static void put_all(figure *f) {
  for (size_t i = 0; i < f->layers.count; i++) {
    f->shown_count += f->equal[f->layers.items[i]] > 0 ? 1 : 0;
  }
  choose_axes(f);
  f->panel_height = f->passes.count == 1 ? height_alone : height_of_several;
  const double first = put_legend(f);
  const double last_panel = panel_area(f, f->passes.count - 1, first).top + f->panel_height;
  const double list = last_panel + axis_height + 4;
  f->maker->height = ceil(list + put_list(f, list) + 4);
  for (size_t p = 0; p < f->passes.count; p++) {
    put_panel(f, p, first);
  }
  dsm__plot_plan_heading(f->maker, f->plan, "layers under the roof of a chip", note_of(f));
}

void dsm__plot_roofline(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {.maker = maker,
              .plan = plan,
              .passes = dsm__plot_passes_of(plan),
              .layers = dsm__plot_layers_of(maker, plan, false, most_layers),
              .equal = dsm__roofline_equal_layers(plan, maker->arena),
              .roof = dsm__roof_of(plan)};
  if (f.equal == NULL || f.layers.count == 0) {
    maker->body.failed = true;
  } else {
    put_all(&f);
  }
}
