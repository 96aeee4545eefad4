/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dsm_mpi.c: `dsm-mpi sweep`, which is `dsm sweep` on the ranks of an MPI job.
 *
 * Rank 0 runs the command: it reads the inputs, owns the database, and gives points to all ranks,
 * itself included. The others make the same sweep from its resolved specification, evaluate what
 * they are given, and send back packed results. Each rank holds twice as many points as it has
 * threads, so that none waits for the next one. Nobody waits actively: a rank that has nothing to
 * do sleeps for a moment, so ranks may share cores.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/diag_add.h"
#include "cli/run/program.h"
#include "sweep/point_record.h"
#include "sweep/team.h"

#define ROOT 0
#define FINDINGS_MAX 10
#define VERSION_SIZE 32
#define ANNOUNCE_REST_NANOSECONDS 2000000L

/* What messages between rank 0 and another are. */
enum {
  TAG_POINT = 1, /* to a rank: evaluate this one */
  TAG_END,       /* to a rank: there are no more */
  TAG_RESULT,    /* to rank 0: a packed result */
  TAG_FAILED     /* to rank 0: a failure; this rank evaluates nothing more */
};

/* What rank 0 tells all ranks once: about the sweep, or that there is none. */
typedef struct announcement {
  char version[VERSION_SIZE]; /* of the library: all ranks must be the same program */
  dsm_digest digest;
  uint64_t text_length; /* of the resolved specification; 0: no sweep */
  uint64_t thread_count;
} announcement;

/* Why a rank cannot go on. */
typedef struct failure {
  dsm_status status;
  char message[512];
} failure;

/* ---- what all ranks do ---- */

/* Waits for a request without using the processor meanwhile. */
static void wait_for(MPI_Request *request) {
  int is_done = 0;
  for (;;) {
    (void)MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
    if (is_done) {
      return;
    }
    (void)nanosleep(&(struct timespec){.tv_nsec = ANNOUNCE_REST_NANOSECONDS}, NULL);
  }
}

/* MPI_Bcast from rank 0, without active waiting. */
static void broadcast(void *bytes, size_t length) {
  MPI_Request request;
  (void)MPI_Ibcast(bytes, (int)length, MPI_BYTE, ROOT, MPI_COMM_WORLD, &request);
  wait_for(&request);
}

static bool probe(int source, MPI_Status *status) {
  int is_there = 0;
  (void)MPI_Iprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, status);
  return is_there != 0;
}

static int rank_of_this(void) {
  int rank = 0;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int count_ranks(void) {
  int count = 1;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

/* ---- a rank that works for rank 0 ---- */

typedef struct worker {
  bool is_ended; /* rank 0 has no more points */
  bool has_failed;
  size_t held;      /* points given to the team and not sent back yet */
  size_t held_most; /* as many as the team has places for */
  bool is_sending;
  MPI_Request request;
  dsm__team_result sent; /* what is being sent */
} worker;

static void send_failure(dsm_status status, const dsm_diags *diags) {
  failure why = {.status = status};
  if (dsm_diags_count(diags) > 0) {
    (void)snprintf(why.message, sizeof why.message, "%s", dsm_diags_get(diags, 0)->message);
  }
  (void)MPI_Send(&why, (int)sizeof why, MPI_BYTE, ROOT, TAG_FAILED, MPI_COMM_WORLD);
}

/* Takes a message of rank 0; false if there is none. Rank 0 may give a point as soon as it has a
 * result, that is before this rank knows that the result has arrived and its place is free: then
 * the message waits. Points for a team that does not exist, or that has failed, are dropped: rank 0
 * knows. */
static bool receive_point(worker *self, dsm__team *team) {
  MPI_Status status;
  uint64_t point = 0;
  const bool is_working = team != NULL && !self->has_failed;
  if ((is_working && self->held == self->held_most) || !probe(ROOT, &status)) {
    return false;
  }
  (void)MPI_Recv(&point, (int)sizeof point, MPI_BYTE, ROOT, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  if (status.MPI_TAG == TAG_END) {
    self->is_ended = true;
  } else if (is_working && dsm__team_give(team, (size_t)point)) {
    self->held++;
  }
  return true;
}

/* Sends a result that is there, one at a time; false if there was nothing to do. */
static bool send_result(worker *self, dsm__team *team) {
  if (self->is_sending) {
    int is_done = 0;
    (void)MPI_Test(&self->request, &is_done, MPI_STATUS_IGNORE);
    if (!is_done) {
      return false;
    }
    dsm__team_release(team, &self->sent);
    self->is_sending = false;
    self->held--;
    return true;
  }
  if (!dsm__team_take(team, &self->sent)) {
    return false;
  }
  if (self->sent.status == DSM_OK && !self->has_failed) {
    (void)MPI_Isend(self->sent.bytes->text, (int)self->sent.bytes->length, MPI_BYTE, ROOT,
                    TAG_RESULT, MPI_COMM_WORLD, &self->request);
    self->is_sending = true;
    return true;
  }
  if (!self->has_failed) {
    self->has_failed = true;
    send_failure(self->sent.status, NULL);
  }
  dsm__team_release(team, &self->sent);
  self->held--;
  return true;
}

static void lead_worker(void *context, dsm__team *team) {
  worker *const self = context;
  while (!self->is_ended || self->held > 0) {
    const bool has_received = receive_point(self, team);
    const bool has_sent = send_result(self, team);
    dsm__team_rest(team, has_received || has_sent);
  }
}

static void wait_for_end(worker *self) {
  while (!self->is_ended) {
    if (!receive_point(self, NULL)) {
      (void)nanosleep(&(struct timespec){.tv_nsec = ANNOUNCE_REST_NANOSECONDS}, NULL);
    }
  }
}

/* Makes the sweep that rank 0 has announced. */
static dsm_status make_sweep(dsm_sweep **sweep, const announcement *told, const char *text,
                             dsm_diags *diags) {
  const dsm_status status = text == NULL
                                ? dsm__out_of_memory(diags)
                                : dsm_sweep_make(sweep, text, (size_t)told->text_length,
                                                 "the sweep of rank 0", NULL, NULL, NULL, diags);
  if (status == DSM_OK && (strcmp(told->version, dsm_version()) != 0 ||
                           memcmp(told->digest, (*sweep)->digest, sizeof told->digest) != 0)) {
    return dsm__refuse(diags, DSM_ERROR_IO, "its dsm-mpi is another one than that of rank 0");
  }
  return status;
}

/* All that a rank other than 0 does. */
static void serve(void) {
  announcement told;
  broadcast(&told, sizeof told);
  if (told.text_length == 0) {
    return;
  }
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  char *const text = malloc((size_t)told.text_length + 1);
  if (text == NULL) {
    MPI_Abort(MPI_COMM_WORLD, CLI_EXIT_OUTSIDE); /* a broadcast must be received whole */
    return;
  }
  broadcast(text, (size_t)told.text_length);
  text[told.text_length] = '\0';
  dsm_sweep *sweep = NULL;
  worker self = {.held_most = dsm__team_size((size_t)told.thread_count)};
  dsm_status status = make_sweep(&sweep, &told, text, diags);
  free(text);
  if (status == DSM_OK) {
    status = dsm__team_run(sweep, (size_t)told.thread_count, lead_worker, &self, diags);
  }
  if (status != DSM_OK) {
    send_failure(status, diags);
    wait_for_end(&self);
  }
  dsm_sweep_free(sweep);
  dsm_diags_free(diags);
}

/* ---- rank 0 ---- */

typedef struct peer {
  size_t held; /* points given and not returned yet */
  bool has_failed;
} peer;

typedef struct root {
  dsm_store *store;
  const dsm_sweep *sweep;
  const dsm_sweep_run_options *options;
  dsm_sweep_progress *progress;
  dsm_diags *diags;
  const bool *is_done; /* recorded earlier */
  size_t next;         /* no point before this one is left to give */
  peer *peers;         /* one for each rank; this one's own team is number 0 */
  size_t peer_count;
  size_t held_most;  /* by each */
  dsm_status status; /* the first failure */
} root;

static void report(const root *self, const dsm_point_result *latest) {
  self->progress->latest = latest;
  if (self->options->report != NULL) {
    self->options->report(self->options->context, self->progress);
  }
}

/* Records what a rank has found. After a failure it is dropped: the next run finds it again. */
static void record(root *self, const void *bytes, size_t length) {
  if (self->status != DSM_OK) {
    return;
  }
  dsm__arena *const arena = dsm__arena_new();
  dsm_point_result result;
  dsm_status status =
      arena == NULL ? DSM_ERROR_OUT_OF_MEMORY : dsm__result_unpack(&result, bytes, length, arena);
  if (status == DSM_OK) {
    status = dsm_store_put(self->store, &result, self->diags);
  } else {
    (void)dsm__out_of_memory(self->diags);
  }
  if (status == DSM_OK) {
    self->progress->done++;
    self->progress->infeasible += result.status == DSM_POINT_INFEASIBLE ? 1 : 0;
    self->progress->invalid += result.status == DSM_POINT_INVALID ? 1 : 0;
    report(self, &result);
  }
  self->status = status;
  dsm__arena_free(arena);
}

static void note_failure(root *self, int rank, const failure *why) {
  self->peers[rank] = (peer){.has_failed = true};
  if (self->status == DSM_OK) {
    self->status = why->status;
    dsm__diags_add(self->diags, DSM_SEVERITY_ERROR, (dsm__place){0}, NULL, "rank %d: %s", rank,
                   why->message[0] == '\0' ? dsm_status_name(why->status) : why->message);
  }
}

/* Takes a message of another rank; false if there is none. */
static bool receive_result(root *self) {
  MPI_Status status;
  int length = 0;
  if (!probe(MPI_ANY_SOURCE, &status)) {
    return false;
  }
  (void)MPI_Get_count(&status, MPI_BYTE, &length);
  char *const bytes = malloc((size_t)length + 1);
  if (bytes == NULL) {
    (void)dsm__out_of_memory(self->diags);
    MPI_Abort(MPI_COMM_WORLD, CLI_EXIT_OUTSIDE);
    return false;
  }
  (void)MPI_Recv(bytes, length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  if (status.MPI_TAG == TAG_RESULT) {
    self->peers[status.MPI_SOURCE].held--;
    record(self, bytes, (size_t)length);
  } else {
    failure why;
    memcpy(&why, bytes, sizeof why);
    note_failure(self, status.MPI_SOURCE, &why);
  }
  free(bytes);
  return true;
}

/* Takes a result of this rank's own team. */
static bool take_result(root *self, dsm__team *team) {
  dsm__team_result result;
  if (!dsm__team_take(team, &result)) {
    return false;
  }
  self->peers[ROOT].held--;
  if (result.status == DSM_OK) {
    record(self, result.bytes->text, result.bytes->length);
  } else {
    note_failure(self, ROOT, &(failure){.status = result.status});
  }
  dsm__team_release(team, &result);
  return true;
}

static bool is_stopped(const root *self) {
  const dsm_sweep_run_options *const options = self->options;
  return self->status != DSM_OK ||
         (options->is_stopped != NULL && options->is_stopped(options->context));
}

/* Is there a point to give? Then it is self->next. */
static bool find_next(root *self) {
  const dsm_shard shard = self->options->shard;
  while (self->next < self->sweep->point_count &&
         (self->next % shard.count != shard.index || self->is_done[self->next])) {
    self->next++;
  }
  return self->next < self->sweep->point_count;
}

/* The rank that holds the fewest points, if it may hold one more; else peer_count. */
static size_t find_least(const root *self) {
  size_t least = self->peer_count;
  for (size_t rank = 0; rank < self->peer_count; rank++) {
    const peer *const of = &self->peers[rank];
    if (!of->has_failed && of->held < self->held_most &&
        (least == self->peer_count || of->held < self->peers[least].held)) {
      least = rank;
    }
  }
  return least;
}

/* Gives points to the ranks that hold the fewest; false if none was given. */
static bool give_points(root *self, dsm__team *team) {
  bool has_given = false;
  for (size_t rank = find_least(self);
       rank < self->peer_count && !is_stopped(self) && find_next(self); rank = find_least(self)) {
    const uint64_t point = self->next;
    if (rank == ROOT) {
      if (!dsm__team_give(team, (size_t)point)) {
        return has_given; /* a result still lies in its place */
      }
    } else {
      (void)MPI_Send(&point, (int)sizeof point, MPI_BYTE, (int)rank, TAG_POINT, MPI_COMM_WORLD);
    }
    self->peers[rank].held++;
    self->next++;
    has_given = true;
  }
  return has_given;
}

static size_t count_held(const root *self) {
  size_t held = 0;
  for (size_t rank = 0; rank < self->peer_count; rank++) {
    held += self->peers[rank].held;
  }
  return held;
}

static void lead_all(void *context, dsm__team *team) {
  root *const self = context;
  report(self, NULL);
  bool is_going = true;
  while (is_going) {
    const bool has_received = receive_result(self);
    const bool has_taken = take_result(self, team);
    const bool has_given = give_points(self, team);
    is_going = has_given || count_held(self) > 0;
    if (is_going) {
      dsm__team_rest(team, has_received || has_taken || has_given);
    }
  }
  report(self, NULL);
}

/* `text` is a copy of the sweep's resolved specification: MPI wants memory that it could write to.
 * Both NULL: there is no sweep. */
static void announce(const dsm_sweep *sweep, char *text, size_t thread_count) {
  announcement told = {.text_length = 0};
  if (sweep != NULL && text != NULL) {
    told.text_length = strlen(text);
    told.thread_count = thread_count;
    (void)snprintf(told.version, sizeof told.version, "%s", dsm_version());
    memcpy(told.digest, sweep->digest, sizeof told.digest);
  }
  broadcast(&told, sizeof told);
  if (told.text_length > 0) {
    broadcast(text, (size_t)told.text_length);
  }
}

static void end_others(void) {
  const uint64_t nothing = 0;
  for (int rank = 1; rank < count_ranks(); rank++) {
    (void)MPI_Send(&nothing, (int)sizeof nothing, MPI_BYTE, rank, TAG_END, MPI_COMM_WORLD);
  }
}

/* How many points of the shard there are, and how many are recorded. */
static void count_points(root *self) {
  const dsm_shard shard = self->options->shard;
  *self->progress = (dsm_sweep_progress){0};
  for (size_t p = shard.index; p < self->sweep->point_count; p += shard.count) {
    self->progress->total++;
    self->progress->earlier += self->is_done[p] ? 1 : 0;
  }
  self->progress->done = self->progress->earlier;
}

/* Has rank 0 told the others what to do? */
static bool has_announced = false;

/* A cli_sweep_runner. */
static dsm_status run_on_ranks(dsm_store *store, const dsm_sweep *sweep,
                               const dsm_sweep_run_options *options, dsm_sweep_progress *progress,
                               dsm_diags *diags) {
  *progress = (dsm_sweep_progress){0};
  const size_t rank_count = (size_t)count_ranks();
  bool *const is_done = calloc(sweep->point_count, sizeof *is_done);
  peer *const peers = calloc(rank_count, sizeof *peers);
  char *const text = strdup(sweep->resolved);
  dsm_status status = DSM_ERROR_OUT_OF_MEMORY;
  if (is_done == NULL || peers == NULL || text == NULL) {
    (void)dsm__out_of_memory(diags);
    goto out;
  }
  status = dsm_store_done(store, is_done, diags);
  if (status == DSM_OK) {
    root self = {.store = store,
                 .sweep = sweep,
                 .options = options,
                 .progress = progress,
                 .diags = diags,
                 .is_done = is_done,
                 .peers = peers,
                 .peer_count = rank_count,
                 .held_most = dsm__team_size(options->thread_count)};
    count_points(&self);
    announce(sweep, text, options->thread_count);
    has_announced = true;
    status = dsm__team_run(sweep, options->thread_count, lead_all, &self, diags);
    status = status == DSM_OK ? self.status : status;
    end_others();
  }
out:
  free(text);
  free(peers);
  free(is_done);
  return status;
}

static int run_root(int argc, char *argv[]) {
  const cli_program_kind kind = {
      .name = "dsm-mpi", .is_for_sweeps = true, .run_sweep = run_on_ranks};
  const int outcome = cli_main(&kind, argc, argv);
  if (!has_announced) {
    announce(NULL, NULL, 0);
  }
  return outcome;
}

int main(int argc, char *argv[]) {
  int provided = 0;
  int outcome = CLI_EXIT_DONE;
  /* before MPI opens anything */
  if (!cli_occupy_standard_descriptors() ||
      MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    return CLI_EXIT_OUTSIDE;
  }
  if (rank_of_this() == ROOT) {
    outcome = run_root(argc, argv);
  } else {
    /* mpirun signals all ranks; it is rank 0 that ends the run. */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGUSR1, SIG_IGN);
    serve();
  }
  (void)MPI_Finalize();
  return cli_end(outcome);
}
