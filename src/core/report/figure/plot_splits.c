/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_splits.c: the parallelism and core split of each layer and pass (DeepSpatialMatrix, Fig.
 * 12), as a coloured table. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "model/names.h"
#include "report/figure/plot_plan.h"

static const double left_margin = 92;
static const double pass_gap = 10;
/* Of many layers, all have a page if numbers are smaller. */
static const double smallest_number = 9;
static const double smallest_of_many = 8;
static const size_t many_layers = 100;
static const double largest_number = 11;
/* The first row is the parallelism, then come the loops. */
#define ROW_COUNT (1 + DSM_DIM_COUNT)
/* Parallelisms with roles that have entries of their own, and one of all others. */
#define ROLES_SHOWN DSM__ROLE_COLORS

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm_plan *plan;
  dsm__plot_layers layers;
  dsm__bands bands;
  dsm__plot_passes passes;
  uint64_t most_parts;
  bool is_used[DSM_PARALLELISM_COUNT]; /* of data and model */
  dsm_parallelism roles[ROLES_SHOWN];  /* others, as they come; the last stands for all after it */
  size_t role_count;                   /* as many as there are, though not all may be in the list */
  double number_size;
  double row_height;
} figure;

static const dsm_pass_plan *pass_of(const figure *f, size_t layer, dsm_pass pass) {
  return &f->plan->layers[layer].passes[pass];
}

static size_t listed_roles(const figure *f) {
  return f->role_count < ROLES_SHOWN ? f->role_count : ROLES_SHOWN;
}

static void note_parallelism(figure *f, dsm_parallelism parallelism) {
  if (!dsm_parallelism_has_roles(parallelism)) {
    f->is_used[parallelism] = true;
    return;
  }
  for (size_t i = 0; i < listed_roles(f); i++) {
    if (f->roles[i] == parallelism) {
      return;
    }
  }
  if (f->role_count < ROLES_SHOWN) {
    f->roles[f->role_count] = parallelism;
  }
  f->role_count++;
}

/* Has the last colour more than one of them? */
static bool has_other_roles(const figure *f) {
  return f->role_count > ROLES_SHOWN;
}

/* Those with a colour of their own. */
static size_t own_roles(const figure *f) {
  return has_other_roles(f) ? ROLES_SHOWN - 1 : f->role_count;
}

static void look_at_passes(figure *f) {
  f->most_parts = 2;
  for (size_t i = 0; i < f->plan->layer_count; i++) {
    for (size_t p = 0; p < f->passes.count; p++) {
      const dsm_pass_plan *const pass = pass_of(f, i, f->passes.of[p]);
      for (int d = 0; pass->exists && d < DSM_DIM_COUNT; d++) {
        const uint64_t parts = pass->invocations[0].split.n[d];
        f->most_parts = parts > f->most_parts ? parts : f->most_parts;
      }
      if (pass->exists) {
        note_parallelism(f, pass->share.parallelism);
      }
    }
  }
}

/* Between 0, a loop that is not cut, and 1, the one in the most parts. */
static double intensity(const figure *f, uint64_t parts) {
  return log2((double)parts) / log2((double)f->most_parts);
}

/* Parallelisms, then some shades with the parts that they stand for. */
static double put_legend(figure *f) {
  const uint64_t middle = (uint64_t)exp2(round((1 + log2((double)f->most_parts)) / 2));
  const uint64_t parts[] = {2, middle, f->most_parts};
  dsm__legend_entry entries[DSM_PARALLELISM_COUNT + ROLES_SHOWN + 3];
  dsm__shade shades[3];
  size_t count = 0;
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    if (f->is_used[p]) {
      entries[count++] =
          (dsm__legend_entry){.color = dsm__color_of_parallelism((dsm_parallelism)p),
                              .text = dsm_plan_parallelism_name(f->plan, (dsm_parallelism)p)};
    }
  }
  for (size_t i = 0; i < listed_roles(f); i++) {
    entries[count++] = (dsm__legend_entry){
        .color = dsm__color_of_roles(i),
        .text = i < own_roles(f) ? dsm_plan_parallelism_name(f->plan, f->roles[i]) : "other roles"};
  }
  for (int s = 0; s < 3; s++) {
    shades[s] = dsm__shade_of(intensity(f, parts[s]));
    if (s == 0 || parts[s] > parts[s - 1]) {
      entries[count++] =
          (dsm__legend_entry){.color = shades[s].color,
                              .text = dsm__plot_text(f->maker, "in %" PRIu64 " parts", parts[s])};
    }
  }
  return dsm__plot_legend(f->maker, entries, count);
}

static const char *color_of(const figure *f, dsm_parallelism parallelism) {
  if (!dsm_parallelism_has_roles(parallelism)) {
    return dsm__color_of_parallelism(parallelism);
  }
  size_t role = 0;
  while (role < own_roles(f) && f->roles[role] != parallelism) {
    role++;
  }
  return dsm__color_of_roles(role);
}

/* A cell with what its loop is cut into, which stands in it unless there are so many layers that
 * numbers would be too small. */
static void put_loop(const figure *f, const dsm__band_pass *pass, size_t place, dsm_dim dim) {
  const uint64_t parts =
      pass_of(f, f->layers.items[place], *pass->pass)->invocations[0].split.n[dim];
  const dsm__shade shade = dsm__shade_of(intensity(f, parts));
  const double x = (double)place + 1;
  const double row = 1 + (double)dim;
  dsm__mark_box(f->maker, (dsm__panel_axis){.low = x - 0.5, .high = x + 0.5},
                (dsm__panel_axis){.low = row, .high = row + 1}, shade.color,
                dsm__plot_text(f->maker, "%s %s: %s in %" PRIu64 " parts", f->layers.names[place],
                               dsm_pass_name(*pass->pass), dsm_dim_name(dim), parts));
  if (parts > 1 && f->number_size >= smallest_of_many) {
    dsm__plot_label(f->maker, dsm__plot_place(f->maker, x, row + 0.5),
                    (dsm__label_style){
                        .size = f->number_size, .anchor = DSM__ANCHOR_CENTER, .color = shade.ink},
                    dsm__plot_text(f->maker, "%" PRIu64, parts));
  }
}

/* The cells of a pass in a band, and left of them what their rows hold: rows count downwards. */
static void put_cells(void *made, const dsm__band_pass *pass) {
  static const dsm__panel_axis rows = {.low = ROW_COUNT, .high = 0};
  figure *const f = made;
  dsm__bands_names(f->maker, &f->bands, pass);
  dsm__plot_panel(f->maker, pass->area, pass->x, rows);
  for (int row = 0; row < ROW_COUNT; row++) {
    const double y = pass->area.top + f->row_height * (row + 0.5);
    dsm__plot_label(f->maker, (dsm__point){left_margin - 5, y},
                    (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT},
                    row == 0 ? "parallelism" : dsm_dim_name((dsm_dim)(row - 1)));
  }
  dsm__bands_title(f->maker, pass);
  for (size_t i = pass->first; i < pass->end; i++) {
    const dsm_pass_plan *const planned = pass_of(f, f->layers.items[i], *pass->pass);
    if (!planned->exists) {
      continue;
    }
    const double x = (double)i + 1;
    dsm__mark_box(f->maker, (dsm__panel_axis){.low = x - 0.5, .high = x + 0.5},
                  (dsm__panel_axis){.low = 0, .high = 1}, color_of(f, planned->share.parallelism),
                  dsm__plot_text(f->maker, "%s %s: %s", f->layers.names[i],
                                 dsm_pass_name(*pass->pass),
                                 dsm_plan_parallelism_name(f->plan, planned->share.parallelism)));
    for (int d = 0; d < DSM_DIM_COUNT; d++) {
      put_loop(f, pass, i, (dsm_dim)d);
    }
  }
  dsm__plot_panel_end(f->maker);
}

/* Layers are as wide as their widest number needs; numbers are larger where there is room. */
static void choose_sizes(figure *f) {
  char widest[32];
  (void)snprintf(widest, sizeof widest, "%" PRIu64, f->most_parts);
  const double width = dsm__plot_text_width(widest, 1);
  const double gap = 1.5;
  const double smallest = f->layers.count > many_layers ? smallest_of_many : smallest_number;
  f->bands = dsm__bands_layout(f->maker, &f->layers, left_margin, smallest * width + gap);
  f->row_height = f->bands.is_dense ? 11 : 14;
  f->number_size = fmin(fmin(largest_number, f->row_height - gap), (f->bands.pitch - gap) / width);
}

void dsm__plot_splits(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {.maker = maker,
              .plan = plan,
              .layers = dsm__plot_layers_of(maker, plan, true, plan->layer_count),
              .passes = dsm__plot_passes_of(plan)};
  if (f.layers.count == 0) {
    return;
  }
  look_at_passes(&f);
  choose_sizes(&f);
  const double first = put_legend(&f) + 10;
  dsm__text_puts(&maker->body, "set style fill solid border lc rgb 'white'\n");
  dsm__plot_plan_heading(maker, plan, "how layers are divided", NULL);
  dsm__bands_put(maker, &f.bands, &f.passes, first, ROW_COUNT * f.row_height, pass_gap, put_cells,
                 &f);
}
