/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_table.c: the layers of a workload, for people. */
#include "report/table/describe_table.h"
#include "report/answer.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/equations.h"
#include "report/declared.h"
#include "report/folded_name.h"
#include "report/largest.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"
#include "workload/workload_internal.h"

static const dsm__table_column layer_columns[] = {
    {.title = "layer", .is_name = true, .comfort = 18},
    {.title = "n", .gap = 1, .is_right = true, .is_optional = true},
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

/* The kernel of a layer: "3x3", with a stride "3x3 /2", with groups "3x3 g32"; "" if it has none.
 */
static const char *kernel_text(dsm__page *page, const dsm_layer_spec *spec) {
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

/* The cells of a layer behind its name and count. */
enum { LAYER_CELLS = DSM__COUNT_OF(layer_columns) - 2 };

typedef struct layer_row {
  const char *name;
  const char *cells[LAYER_CELLS];
  const dsm__declared *declared;
} layer_row;

static layer_row row_of(dsm__page *page, const dsm_layer_spec *spec, const dsm__declared *declared,
                        const char *timesteps) {
  const char *const feature =
      spec->type != DSM_LAYER_CONV
          ? ""
          : dsm__page_text(page, "%" PRIu64 "x%" PRIu64, spec->feature.rows, spec->feature.columns);
  const char *const type = dsm__page_text(page, "%s%s", dsm_layer_type_name(spec->type),
                                          spec->is_bidirectional ? " x2" : "");
  return (layer_row){
      .name = spec->name,
      .declared = declared,
      .cells = {
          type, dsm__page_text(page, "%" PRIu64, spec->in),
          dsm__page_text(page, "%" PRIu64, spec->out), feature, kernel_text(page, spec), timesteps,
          dsm__page_text(page, "%s", dsm__figure_count(declared->parameters).text),
          dsm__page_text(page, "%s", dsm__figure_count(declared->forward_macs).text),
          dsm__page_text(page, "%s", dsm__figure_scaled(declared->activation_bytes, "B").text)}};
}

dsm__table dsm__describe_layers(dsm__page *page, const dsm_workload *workload, size_t most) {
  const bool is_repeated = has_timesteps(workload);
  const dsm__declared *const declared = dsm__declared_derive(page->arena, workload);
  dsm__table table = DSM__TABLE(page, layer_columns);
  page->out.failed = page->out.failed || declared == NULL;
  for (size_t i = 0; declared != NULL && i < workload->spec_count && i < most; i++) {
    const dsm_layer_spec *const spec = &workload->specs[i];
    const layer_row row =
        row_of(page, spec, &declared[i],
               is_repeated ? dsm__page_text(page, "%" PRIu64, spec->timesteps) : "");
    DSM__TABLE_TEXTS(&table, row.name, "");
    dsm__table_add_all(&table, DSM__STYLE_PLAIN, row.cells, LAYER_CELLS);
  }
  return table;
}

/* Layers that are told in the same words are equal. */
typedef struct layer_list {
  layer_row *rows; /* of each layer */
  const char **names;
  const char **texts;
  dsm__folding folding;
} layer_list;

static bool list_layers(dsm__page *page, const dsm_workload *workload, layer_list *list) {
  const bool is_repeated = has_timesteps(workload);
  const size_t count = workload->spec_count;
  const dsm__declared *const declared = dsm__declared_derive(page->arena, workload);
  if (declared == NULL || !DSM__RESERVE(page->arena, list->rows, count) ||
      !DSM__RESERVE(page->arena, list->names, count) ||
      !DSM__RESERVE(page->arena, list->texts, count)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const dsm_layer_spec *const spec = &workload->specs[i];
    list->rows[i] = row_of(page, spec, &declared[i],
                           is_repeated ? dsm__page_text(page, "%" PRIu64, spec->timesteps) : "");
    list->names[i] = spec->name;
    list->texts[i] = "";
    for (int c = 0; c < LAYER_CELLS; c++) {
      list->texts[i] = dsm__page_text(page, "%s|%s", list->texts[i], list->rows[i].cells[c]);
    }
  }
  return dsm__fold_texts(&list->folding, list->texts, count, page->style.is_unfolded, page->arena);
}

/* The layers of a row, with what they come to together. */
static dsm__declared together(const layer_list *list, const dsm__fold_row *row) {
  const dsm__declared *const each = list->rows[row->first].declared;
  return (dsm__declared){.parameters = row->count * each->parameters,
                         .forward_macs = row->count * each->forward_macs,
                         .activation_bytes = (double)row->count * each->activation_bytes};
}

/* Of each row: is it among those with the most MACs? NULL if out of memory. */
static const bool *choose(dsm__page *page, const layer_list *list, size_t most) {
  const size_t count = list->folding.row_count;
  double *macs;
  if (!DSM__RESERVE(page->arena, macs, count)) {
    return NULL;
  }
  for (size_t row = 0; row < count; row++) {
    macs[row] = (double)together(list, &list->folding.rows[row]).forward_macs;
  }
  return dsm__largest(macs, count, most, page->arena);
}

static void add_row(dsm__table *table, const layer_list *list, size_t row) {
  dsm__page *const page = table->page;
  const dsm__fold_row *const of = &list->folding.rows[row];
  const char *const name = dsm__fold_row_name_of(page->arena, list->names, &list->folding, row);
  DSM__TABLE_TEXTS(table, dsm__page_kept(page, name),
                   of->count > 1 ? dsm__page_text(page, "%zu", of->count) : "");
  dsm__table_add_all(table, DSM__STYLE_PLAIN, list->rows[of->first].cells, LAYER_CELLS);
}

/* What the rows that are not shown come to, and whether one that is shown is of several layers. */
typedef struct left_out {
  size_t layers;
  dsm__declared sums;
  bool is_folded;
} left_out;

/* Adds the rows that are shown. */
static left_out add_rows(dsm__table *table, const layer_list *list, const bool *is_shown) {
  left_out left = {.layers = 0};
  for (size_t row = 0; row < list->folding.row_count; row++) {
    const dsm__declared sums = together(list, &list->folding.rows[row]);
    if (is_shown[row]) {
      left.is_folded = left.is_folded || list->folding.rows[row].count > 1;
      add_row(table, list, row);
    } else {
      left.layers += list->folding.rows[row].count;
      left.sums.parameters += sums.parameters;
      left.sums.forward_macs += sums.forward_macs;
      left.sums.activation_bytes += sums.activation_bytes;
    }
  }
  return left;
}

static void add_sums(dsm__table *table, const char *name, const dsm__declared *sums) {
  DSM__TABLE_STYLED(table, DSM__STYLE_HEADING, name, "", "", "", "", "", "", "",
                    dsm__figure_count(sums->parameters).text,
                    dsm__figure_count(sums->forward_macs).text,
                    dsm__figure_scaled(sums->activation_bytes, "B").text);
}

void dsm__describe_folded_layers(dsm__page *page, const dsm_workload *workload) {
  const dsm_table_style *const style = &page->style;
  layer_list list = {.rows = NULL};
  dsm__table table = DSM__TABLE(page, layer_columns);
  const bool *const is_shown =
      list_layers(page, workload, &list) ? choose(page, &list, style->row_limit) : NULL;
  if (is_shown == NULL) {
    page->out.failed = true;
    return;
  }
  const left_out left =
      style->is_summary ? (left_out){.layers = 0} : add_rows(&table, &list, is_shown);
  if (left.layers > 0) {
    add_sums(&table, dsm__page_text(page, "%zu more", left.layers), &left.sums);
  }
  add_sums(&table, "total",
           &(dsm__declared){.parameters = workload->parameters,
                            .forward_macs = workload->forward_macs,
                            .activation_bytes = workload->activation_bytes});
  dsm__table_print(&table);
  if (left.is_folded) {
    dsm__page_break(page);
    dsm__page_line(page, DSM__STYLE_FAINT,
                   "n: equal layers that share the row; numbers are those of each. --unfold shows "
                   "them one by one.");
  }
}
