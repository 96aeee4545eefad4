/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block.c: what runs of a block come to, without any search. */
#include "chain/block.h"

#include "base/order.h"

double dsm__remat_tensor_bytes(const dsm__remat_block *block, dsm__tensors set) {
  double bytes = 0;
  for (size_t i = 0; i < block->count; i++) {
    bytes += (set & dsm__tensor(i)) != 0 ? block->operations[i].bytes : 0;
  }
  return bytes;
}

dsm__tensors dsm__remat_needed(const dsm__remat_block *block) {
  dsm__tensors needed = dsm__tensor(block->count - 1);
  for (size_t i = 0; i < block->count; i++) {
    needed |= block->operations[i].needs;
  }
  return needed;
}

/* ---- errors ---- */

/* Is a tensor read by an operation from `from` on? */
static bool is_read_from(const dsm__remat_block *block, size_t tensor, size_t from) {
  for (size_t i = from; i < block->count; i++) {
    if ((block->operations[i].inputs & dsm__tensor(tensor)) != 0) {
      return true;
    }
  }
  return false;
}

/* The errors of the outputs of operations up to `last`, and of the block's input, that operations
 * from `first` on have made. */
static double errors_made(const dsm__remat_block *block, size_t last, size_t first) {
  double bytes = 0;
  bool is_input_read = false;
  for (size_t i = first; i < block->count; i++) {
    is_input_read = is_input_read || block->operations[i].reads_input;
  }
  for (size_t i = 0; i <= last; i++) {
    const bool is_there = i + 1 == block->count || is_read_from(block, i, first);
    bytes += is_there ? block->operations[i].error_bytes : 0;
  }
  return bytes + (is_input_read ? block->input_error_bytes : 0);
}

double dsm__remat_errors_before(const dsm__remat_block *block, size_t operation) {
  return errors_made(block, operation, operation + 1);
}

double dsm__remat_errors_during(const dsm__remat_block *block, size_t operation) {
  return errors_made(block, operation, operation);
}

/* ---- forward ---- */

void dsm__remat_run_plainly(const dsm__remat_block *block, dsm__remat_way *way) {
  dsm__tensors there = 0;
  way->forward_seconds = 0;
  way->forward_peak = 0;
  for (size_t i = 0; i < block->count; i++) {
    there |= dsm__tensor(i);
    way->forward_seconds += block->operations[i].forward_seconds;
    way->forward_peak = dsm__larger(way->forward_peak, dsm__remat_tensor_bytes(block, there) +
                                                           block->operations[i].temporary_bytes);
    for (size_t j = 0; j <= i; j++) {
      if ((way->saved & dsm__tensor(j)) == 0 && !is_read_from(block, j, i + 1)) {
        there &= ~dsm__tensor(j);
      }
    }
  }
}

/* ---- backward ---- */

/* What the backward passes of operations 0 .. last need. */
static dsm__tensors needed_up_to(const dsm__remat_block *block, size_t last) {
  dsm__tensors needed = 0;
  for (size_t i = 0; i <= last; i++) {
    needed |= block->operations[i].needs;
  }
  return needed;
}

/* What must be computed so that some tensors are there. */
static dsm__tensors missing_for(const dsm__remat_block *block, dsm__tensors wanted,
                                dsm__tensors there) {
  dsm__tensors missing = wanted & ~there;
  for (size_t i = block->count; i-- > 0;) {
    if ((missing & dsm__tensor(i)) != 0) {
      missing |= block->operations[i].inputs & ~there;
    }
  }
  return missing;
}

/* Computes what is missing, in order; of that only what backward passes need stays. */
static dsm__tensors compute(const dsm__remat_block *block, dsm__tensors there, dsm__tensors wanted,
                            double errors, dsm__remat_way *way) {
  const dsm__tensors missing = missing_for(block, wanted, there);
  for (size_t i = 0; i < block->count; i++) {
    if ((missing & dsm__tensor(i)) == 0) {
      continue;
    }
    there |= dsm__tensor(i);
    way->backward_seconds += block->operations[i].forward_seconds;
    way->backward_peak =
        dsm__larger(way->backward_peak, dsm__remat_tensor_bytes(block, there) + errors +
                                            block->operations[i].temporary_bytes);
  }
  return there & (wanted | ~missing);
}

void dsm__remat_recompute_once(const dsm__remat_block *block, dsm__remat_way *way) {
  dsm__tensors there = way->saved;
  way->backward_seconds = 0;
  way->backward_peak = 0;
  for (size_t i = block->count; i-- > 0;) {
    const dsm__remat_operation *const operation = &block->operations[i];
    const dsm__tensors needed = needed_up_to(block, i);
    if ((operation->needs & ~there) != 0) {
      there = compute(block, there, needed, dsm__remat_errors_before(block, i), way);
    }
    way->backward_seconds += operation->backward_seconds;
    way->backward_peak = dsm__larger(way->backward_peak, dsm__remat_tensor_bytes(block, there) +
                                                             dsm__remat_errors_during(block, i) +
                                                             operation->temporary_bytes);
    /* Saved tensors that later ones are computed from stay too: all that is there below. */
    there &= dsm__tensor(i) - 1;
  }
}
