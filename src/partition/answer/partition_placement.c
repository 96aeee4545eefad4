/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_placement.c: where tasks run, for people.
 *
 * Tasks that follow one another with the same words behind them, shares rounded as they are
 * printed, are a run. A network that repeats a block has the same runs again and again; where a run
 * of runs repeats, each is a row for all repetitions, as layers are elsewhere (report/folding.h).
 */
#include "partition/answer/partition_placement.h"

#include <string.h>

#include "report/folded_name.h"
#include "report/folding.h"
#include "report/table/number_style.h"
#include "report/table/table.h"

const dsm__table_column dsm__placement_columns[DSM__PLACEMENT_COLUMNS] = {
    {.title = "tasks", .is_name = true},
    {.title = "count", .gap = 2, .is_right = true, .rank = 2},
    {.title = "weights", .gap = 2, .is_right = true, .rank = 1},
    {.title = "devices", .gap = 2, .is_name = true, .comfort = 40},
};

/* "gpu1 60.0 %, cpu 40.0 %": shares of the requests; a device that only holds it has 0 %. */
static const char *placement_text(dsm__page *page, const dsm_partition *partition, size_t task) {
  const dsm_instance *const instance = partition->instance;
  const double *const rates = &partition->rates[task * instance->device_count];
  double sum = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    sum += rates[j];
  }
  const char *text = "";
  for (size_t j = 0; j < instance->device_count; j++) {
    if (!partition->is_stored[task * instance->device_count + j]) {
      continue;
    }
    const double share = sum > 0 ? rates[j] / sum : 0;
    const char *const name = instance->devices[j].name;
    text = share > 0.9995 ? dsm__page_join(page, text, ", ", "%s", name)
                          : dsm__page_join(page, text, ", ", "%s %s %%", name,
                                           dsm__figure_fixed(100 * share, 1).text);
  }
  return text;
}

/* A run of tasks. */
typedef struct run {
  size_t task_count;
  double weights_bytes;
  const char *devices;
} run;

typedef struct run_list {
  run *runs;
  const char **firsts; /* names of the first tasks */
  const char **lasts;
  const char **texts; /* runs of equal ones look the same, but for digits and weights */
  size_t count;
  dsm__folding folding;
} run_list;

/* A name with a '#' for each of its numbers, by which layers of repeated blocks differ. */
static const char *without_numbers(dsm__page *page, const char *name) {
  char *const made = dsm__arena_strdup(page->arena, name);
  if (made == NULL) {
    page->out.failed = true;
    return "";
  }
  size_t length = 0;
  for (const char *c = name; *c != '\0'; c++) {
    const bool is_digit = *c >= '0' && *c <= '9';
    if (!is_digit || length == 0 || made[length - 1] != '#') {
      made[length++] = (char)(is_digit ? '#' : *c);
    }
  }
  made[length] = '\0';
  return made;
}

static void end_run(dsm__page *page, run_list *list, const dsm_instance *instance, size_t last) {
  run *const it = &list->runs[list->count];
  list->lasts[list->count] = instance->tasks[last].name;
  list->texts[list->count] = dsm__page_text(page, "%zu|%s|%s|%s", it->task_count, it->devices,
                                            without_numbers(page, list->firsts[list->count]),
                                            without_numbers(page, instance->tasks[last].name));
  list->count++;
}

static bool list_runs(dsm__page *page, const dsm_partition *partition, run_list *list) {
  const dsm_instance *const instance = partition->instance;
  const size_t most = instance->task_count;
  if (!DSM__RESERVE(page->arena, list->runs, most) ||
      !DSM__RESERVE(page->arena, list->firsts, most) ||
      !DSM__RESERVE(page->arena, list->lasts, most) ||
      !DSM__RESERVE(page->arena, list->texts, most)) {
    return false;
  }
  for (size_t i = 0; i < most; i++) {
    const char *const text = placement_text(page, partition, i);
    run *it = &list->runs[list->count];
    if (i > 0 && (page->style.is_unfolded || strcmp(text, it->devices) != 0)) {
      end_run(page, list, instance, i - 1);
      it = &list->runs[list->count];
    }
    if (it->task_count++ == 0) {
      it->devices = text;
      list->firsts[list->count] = instance->tasks[i].name;
    }
    it->weights_bytes += instance->tasks[i].weights_bytes;
  }
  end_run(page, list, instance, most - 1);
  return dsm__fold_texts(&list->folding, list->texts, list->count, page->style.is_unfolded,
                         page->arena);
}

static void put_row(dsm__page *page, dsm__table *table, const run_list *list, size_t row) {
  const dsm__fold_row *const folded = &list->folding.rows[row];
  const run *const it = &list->runs[folded->first];
  double weights = 0;
  for (size_t r = folded->first; r != SIZE_MAX; r = list->folding.next[r]) {
    weights += list->runs[r].weights_bytes;
  }
  const char *const first = dsm__fold_row_name_of(page->arena, list->firsts, &list->folding, row);
  const char *const last = dsm__fold_row_name_of(page->arena, list->lasts, &list->folding, row);
  if (first == NULL || last == NULL) {
    page->out.failed = true;
    return;
  }
  DSM__TABLE_TEXTS(table,
                   it->task_count == 1 ? first : dsm__page_text(page, "%s to %s", first, last),
                   dsm__figure_count(it->task_count * folded->count).text,
                   dsm__figure_scaled(weights, "B").text, it->devices);
}

void dsm__put_placement(dsm__table *table, const dsm_partition *partition) {
  run_list list = {.count = 0};
  dsm__page *const page = table->page;
  page->out.failed = !list_runs(page, partition, &list) || page->out.failed;
  for (size_t row = 0; row < list.folding.row_count; row++) {
    put_row(page, table, &list, row);
  }
}
