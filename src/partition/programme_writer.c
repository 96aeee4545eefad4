/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme_writer.c: columns, rows and entries, counted in one pass and stored in the next.
 *
 * The same code runs twice: first with no arrays, where each call only counts, then with arrays of
 * just that size. So there is one description of the programme, and no list has to grow. A column
 * that is not there (DSM__NO_COLUMN) or a factor of 0 writes no entry, which keeps the conditions
 * for columns in one place.
 */
#include "partition/programme_writer.h"

/* Rates this much below the floor are of interest too: a solver's rounding. */
static const double floor_slack = 1e-6;

size_t dsm__write_column(dsm__writer *w, dsm__column column) {
  dsm__programme *const made = w->made;
  if (made->columns != NULL) {
    made->columns[made->column_count] = column;
  }
  return made->column_count++;
}

size_t dsm__begin_row(dsm__writer *w, dsm__row row) {
  dsm__programme *const made = w->made;
  if (made->rows != NULL) {
    made->rows[made->row_count] = row;
  }
  return made->row_count++;
}

void dsm__write_entry(dsm__writer *w, size_t column, double value) {
  dsm__programme *const made = w->made;
  if (column == DSM__NO_COLUMN || value == 0) {
    return;
  }
  if (made->entries != NULL) {
    made->entries[made->entry_count] =
        (dsm__entry){.row = made->row_count - 1, .column = column, .value = value};
  }
  made->entry_count++;
}

size_t dsm__place_of(const dsm__writer *w, size_t major, size_t device) {
  return major * w->instance->device_count + device;
}

double dsm__spent(const dsm__writer *w, size_t task, size_t device) {
  return dsm_instance_seconds(w->instance, task, device) / w->form.time_unit;
}

double dsm__batch_spent(const dsm__writer *w, size_t task, size_t device) {
  return dsm_instance_batch(w->instance, device) * dsm__spent(w, task, device);
}

/* A rate that is reached already makes answers below it uninteresting. A little less is asked for,
 * since the solver that has to find the same answer again rounds. */
double dsm__least_rate(const dsm__writer *w) {
  const bool is_energy = w->options->objective == DSM_OBJECTIVE_ENERGY;
  const double floor = is_energy ? w->options->required_rho : w->form.rho_floor;
  return floor * w->form.time_unit * (1 - floor_slack);
}
