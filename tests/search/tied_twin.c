/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tied_twin.h"

#include <string.h>

#include "model/chip_link.h"
#include "model/equations.h"

/* What a chip has of a table: words are the rows of an embedding. */
typedef enum share { ALL_FOR_ITS_SAMPLES, SOME_ROWS, SOME_COLUMNS, ALL_AS_OTHERS } share;

static const dsm_layer_spec *spec_of(const dsm_workload *workload, size_t layer) {
  return &workload->specs[workload->layers[layer].spec_index];
}

static size_t owner_of(const dsm_workload *workload, size_t layer) {
  const char *const name = spec_of(workload, layer)->tied_to;
  for (size_t i = 0; name != NULL && i < layer; i++) {
    if (strcmp(spec_of(workload, i)->name, name) == 0) {
      return i;
    }
  }
  return SIZE_MAX;
}

bool tied_twin_has_table(const dsm_workload *workload, size_t layer) {
  bool has_any = owner_of(workload, layer) != SIZE_MAX;
  for (size_t i = layer + 1; i < workload->layer_count; i++) {
    has_any = has_any || owner_of(workload, i) == layer;
  }
  return has_any;
}

/* Of the table as its layer has it, with inputs as rows, or as it is seen from the other side. */
static share share_of(const dsm_machine *machine, dsm_role role, unsigned axis, bool is_turned) {
  share own = ALL_FOR_ITS_SAMPLES;
  if (machine->system->system.axes[axis].chips == 1) {
    return own;
  }
  switch (role) {
  case DSM_ROLE_MODEL:
  case DSM_ROLE_COLUMN:
  case DSM_ROLE_GATHER_COLUMN:
    own = SOME_COLUMNS;
    break;
  case DSM_ROLE_MODEL_OUT:
  case DSM_ROLE_ROW:
  case DSM_ROLE_ROW_SCATTER:
    own = SOME_ROWS;
    break;
  case DSM_ROLE_WHOLE:
    return ALL_AS_OTHERS;
  case DSM_ROLE_DATA:
  case DSM_ROLE_SPATIAL:
  case DSM_ROLE_HEADS:
  case DSM_ROLE_EXPERT:
  case DSM_ROLE_CONTEXT:
  case DSM_ROLE_GATHER_CONTEXT:
  case DSM_ROLE_COUNT:
    return own;
  }
  if (is_turned) {
    own = own == SOME_ROWS ? SOME_COLUMNS : SOME_ROWS;
  }
  return own;
}

static bool is_cut(share of) {
  return of == SOME_ROWS || of == SOME_COLUMNS;
}

/* An embedding and an fc see each other's table turned, and two fc that are not alike do. */
static bool is_turned(const dsm_workload *workload, size_t owner, size_t layer) {
  const dsm_layer_spec *const theirs = spec_of(workload, owner);
  const dsm_layer_spec *const own = spec_of(workload, layer);
  return theirs->type != own->type || theirs->in != own->in;
}

/* Along which axes what happens, and how many chips these have. */
typedef struct axes {
  dsm_axis_set set;
  double chips;
} axes;

static void add_axis(axes *to, const dsm_machine *machine, unsigned axis) {
  to->set |= 1U << axis;
  to->chips *= (double)machine->system->system.axes[axis].chips;
}

typedef struct meeting {
  axes added;   /* sums to those who own a part */
  axes all;     /* sums to all */
  axes spread;  /* parts to all */
  axes swapped; /* parts of one kind for parts of the other */
  axes fetched; /* weights from those who own a part */
  axes own;     /* which the tied layer cuts */
  axes made;    /* by which what a chip has made is divided, */
  axes had;     /* and what it has, or is asked for */
} meeting;

static meeting meeting_of(const dsm_workload *workload, const dsm_machine *machine, size_t owner,
                          size_t layer, const dsm_roles *roles) {
  const axes none = {0, 1};
  meeting m = {none, none, none, none, none, none, none, none};
  for (unsigned a = 0; a < machine->system->system.axis_count; a++) {
    const share theirs =
        share_of(machine, roles[owner].of[a], a, is_turned(workload, owner, layer));
    const share own = share_of(machine, roles[layer].of[a], a, false);
    if (is_cut(own)) {
      add_axis(&m.own, machine, a);
    }
    if (is_cut(own) || (own == ALL_AS_OTHERS && is_cut(theirs))) {
      add_axis(&m.made, machine, a);
    }
    if (is_cut(own) || is_cut(theirs)) {
      add_axis(&m.had, machine, a);
    }
    if (is_cut(theirs) && !is_cut(own)) {
      add_axis(&m.fetched, machine, a);
    }
    if (is_cut(theirs) && own == ALL_FOR_ITS_SAMPLES) {
      add_axis(&m.added, machine, a);
    }
    if (is_cut(theirs) && is_cut(own) && theirs != own) {
      add_axis(&m.swapped, machine, a);
    }
    if (theirs == ALL_AS_OTHERS && own == ALL_FOR_ITS_SAMPLES) {
      add_axis(&m.all, machine, a);
    }
    if (theirs == ALL_AS_OTHERS && is_cut(own)) {
      add_axis(&m.spread, machine, a);
    }
  }
  return m;
}

/* A collective by itself, once or there and back. */
static double collective(const dsm_machine *machine, const axes *members, double bytes,
                         double memory_bytes, double times) {
  if (members->set == 0) {
    return 0;
  }
  const dsm__collective_asked asked = {.kind = times > 1 ? DSM__COLLECTIVE_BOTH_WAYS
                                                         : DSM__COLLECTIVE_ONE_WAY,
                                       .members = members->set,
                                       .bytes = bytes,
                                       .memory_bytes = times * memory_bytes * bytes};
  const dsm_traffic traffic = dsm__collective_traffic(machine, &asked);
  return dsm_group_price(machine, &traffic);
}

static double swap(const dsm_machine *machine, const axes *members, double bytes) {
  const dsm__collective_asked asked = {.kind = DSM__COLLECTIVE_ALL_TO_ALL,
                                       .members = members->set,
                                       .bytes = bytes,
                                       .memory_bytes =
                                           machine->system->model.relayout_memory_bytes * bytes,
                                       .is_kept_from_cores = true};
  const dsm_traffic traffic = dsm__collective_traffic(machine, &asked);
  return members->set == 0 ? 0 : dsm_group_price(machine, &traffic);
}

static double weight_bytes_of(const dsm_workload *workload, size_t layer) {
  return dsm__layer_weight_bytes(&workload->layers[layer], workload->weight_bytes,
                                 workload->element_bytes);
}

double tied_twin_cycles(const dsm_workload *workload, const dsm_machine *machine, size_t layer,
                        const dsm_roles *roles) {
  const dsm_assumptions *const model = &machine->system->model;
  const size_t owner = owner_of(workload, layer);
  if (owner == SIZE_MAX) {
    return 0;
  }
  const meeting m = meeting_of(workload, machine, owner, layer, roles);
  const double elements = (double)workload->layers[layer].weight_elements;
  const double made = elements / m.made.chips * workload->gradient_bytes;
  const double part = made / m.added.chips;
  const double had = elements / m.had.chips * weight_bytes_of(workload, layer);
  return collective(machine, &m.added, made, model->reduce_memory_bytes, 1) +
         swap(machine, &m.swapped, part) +
         collective(machine, &m.all, part, model->reduce_memory_bytes, 2) +
         collective(machine, &m.spread, part * m.spread.chips, model->reduce_memory_bytes, 1) +
         swap(machine, &m.swapped, had) +
         collective(machine, &m.fetched, had * m.fetched.chips, model->broadcast_memory_bytes, 1);
}

double tied_twin_bytes(const dsm_workload *workload, const dsm_machine *machine, dsm_mode mode,
                       size_t layer, const dsm_roles *roles) {
  const size_t owner = owner_of(workload, layer);
  if (owner == SIZE_MAX) {
    return 0;
  }
  const meeting m = meeting_of(workload, machine, owner, layer, roles);
  const double elements = (double)workload->layers[layer].weight_elements / m.own.chips;
  const bool has_weights = (m.fetched.set | m.swapped.set) != 0;
  const bool has_gradients = has_weights || (m.all.set | m.spread.set) != 0;
  return elements * ((has_weights ? weight_bytes_of(workload, layer) : 0) +
                     (has_gradients && mode == DSM_MODE_TRAINING ? workload->gradient_bytes : 0));
}
