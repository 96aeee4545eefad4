/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme.h: the mixed integer linear programme of a partition (docs/partition.md), as plain
 * numbers: bounded columns and rows and a list of coefficients. It knows no solver; the solver, the
 * relaxation and the MPS writer all take it from here.
 *
 * Units: x and rho are per `time_unit` seconds, memory is in parts of M_j, what a link carries in
 * parts of beta_j, and c counts tensors (c_ij / o_i), so that solvers see numbers near one.
 */
#ifndef DSM_PARTITION_PROGRAMME_H
#define DSM_PARTITION_PROGRAMME_H

#include "base/arena.h"
#include "dsm/partition.h"

/** No such column. */
#define DSM__NO_COLUMN ((size_t)-1)

typedef enum dsm__column_kind {
  DSM__COLUMN_RHO = 0,
  DSM__COLUMN_RATE,     /**< x_ij */
  DSM__COLUMN_STORED,   /**< s_ij */
  DSM__COLUMN_SENT,     /**< c_tj */
  DSM__COLUMN_RECEIVED, /**< r_tj */
  DSM__COLUMN_MOVED,    /**< f_tjk */
  DSM__COLUMN_BEGIN,    /**< b_ij: the stage of device j begins with task i */
  DSM__COLUMN_CUT,      /**< v_tj: tensor t is sent to device j */
  DSM__COLUMN_ON,       /**< o_j: device j is turned on */
  DSM__COLUMN_GROUP,    /**< h_sij: in groups larger than the batch of device j */
  DSM__COLUMN_WAITING,  /**< w: what requests of a second wait for batches, with a limit of latency
                         */
  DSM__COLUMN_KIND_COUNT
} dsm__column_kind;

typedef enum dsm__row_kind {
  DSM__ROW_TIME = 0, /**< (1) of device */
  DSM__ROW_STORED,   /**< (2) of task and device */
  DSM__ROW_MEMORY,   /**< (3) of device */
  DSM__ROW_EXCESS,   /**< (4) of tensor, consumer and device */
  DSM__ROW_LINK,     /**< (6) of device */
  DSM__ROW_RATE,     /**< (7) of task */
  DSM__ROW_RECEIPT,  /**< of tensor, consumer and device */
  DSM__ROW_DELIVERY, /**< of tensor: what is received was sent */
  DSM__ROW_COPIES,   /**< of tensor and device: at most m - 1 copies */
  DSM__ROW_SENT,     /**< of tensor and device: what it sends goes to others */
  DSM__ROW_BALANCE,  /**< of tensor with one consumer, and device: what comes, goes or is used */
  DSM__ROW_OWN,      /**< of tensor with one consumer, and device: it sends what it makes */
  DSM__ROW_ARRIVAL,  /**< of tensor with several consumers, and device: what it receives comes */
  DSM__ROW_ONCE,     /**< of such a tensor and two devices: one copy to each */
  DSM__ROW_CARRIER,  /**< of a carrier other than a link out of a device */
  DSM__ROW_HELD,     /**< (8) of task: at most so many copies */
  DSM__ROW_BEGIN,    /**< (9) of task and device: where a run of tasks begins */
  DSM__ROW_STAGE,    /**< (9) of device: one run of tasks */
  DSM__ROW_CUT,      /**< (10) of tensor, consumer and device: where a tensor is sent */
  DSM__ROW_TOGETHER, /**< (11) of task and device: as often as the one before it in its group */
  DSM__ROW_CUTS,     /**< (10): at most so many tensors are sent */
  DSM__ROW_LATENCY,  /**< (13): what requests take */
  DSM__ROW_WAITING,  /**< (13a) of task: what requests wait for its batches */
  DSM__ROW_GROUP,    /**< (13b) of tensor, consumer and (device) size: groups do not shrink */
  DSM__ROW_GROUPED,  /**< (13b) of task, device and size: no more than run there */
  DSM__ROW_ON,       /**< (14) of task and device: it is on where the task runs */
  DSM__ROW_PLACED,   /**< of task: stored somewhere (tight) */
  DSM__ROW_ORDER,    /**< of device: equal devices in order (tight) */
  DSM__ROW_GOAL,     /**< the objective (tight, minimised), for a cutoff */
  DSM__ROW_KIND_COUNT
} dsm__row_kind;

/** `major` is a task, or a tensor (tensor_count + i: results of task i). */
typedef struct dsm__column {
  dsm__column_kind kind;
  size_t major;
  size_t device;
  size_t target; /**< of MOVED: device; of GROUP: number of the size, from 0 for the least */
  double lower;
  double upper; /**< or infinite */
  double cost;
  bool is_integer;
} dsm__column;

typedef struct dsm__row {
  dsm__row_kind kind;
  size_t major;
  size_t device;
  size_t consumer; /**< number of the consumer in the tensor; of ONCE the device that receives; of
                        GROUPED number of the size */
  double lower;    /**< or infinite */
  double upper;
} dsm__row;

typedef struct dsm__entry {
  size_t row;
  size_t column;
  double value;
} dsm__entry;

typedef struct dsm__programme {
  const dsm_instance *instance;
  bool is_maximised;
  double time_unit; /**< seconds; x and rho are per time_unit */
  double goal_unit; /**< value of the objective = goal_offset + goal_unit * sum cost * column */
  double goal_offset;
  dsm__column *columns;
  size_t column_count;
  dsm__row *rows;
  size_t row_count;
  dsm__entry *entries; /**< by row */
  size_t entry_count;
  size_t rho;       /**< DSM__NO_COLUMN: rho is given */
  size_t *rate;     /**< [i * m + j] */
  size_t *stored;   /**< [i * m + j]; DSM__NO_COLUMN: cannot be, or (tight) free to be */
  size_t *on;       /**< [j]; DSM__NO_COLUMN: it is on in any case */
  size_t *groups;   /**< [(i * m + j) * sizes + s]; NULL: nobody asks, or they are not known */
  size_t waiting;   /**< DSM__NO_COLUMN: nobody asks, or it is the same for all requests */
  size_t *sent;     /**< [t * m + j], results after the tensors */
  size_t *received; /**< [t * m + j] */
  size_t *moved;    /**< [(t * m + j) * m + k] of tensors; NULL where who receives matters not */
  size_t goal_row;  /**< or DSM__NO_COLUMN */
} dsm__programme;

/** How the programme is written. */
typedef struct dsm__programme_form {
  bool is_tight;    /**< bounds and rows that keep an optimum; else the paper's rows alone */
  double rho_limit; /**< throughput: a proven upper bound of rho; plain: 0, or for (13a) alone */
  double rho_floor; /**< tight throughput: answers below it are of no interest; 0: all are */
  double time_unit;
  bool is_relaxed; /**< batches are the least of several */
} dsm__programme_form;

/** False: out of memory. */
bool dsm__programme_build(dsm__programme *programme, dsm__arena *arena,
                          const dsm_instance *instance, const dsm_partition_options *options,
                          dsm__programme_form form);

#endif
