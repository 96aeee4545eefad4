/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list.c: descriptions that can be had by name, one line each. */
#include <math.h>
#include <string.h>

#include "base/json_write.h"
#include "report/data/cells.h"
#include "report/declared.h"
#include "report/table/describe_table.h"
#include "report/table/number_style.h"
#include "report/table/table.h"

#define FIGURES_OF_KIND_MAX 4
#define NAME_COMFORT 26
#define ABOUT_COMFORT 38

enum {
  NO_FIGURE = 0,
  FIGURE_LAYERS,
  FIGURE_WEIGHTS,
  FIGURE_MACS,
  FIGURE_CHIPS,
  FIGURE_CORES,
  FIGURE_PEAK,
  FIGURE_MEMORY,
  FIGURE_DEVICES,
  FIGURE_POINTS,
  FIGURE_COUNT
};

/* How sizes are called: in data, and in tables with their unit (NULL: a count) and the rank by
 * which their columns go. */
static const struct {
  const char *key;
  const char *title;
  const char *unit;
  unsigned rank;
} figures[FIGURE_COUNT] = {
    [FIGURE_LAYERS] = {"layers", "layers", NULL, 1},
    [FIGURE_WEIGHTS] = {"weights", "weights", "", 1},
    [FIGURE_MACS] = {"macs_forward_per_sample", "MACs/sample", "", 1},
    [FIGURE_CHIPS] = {"chips", "chips", NULL, 1},
    [FIGURE_CORES] = {"cores", "cores", NULL, 3},
    [FIGURE_PEAK] = {"peak_flops", "peak", "FLOP/s", 1},
    [FIGURE_MEMORY] = {"memory_bytes", "memory", "B", 2},
    [FIGURE_DEVICES] = {"devices", "devices", NULL, 1},
    [FIGURE_POINTS] = {"points", "points", NULL, 1},
};

/* In the order in which they are shown, with the sizes of each. */
static const struct {
  dsm_description kind;
  unsigned figures[FIGURES_OF_KIND_MAX];
} kinds[] = {
    {DSM_DESCRIPTION_WORKLOAD, {FIGURE_LAYERS, FIGURE_WEIGHTS, FIGURE_MACS}},
    {DSM_DESCRIPTION_SYSTEM, {FIGURE_CHIPS, FIGURE_CORES, FIGURE_PEAK, FIGURE_MEMORY}},
    {DSM_DESCRIPTION_SERVER, {FIGURE_DEVICES, FIGURE_PEAK, FIGURE_MEMORY}},
    {DSM_DESCRIPTION_SWEEP, {FIGURE_POINTS}},
};
enum { KIND_COUNT = DSM__COUNT_OF(kinds) };

static double server_figure(const dsm_server *server, unsigned figure) {
  double sum = 0;
  for (size_t j = 0; j < server->device_count; j++) {
    sum += figure == FIGURE_PEAK     ? dsm__device_peak_flops(&server->devices[j])
           : figure == FIGURE_MEMORY ? server->devices[j].memory_bytes
                                     : 1;
  }
  return sum;
}

static double workload_figure(const dsm_workload *workload, unsigned figure) {
  return figure == FIGURE_LAYERS    ? (double)workload->spec_count
         : figure == FIGURE_WEIGHTS ? (double)workload->weights
                                    : (double)workload->forward_macs;
}

static double system_figure(const dsm_system *system, unsigned figure) {
  const double chips = (double)(system->system.chips_x * system->system.chips_y);
  return figure == FIGURE_CHIPS   ? chips
         : figure == FIGURE_CORES ? (double)dsm__system_cores(system)
         : figure == FIGURE_PEAK  ? dsm_system_peak_flops(system)
                                  : chips * dsm__chip_memory_bytes(system);
}

static double figure_of(const dsm_listed *item, unsigned figure) {
  const dsm_described *const what = &item->what;
  return what->workload != NULL ? workload_figure(what->workload, figure)
         : what->system != NULL ? system_figure(what->system, figure)
         : what->server != NULL ? server_figure(what->server, figure)
                                : (double)what->sweep->point_count;
}

static bool is_of_kind(const dsm_listed *item, size_t k) {
  return strcmp(dsm__described_kind(&item->what), dsm_description_name(kinds[k].kind)) == 0;
}

static bool has_figure(size_t k, unsigned figure) {
  for (size_t f = 0; f < FIGURES_OF_KIND_MAX; f++) {
    if (kinds[k].figures[f] == figure) {
      return true;
    }
  }
  return false;
}

/* What it is, in the words of its comment, else of its source. */
static const char *about_of(const dsm_listed *item) {
  const dsm_described *const what = &item->what;
  const char *const source = what->workload != NULL ? what->workload->source
                             : what->system != NULL ? what->system->source
                             : what->server != NULL ? what->server->source
                                                    : what->sweep->source;
  return item->about != NULL ? item->about : source != NULL ? source : "";
}

/* ---- as tables ---- */

static void add_figure(dsm__table *table, double value, unsigned figure) {
  const char *const text =
      !isfinite(value) ? "unlimited"
      : figures[figure].unit == NULL
          ? dsm__page_text(table->page, "%s", dsm__figure_count((uint64_t)value).text)
          : dsm__page_text(table->page, "%s", dsm__figure_scaled(value, figures[figure].unit).text);
  dsm__table_text(table, text);
}

static void put_kind(dsm__page *page, size_t k, const dsm_listed *items, size_t count) {
  dsm__table_column columns[FIGURES_OF_KIND_MAX + 2] = {
      {.title = dsm_description_name(kinds[k].kind), .is_name = true, .comfort = NAME_COMFORT}};
  size_t width = 1;
  for (size_t f = 0; f < FIGURES_OF_KIND_MAX && kinds[k].figures[f] != NO_FIGURE; f++) {
    const unsigned figure = kinds[k].figures[f];
    columns[width++] = (dsm__table_column){
        .title = figures[figure].title, .gap = 2, .is_right = true, .rank = figures[figure].rank};
  }
  columns[width++] = (dsm__table_column){
      .title = "what it is", .gap = 2, .is_name = true, .comfort = ABOUT_COMFORT};
  dsm__table table = dsm__table_make(page, columns, width);
  for (size_t i = 0; i < count; i++) {
    if (is_of_kind(&items[i], k)) {
      dsm__table_text(&table, items[i].name);
      for (size_t f = 0; f + 2 < width; f++) {
        const unsigned figure = kinds[k].figures[f];
        add_figure(&table, figure_of(&items[i], figure), figure);
      }
      dsm__table_text(&table, about_of(&items[i]));
    }
  }
  dsm__table_print(&table);
}

static size_t count_of_kind(size_t k, const dsm_listed *items, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    found += is_of_kind(&items[i], k) ? 1 : 0;
  }
  return found;
}

char *dsm_report_list_table(const dsm_listed *items, size_t count, dsm_table_style style) {
  dsm__page page;
  if (!dsm__page_init(&page, style)) {
    return NULL;
  }
  bool is_first = true;
  for (size_t k = 0; k < KIND_COUNT; k++) {
    if (count_of_kind(k, items, count) > 0) {
      if (!is_first) {
        dsm__page_break(&page);
      }
      put_kind(&page, k, items, count);
      is_first = false;
    }
  }
  return dsm__page_finish(&page);
}

/* ---- for programs ---- */

static void write_item(dsm__json_writer *writer, const dsm_listed *item, size_t k) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "kind", dsm__described_kind(&item->what));
  dsm__json_put_string(writer, "name", item->name);
  dsm__json_put_string(writer, "file", item->what.file);
  dsm__json_put_string(writer, "about", about_of(item));
  for (size_t f = 0; f < FIGURES_OF_KIND_MAX && kinds[k].figures[f] != NO_FIGURE; f++) {
    const double value = figure_of(item, kinds[k].figures[f]);
    dsm__json_write_key(writer, figures[kinds[k].figures[f]].key);
    if (isfinite(value)) {
      dsm__json_write_double(writer, value);
    } else {
      dsm__json_write_null(writer);
    }
  }
  dsm__json_end_object(writer);
}

char *dsm_report_list_json(const dsm_listed *items, size_t count) {
  dsm__page page;
  if (!dsm__page_init(&page, (dsm_table_style){.width = 0})) {
    return NULL;
  }
  dsm__json_writer writer = {.out = &page.out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-list/1");
  dsm__json_put_array(&writer, "items", false);
  for (size_t k = 0; k < KIND_COUNT; k++) {
    for (size_t i = 0; i < count; i++) {
      if (is_of_kind(&items[i], k)) {
        write_item(&writer, &items[i], k);
      }
    }
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__text_puts(&page.out, "\n");
  return dsm__page_finish(&page);
}

static void put_row(dsm__cells *csv, const dsm_listed *item, size_t k) {
  dsm__cells_text(csv, dsm__described_kind(&item->what));
  dsm__cells_text(csv, item->name);
  dsm__cells_text(csv, item->what.file);
  dsm__cells_text(csv, about_of(item));
  for (unsigned figure = NO_FIGURE + 1; figure < FIGURE_COUNT; figure++) {
    if (has_figure(k, figure) && isfinite(figure_of(item, figure))) {
      dsm__cells_double(csv, figure_of(item, figure));
    } else {
      dsm__cells_empty(csv, 1);
    }
  }
  dsm__cells_end_row(csv);
}

char *dsm_report_list_csv(const dsm_listed *items, size_t count) {
  static const char *const titles[] = {"kind", "name", "file", "about"};
  dsm__page page;
  if (!dsm__page_init(&page, (dsm_table_style){.width = 0})) {
    return NULL;
  }
  dsm__cells csv = {.out = &page.out};
  dsm__cells_texts(&csv, titles, DSM__COUNT_OF(titles));
  for (unsigned figure = NO_FIGURE + 1; figure < FIGURE_COUNT; figure++) {
    dsm__cells_text(&csv, figures[figure].key);
  }
  dsm__cells_end_row(&csv);
  for (size_t k = 0; k < KIND_COUNT; k++) {
    for (size_t i = 0; i < count; i++) {
      if (is_of_kind(&items[i], k)) {
        put_row(&csv, &items[i], k);
      }
    }
  }
  return dsm__page_finish(&page);
}
