/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "storage_optimum.h"

#include <check.h>
#include <glpk.h>
#include <math.h>
#include <stdlib.h>

#include "small_instance.h"

/* A programme that is being written; columns: rho, x_ij, c_tj in copies, r_tj. */
typedef struct programme {
  glp_prob *problem;
  const dsm_instance *instance;
  int indices[512];
  double values[512];
  int used;
} programme;

static int x_of(const programme *p, size_t task, size_t device) {
  return (int)(2 + task * p->instance->device_count + device);
}

static int c_of(const programme *p, size_t tensor, size_t device) {
  return x_of(p, p->instance->task_count + tensor, device);
}

static int r_of(const programme *p, size_t tensor, size_t device) {
  return c_of(p, p->instance->tensor_count + tensor, device);
}

static void term(programme *p, int column, double value) {
  p->used++;
  p->indices[p->used] = column;
  p->values[p->used] = value;
}

/* Ends a row: at least 0 without a bound, else at most that. */
static void end_row(programme *p, double most) {
  const int row = glp_add_rows(p->problem, 1);
  if (isnan(most)) {
    glp_set_row_bnds(p->problem, row, GLP_LO, 0, 0);
  } else {
    glp_set_row_bnds(p->problem, row, GLP_UP, 0, most);
  }
  glp_set_mat_row(p->problem, row, p->used, p->indices, p->values);
  p->used = 0;
}

static void write_tensor(programme *p, size_t t) {
  const dsm_tensor *const tensor = &p->instance->tensors[t];
  const size_t devices = p->instance->device_count;
  for (size_t j = 0; j < devices; j++) {
    const int made = x_of(p, tensor->producer, j);
    for (size_t k = 0; k < tensor->consumer_count; k++) {
      const int used = x_of(p, tensor->consumers[k], j);
      term(p, c_of(p, t, j), 1);
      term(p, made, -1);
      term(p, used, 1);
      end_row(p, (double)NAN);
      term(p, r_of(p, t, j), 1);
      term(p, used, -1);
      term(p, made, 1);
      end_row(p, (double)NAN);
    }
    term(p, c_of(p, t, j), 1);
    term(p, made, -(double)(devices - 1));
    end_row(p, 0);
  }
  for (size_t j = 0; j < devices; j++) {
    term(p, c_of(p, t, j), 1);
    term(p, r_of(p, t, j), -1);
  }
  end_row(p, (double)NAN);
}

static bool is_last(const dsm_instance *instance, size_t task) {
  for (size_t t = 0; t < instance->tensor_count; t++) {
    if (instance->tensors[t].producer == task) {
      return false;
    }
  }
  return true;
}

static void write_device(programme *p, const dsm_partition *partition, size_t j) {
  const dsm_instance *const instance = p->instance;
  for (size_t i = 0; i < instance->task_count; i++) {
    const double seconds = dsm_instance_seconds(instance, i, j);
    const bool may_run = partition->is_stored[i * instance->device_count + j] && isfinite(seconds);
    term(p, x_of(p, i, j), may_run ? seconds : 1);
    if (!may_run) {
      glp_set_col_bnds(p->problem, x_of(p, i, j), GLP_FX, 0, 0);
    }
  }
  end_row(p, 1);
  if (isinf(instance->devices[j].link_bytes_per_second)) {
    return;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    term(p, c_of(p, t, j), instance->tensors[t].bytes * small_elements(instance, j));
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    if (!partition->options.does_keep_results) {
      const dsm_task *const it = &instance->tasks[i];
      const double results = is_last(instance, i) ? it->output_bytes : it->result_bytes;
      term(p, x_of(p, i, j), results * small_elements(instance, j));
    }
  }
  end_row(p, instance->devices[j].link_bytes_per_second);
}

/* One consumer of each tensor, one tensor to each consumer and from each producer. */
static bool is_chain(const dsm_instance *instance) {
  for (size_t i = 0; i < instance->task_count; i++) {
    size_t read = 0;
    size_t made = 0;
    for (size_t t = 0; t < instance->tensor_count; t++) {
      const dsm_tensor *const it = &instance->tensors[t];
      made += it->producer == i ? it->consumer_count : 0;
      for (size_t k = 0; k < it->consumer_count; k++) {
        read += it->consumers[k] == i ? 1 : 0;
      }
    }
    if (read > 1 || made > 1) {
      return false;
    }
  }
  return true;
}

/* (7): each task at least as often as rho; where the tensors form no chain, exactly so. */
static void write_tasks(programme *p) {
  const dsm_instance *const instance = p->instance;
  const bool is_equal = !is_chain(instance);
  for (size_t i = 0; i < instance->task_count; i++) {
    term(p, 1, -1);
    for (size_t j = 0; j < instance->device_count; j++) {
      term(p, x_of(p, i, j), 1);
    }
    end_row(p, (double)NAN);
    if (is_equal) {
      glp_set_row_bnds(p->problem, glp_get_num_rows(p->problem), GLP_FX, 0, 0);
    }
  }
}

double storage_optimum(const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  programme p = {.problem = glp_create_prob(), .instance = instance};
  const int columns =
      (int)(1 + (instance->task_count + 2 * instance->tensor_count) * instance->device_count);
  glp_set_obj_dir(p.problem, GLP_MAX);
  glp_add_cols(p.problem, columns);
  for (int c = 1; c <= columns; c++) {
    glp_set_col_bnds(p.problem, c, GLP_LO, 0, 0);
  }
  glp_set_obj_coef(p.problem, 1, 1);
  write_tasks(&p);
  for (size_t t = 0; t < instance->tensor_count; t++) {
    write_tensor(&p, t);
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    write_device(&p, partition, j);
  }
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  ck_assert_int_eq(glp_simplex(p.problem, &parameters), 0);
  ck_assert_int_eq(glp_get_status(p.problem), GLP_OPT);
  const double optimum = glp_get_obj_val(p.problem);
  glp_delete_prob(p.problem);
  return optimum;
}
