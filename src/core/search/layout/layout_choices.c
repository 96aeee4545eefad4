/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_choices.c: layouts of a tensor that another one covers are left out.
 *
 * All that a pass asks of a layout is whether a core split fits it, and only useful splits can be
 * the best of a pass (layout_profiles.c). So a layout is known by the set of demands of useful
 * splits that it meets. If one layout meets all that another one meets, every pass that touches the
 * tensor can do with the first what it does with the second, at the same cost: a mapping with the
 * second becomes no slower when the first takes its place. What is left is the set of layouts whose
 * sets are maximal by inclusion (section 7, model.layout_move "exact"); of equal sets the first.
 *
 * Once the time is over a tensor is left any one layout, so that what follows has something to
 * stand on.
 */
#include "search/layout/layout_uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

bool dsm__layout_choices_add(dsm__layout_choices *choices, dsm__layout_slot slot,
                             const dsm__layout_profile *profile, bool is_output) {
  for (unsigned k = 0; k < profile->part_count; k++) {
    const dsm__layout_profile_part *const part = &profile->parts[k];
    const double move = is_output ? part->output_move_cycles : part->input_move_cycles;
    for (size_t i = 0; move > 0 && i < part->split_count; i++) {
      const dsm__useful_split *const split = &part->splits[i];
      if (!DSM__LIST_RESERVE(&choices->demands, 1)) {
        return false;
      }
      choices->demands.items[choices->demands.count++] =
          (dsm__layout_demand){is_output ? split->output_code : split->input_code, slot};
    }
  }
  return true;
}

static int compare_demands(const void *left, const void *right) {
  const dsm__layout_demand *const a = left;
  const dsm__layout_demand *const b = right;
  return dsm__order_then(dsm__order_whole(a->slot, b->slot), dsm__order_whole(a->code, b->code));
}

/* ---- one tensor ---- */

/* Layouts that are left, each with a bit for every demand that it meets. */
typedef struct cover {
  const dsm__divisors *divisors;
  const dsm__layout_demand *demands;
  size_t demand_count;
  size_t words; /* of a set of demands */
  uint64_t *met;
  uint32_t *layouts;
  size_t count;
} cover;

enum { WORD_BITS = 64 };

static void find_met(const cover *c, uint64_t layout, uint64_t *met) {
  memset(met, 0, c->words * sizeof *met);
  for (size_t d = 0; d < c->demand_count; d++) {
    if (dsm__fits(c->divisors, c->demands[d].code, layout)) {
      met[d / WORD_BITS] |= (uint64_t)1 << d % WORD_BITS;
    }
  }
}

/* Is every demand of one set in the other? */
static bool is_within(const cover *c, const uint64_t *set, const uint64_t *other) {
  for (size_t w = 0; w < c->words; w++) {
    if ((set[w] & ~other[w]) != 0) {
      return false;
    }
  }
  return true;
}

/*
 * Adds a layout unless one that is there covers it; those that it covers go.
 *
 * The sets that are there are maximal among those seen. A new one that lies within one of them adds
 * nothing. Else those within it go: being a subset of a set is transitive, so what a set that goes
 * had covered the new one covers too.
 */
static void add_layout(cover *c, uint32_t index, const uint64_t *met) {
  size_t kept = 0;
  for (size_t k = 0; k < c->count; k++) {
    if (is_within(c, met, &c->met[k * c->words])) {
      return; /* and then it covers none of those that are there */
    }
  }
  for (size_t k = 0; k < c->count; k++) {
    if (!is_within(c, &c->met[k * c->words], met)) {
      memmove(&c->met[kept * c->words], &c->met[k * c->words], c->words * sizeof *met);
      c->layouts[kept++] = c->layouts[k];
    }
  }
  memcpy(&c->met[kept * c->words], met, c->words * sizeof *met);
  c->layouts[kept] = index;
  c->count = kept + 1;
}

static bool cover_slot(const dsm__layout_choices *choices, const dsm__layout_demand *demands,
                       size_t demand_count, dsm__slot_layouts *slot, dsm__arena *arena) {
  const size_t layout_count = choices->layout_count;
  cover c = {.divisors = choices->divisors, .demands = demands, .demand_count = demand_count};
  c.words = demand_count / WORD_BITS + 1;
  c.met = malloc((layout_count + 1) * c.words * sizeof c.met[0]);
  c.layouts = malloc(layout_count * sizeof c.layouts[0]);
  bool is_done = c.met != NULL && c.layouts != NULL;
  uint64_t *const met = is_done ? &c.met[layout_count * c.words] : NULL;
  for (size_t i = 0; is_done && i < layout_count; i++) {
    if (c.count > 0 && dsm__deadline_is_over(choices->deadline)) {
      break;
    }
    find_met(&c, choices->layouts[i], met);
    add_layout(&c, (uint32_t)i, met);
  }
  uint32_t *const items = is_done ? dsm__arena_array(arena, c.count, sizeof *items) : NULL;
  if (items != NULL) {
    memcpy(items, c.layouts, c.count * sizeof *items);
    *slot = (dsm__slot_layouts){items, c.count};
  }
  free(c.met);
  free(c.layouts);
  return items != NULL;
}

bool dsm__layout_choices_derive(dsm__layout_choices *choices, size_t slot_count,
                                dsm__arena *arena) {
  dsm__layout_demand *const demands = choices->demands.items;
  size_t distinct = 0;
  if (!DSM__RESERVE(arena, choices->slots, slot_count)) {
    return false;
  }
  if (choices->demands.count > 0) {
    qsort(demands, choices->demands.count, sizeof demands[0], compare_demands);
  }
  for (size_t i = 0; i < choices->demands.count; i++) {
    if (i == 0 || compare_demands(&demands[i], &demands[i - 1]) != 0) {
      demands[distinct++] = demands[i];
    }
  }
  choices->demands.count = distinct;
  size_t next = 0;
  for (size_t s = 0; s < slot_count; s++) {
    const size_t first = next;
    while (next < distinct && demands[next].slot == s) {
      next++;
    }
    if (!cover_slot(choices, first < next ? &demands[first] : NULL, next - first,
                    &choices->slots[s], arena)) {
      return false;
    }
  }
  return true;
}
