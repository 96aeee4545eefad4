/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/moved_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "report/folded_name.h"

/* A list as it is folded: of each item its layer's name, and what tells which others are equal. */
typedef struct lines {
  const char **names;
  const char **texts;
  size_t count;
  size_t room;
} lines;

static lines begin(dsm__page *page, size_t count) {
  lines made = {.count = 0};
  const bool has_room =
      DSM__RESERVE(page->arena, made.names, count) && DSM__RESERVE(page->arena, made.texts, count);
  made.room = has_room ? count : 0;
  page->out.failed = page->out.failed || !has_room;
  return made;
}

static void add(lines *of, const char *name, const char *text) {
  of->names[of->count] = name;
  of->texts[of->count++] = text;
}

/* What tells an item of which it is not known which others are equal from all others. */
static const char *own_text(dsm__page *page, size_t alike, size_t index) {
  return alike > 0 ? dsm__page_text(page, "%zu", alike) : dsm__page_text(page, "item %zu", index);
}

dsm__moved_rows dsm__moved_lines(dsm__page *page, const char *const *names,
                                 const char *const *texts, size_t count) {
  dsm__folding folding;
  dsm__moved_rows rows = {.count = 0};
  if (!dsm__fold_equal_texts(&folding, texts, count, page->style.is_unfolded, page->arena) ||
      !DSM__RESERVE(page->arena, rows.items, folding.row_count)) {
    page->out.failed = true;
    return (dsm__moved_rows){.count = 0};
  }
  for (size_t row = 0; row < folding.row_count; row++) {
    const dsm__fold_row *const found = &folding.rows[row];
    const char *const name = dsm__fold_row_name_of(page->arena, names, &folding, row);
    rows.items[rows.count++] = (dsm__moved_row){
        .first = found->first,
        .count = found->count,
        .name = dsm__page_kept(page, name),
        .times = found->count > 1 ? dsm__page_text(page, "%zu", found->count) : ""};
    rows.is_folded = rows.is_folded || found->count > 1;
  }
  return rows;
}

const char *dsm__moved_names(dsm__page *page, const dsm__moved_rows *rows, size_t most,
                             size_t *left) {
  const char *text = "";
  *left = 0;
  for (size_t i = 0; i < rows->count; i++) {
    const bool is_named = most == 0 || i < most;
    text = is_named ? dsm__page_join(page, text, ", ", "%s", rows->items[i].name) : text;
    *left += is_named ? 0 : rows->items[i].count;
  }
  return text;
}

/* ---- passes ---- */

DSM__ORDER_OF(compare_sizes, dsm__moved_row,
              dsm__order_then(dsm__order(b->size, a->size), dsm__order_whole(a->first, b->first)));

/* The list is sorted by what single layers differ; many that differ little can differ more. */
static void sort_rows(dsm__moved_rows *rows, const dsm_pass_difference *passes) {
  for (size_t i = 0; i < rows->count; i++) {
    dsm__moved_row *const row = &rows->items[i];
    row->size = (double)row->count * fabs(passes[row->first].difference_seconds);
  }
  qsort(rows->items, rows->count, sizeof *rows->items, compare_sizes);
}

dsm__moved_rows dsm__moved_passes(dsm__page *page, const dsm_pass_difference *passes,
                                  size_t count) {
  lines of = begin(page, count);
  for (size_t i = 0; i < of.room; i++) {
    add(&of, passes[i].layer,
        dsm__page_text(page, "%s %s", own_text(page, passes[i].alike, i),
                       dsm_pass_name(passes[i].pass)));
  }
  dsm__moved_rows rows = dsm__moved_lines(page, of.names, of.texts, of.count);
  if (rows.is_folded) {
    sort_rows(&rows, passes);
  }
  return rows;
}

dsm_pass_difference dsm__moved_together(const dsm_pass_difference *pass, size_t count) {
  dsm_pass_difference sum = *pass;
  sum.seconds.before *= (double)count;
  sum.seconds.after *= (double)count;
  sum.cycles.before *= (double)count;
  sum.cycles.after *= (double)count;
  sum.difference_seconds *= (double)count;
  sum.share *= (double)count;
  return sum;
}

/* ---- decisions and layers ---- */

dsm__moved_rows dsm__moved_decisions(dsm__page *page, const dsm_decision_drift *decisions,
                                     size_t count) {
  lines of = begin(page, count);
  for (size_t i = 0; i < of.room; i++) {
    add(&of, decisions[i].layer == NULL ? "the step" : decisions[i].layer,
        dsm__page_text(page, "%s %d %s", own_text(page, decisions[i].alike, i),
                       (int)decisions[i].pass, decisions[i].decision));
  }
  return dsm__moved_lines(page, of.names, of.texts, of.count);
}

dsm__moved_rows dsm__moved_layers(dsm__page *page, const dsm_layer_drift *layers, size_t count,
                                  dsm_presence presence) {
  lines of = begin(page, count);
  for (size_t i = 0; i < of.room; i++) {
    if (layers[i].presence == presence) {
      add(&of, layers[i].layer, own_text(page, layers[i].alike, i));
    }
  }
  return dsm__moved_lines(page, of.names, of.texts, of.count);
}

void dsm__put_moved_note(dsm__page *page, const dsm__moved_rows *rows, size_t shown,
                         bool are_times) {
  for (size_t i = 0; i < shown; i++) {
    if (rows->items[i].count > 1) {
      dsm__page_labelled(page, 2, "",
                         "n: equal layers that share the row%s; --unfold shows them one by one",
                         are_times ? ", with what all of them take together" : "");
      return;
    }
  }
}
