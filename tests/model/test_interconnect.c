/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of interconnect: what the busiest link between the cores of a chip carries. */
#include "fixture.h"
#include "model/chip_link.h"
#include "model/equations.h"
#include "suites.h"

static dsm_system chips;
static dsm_machine machine;

static void join(dsm_interconnect kind, uint64_t cores) {
  chips = friendly_system(1, 1);
  chips.chip.interconnect = kind;
  chips.chip.cores = cores;
  machine = dsm_machine_derive(&chips);
}

/* ---- counted link by link ---- */

enum { SIDE_MAX = 12 };

/* A mesh of rows x columns: what passes each link to the right and down, either way. */
typedef struct mesh_count {
  int rows;
  int columns;
  double right[SIDE_MAX][SIDE_MAX];
  double down[SIDE_MAX][SIDE_MAX];
} mesh_count;

/* Along the row, then along the column. */
static void send(mesh_count *mesh, int from, int to, double bytes) {
  const int row = from / mesh->columns;
  const int column = to % mesh->columns;
  for (int x = from % mesh->columns; x != column; x += x < column ? 1 : -1) {
    mesh->right[row][x < column ? x : x - 1] += bytes;
  }
  for (int y = row; y != to / mesh->columns; y += y < to / mesh->columns ? 1 : -1) {
    mesh->down[y < to / mesh->columns ? y : y - 1][column] += bytes;
  }
}

/* Each core sends as much to each core; what the busiest link carries. */
static double busiest_of_mesh(int rows, int columns, double bytes_of_core) {
  mesh_count mesh = {.rows = rows, .columns = columns};
  const int cores = rows * columns;
  double busiest = 0;
  for (int from = 0; from < cores; from++) {
    for (int to = 0; to < cores; to++) {
      send(&mesh, from, to, bytes_of_core / cores);
    }
  }
  for (int y = 0; y < rows; y++) {
    for (int x = 0; x < columns; x++) {
      busiest = fmax(busiest, fmax(mesh.right[y][x], mesh.down[y][x]));
    }
  }
  return busiest;
}

static const struct {
  int rows;
  int columns;
} meshes[] = {{1, 1},  {1, 2}, {1, 3}, {2, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 3}, {2, 5},
              {1, 11}, {3, 4}, {4, 4}, {3, 6}, {4, 5}, {5, 5}, {4, 8}, {6, 7}};

START_TEST(test_mesh_carries_what_is_counted_link_by_link) {
  const int cores = meshes[_i].rows * meshes[_i].columns;
  join(DSM_INTERCONNECT_MESH, (uint64_t)cores);
  const double busiest = busiest_of_mesh(meshes[_i].rows, meshes[_i].columns, 840);
  ASSERT_CLOSE(dsm__exchanged_bytes(&machine, 840), busiest);
  ASSERT_CLOSE(dsm__layout_move_bytes(&machine, 840 * cores), busiest);
  ck_assert_double_eq(dsm__spread_bytes(&machine, 840 * cores), 840);
}
END_TEST

/* Of what a core has for cores anywhere, its own part stays; as much comes as goes. */
START_TEST(test_crossbar_carries_what_a_core_sends_and_receives) {
  const int cores = _i;
  double passing = 0;
  for (int other = 1; other < cores; other++) {
    passing += 2 * 840.0 / cores;
  }
  join(DSM_INTERCONNECT_CROSSBAR, (uint64_t)cores);
  ASSERT_CLOSE(dsm__layout_move_bytes(&machine, 840.0 * cores), passing);
  ck_assert_double_eq(dsm__exchanged_bytes(&machine, 840), 1680);
  ASSERT_CLOSE(dsm__spread_bytes(&machine, 840.0 * cores), 840);
}
END_TEST

START_TEST(test_kinds_by_hand) {
  join(DSM_INTERCONNECT_RING, 32);
  ck_assert_int_eq(machine.core_links.link, DSM_LINK_RING);
  ck_assert_double_eq(dsm__exchanged_bytes(&machine, 64), 64);
  ck_assert_double_eq(dsm__spread_bytes(&machine, 64), 64);
  ck_assert_double_eq(dsm__layout_move_bytes(&machine, 64), 16);
  join(DSM_INTERCONNECT_CROSSBAR, 32);
  ck_assert_int_eq(machine.core_links.link, DSM_LINK_CORES);
  ck_assert_double_eq(dsm__exchanged_bytes(&machine, 64), 128);
  ck_assert_double_eq(dsm__spread_bytes(&machine, 64), 2);
  ck_assert_double_eq(dsm__layout_move_bytes(&machine, 64), 2 * 2 * 31.0 / 32);
  join(DSM_INTERCONNECT_MESH, 32); /* 4 x 8 */
  ck_assert_double_eq(dsm__exchanged_bytes(&machine, 64), 256);
  ck_assert_double_eq(dsm__spread_bytes(&machine, 64), 2);
  ck_assert_double_eq(dsm__layout_move_bytes(&machine, 64), 8);
  join(DSM_INTERCONNECT_NONE, 1);
  ck_assert_double_eq(dsm__exchanged_bytes(&machine, 64), 0);
  ck_assert_double_eq(dsm__spread_bytes(&machine, 64), 0);
  ck_assert_double_eq(dsm__layout_move_bytes(&machine, 64), 0);
  ck_assert(isinf(dsm__tile_operand_bytes_per_cycle(&machine)));
}
END_TEST

/* A link of 64 GB/s at 2 GHz carries 32 bytes a cycle, of a ring for all four cores. */
START_TEST(test_tiles_get_their_operands_over_the_links) {
  join(DSM_INTERCONNECT_RING, 4);
  ck_assert_double_eq(dsm__tile_operand_bytes_per_cycle(&machine), 8);
  join(DSM_INTERCONNECT_CROSSBAR, 4);
  ck_assert_double_eq(dsm__tile_operand_bytes_per_cycle(&machine), 32);
  join(DSM_INTERCONNECT_MESH, 4);
  ck_assert_double_eq(dsm__tile_operand_bytes_per_cycle(&machine), 32);
}
END_TEST

/* ---- streams ---- */

static dsm_pass_work work_of(const dsm_layer *layer, dsm_pass pass, uint64_t samples) {
  const dsm_residency residency = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                              DSM_PARALLELISM_DATA, samples, &residency);
}

static double on_link(const dsm_pass_work *work, const dsm_loops *split, dsm_transfer transfer) {
  const dsm_transfer_list list = dsm_invocation_transfers(work, split);
  for (unsigned i = 0; i < list.count; i++) {
    if (list.items[i].transfer == transfer) {
      return list.items[i].traffic.bytes[machine.core_links.link];
    }
  }
  return 0;
}

/* 8 -> 16 features, 2 bytes each, 4 samples: inputs of 64 bytes, outputs of 128, a kernel of 256.
 * Two cores share the outputs and two the samples: a core needs 2 samples' inputs, half of the
 * kernel, and writes a quarter of the outputs; 32 + 128 + 32. */
START_TEST(test_a_core_gets_what_it_needs) {
  static const dsm_interconnect kinds[] = {DSM_INTERCONNECT_CROSSBAR, DSM_INTERCONNECT_MESH};
  const dsm_layer fc = fc_layer(8, 16);
  const dsm_loops split = loops(1, 2, 1, 1, 2);
  for (int k = 0; k < COUNT_OF(kinds); k++) {
    join(kinds[k], 4);
    const dsm_pass_work forward = work_of(&fc, DSM_PASS_FORWARD, 4);
    ck_assert_double_eq(on_link(&forward, &split, DSM_TRANSFER_FETCH_INPUT), 32);
    ck_assert_double_eq(on_link(&forward, &split, DSM_TRANSFER_FETCH_KERNEL), 128);
    ck_assert_double_eq(on_link(&forward, &split, DSM_TRANSFER_WRITE_OUTPUT), 32);
    machine.link_bytes_per_cycle[DSM_LINK_MEMORY] = HUGE_VAL;
    ck_assert_double_eq(dsm_invocation_score(&forward, &split).overlapped, 192.0 / 32);
  }
  /* Errors of half of the outputs and samples, 32; the kernel; a quarter of the inputs' errors,
   * 16, and of the masks. */
  const dsm_pass_work backward = work_of(&fc, DSM_PASS_BACKWARD, 4);
  ck_assert_double_eq(on_link(&backward, &split, DSM_TRANSFER_FETCH_ERROR), 32);
  ck_assert_double_eq(on_link(&backward, &split, DSM_TRANSFER_FETCH_KERNEL), 128);
  ck_assert_double_eq(on_link(&backward, &split, DSM_TRANSFER_WRITE_ERROR), 16);
  /* Inputs and errors of 2 samples, and a quarter of the gradients. */
  const dsm_pass_work update = work_of(&fc, DSM_PASS_UPDATE, 4);
  ck_assert_double_eq(on_link(&update, &split, DSM_TRANSFER_FETCH_INPUT), 32);
  ck_assert_double_eq(on_link(&update, &split, DSM_TRANSFER_FETCH_ERROR), 32);
  ck_assert_double_eq(on_link(&update, &split, DSM_TRANSFER_WRITE_GRADIENT), 64);
  /* Two cores share gradients of 128 bytes, at 6 / 2: each sends half and gets as much; in a mesh
   * of 2 x 2 half of what is sent crosses two links. */
  ck_assert_double_eq(on_link(&update, &split, DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE), 128 * 3 / 2.0);
  join(DSM_INTERCONNECT_CROSSBAR, 4);
  ck_assert_double_eq(on_link(&update, &split, DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE), 128 * 3);
}
END_TEST

/* One core needs all that streams, and with none nothing passes a link. */
START_TEST(test_one_core_streams_all_or_over_no_link) {
  static const dsm_interconnect kinds[] = {DSM_INTERCONNECT_RING, DSM_INTERCONNECT_CROSSBAR,
                                           DSM_INTERCONNECT_MESH};
  const dsm_layer fc = fc_layer(8, 16);
  const dsm_loops split = loops(1, 1, 1, 1, 1);
  for (int k = 0; k < COUNT_OF(kinds); k++) {
    join(kinds[k], 1);
    const dsm_pass_work work = work_of(&fc, (dsm_pass)_i, 4);
    const dsm__core_bytes bytes = dsm__core_bytes_derive(&fc, fc.groups, &work.bytes, &split);
    const dsm__stream_shares shares = dsm__stream_shares_derive(&work, &bytes);
    const dsm__refetch refetch = dsm__refetch_derive(&work, &bytes, &(dsm__core_extents){.in = 1});
    ck_assert_double_eq(dsm__streamed_bytes(&work, refetch, &shares),
                        dsm__memory_bytes(&work, refetch));
  }
  join(DSM_INTERCONNECT_NONE, 1);
  machine.link_bytes_per_cycle[DSM_LINK_MEMORY] = HUGE_VAL;
  const dsm_pass_work work = work_of(&fc, (dsm_pass)_i, 4);
  ck_assert_double_eq(dsm_invocation_score(&work, &split).overlapped, 0);
}
END_TEST

/* 1024 bytes to be summed over a row of 4 chips, of which 3/4 arrive, twice on the ring. */
START_TEST(test_cores_share_what_other_chips_send) {
  join(DSM_INTERCONNECT_RING, 4);
  chips.system.axes[0].chips = 4;
  machine = dsm_machine_derive(&chips);
  const dsm_traffic traffic = dsm__reduce_scatter_traffic(&machine, 1, 1024);
  ck_assert_double_eq(dsm__crossing_bytes(&machine, &traffic), 2 * 768);
  chips.chip.interconnect = DSM_INTERCONNECT_CROSSBAR;
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(dsm__crossing_bytes(&machine, &traffic), 2 * 768 / 4.0);
}
END_TEST

Suite *suite_interconnect(void) {
  Suite *const suite = suite_create("interconnect");
  TCase *const links = tcase_create("links");
  tcase_add_loop_test(links, test_mesh_carries_what_is_counted_link_by_link, 0, COUNT_OF(meshes));
  tcase_add_loop_test(links, test_crossbar_carries_what_a_core_sends_and_receives, 1, 12);
  tcase_add_test(links, test_kinds_by_hand);
  tcase_add_test(links, test_tiles_get_their_operands_over_the_links);
  tcase_add_test(links, test_cores_share_what_other_chips_send);
  suite_add_tcase(suite, links);
  TCase *const streams = tcase_create("streams");
  tcase_add_test(streams, test_a_core_gets_what_it_needs);
  tcase_add_loop_test(streams, test_one_core_streams_all_or_over_no_link, 0, DSM_PASS_COUNT);
  suite_add_tcase(suite, streams);
  return suite;
}
