/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages_record.c: the tables of the format "dsm-stages/1". */
#include "chain/stages_record.h"

#include <math.h>

#include "dsm/limits.h"
#include "plan/plan_record.h"

/* Within these limits no sum of a chain overflows. */
#define SECONDS_MAX 1e9
#define BYTES_MAX 1e15
/* Nor do those of a stage's operations, which may run several times, overflow them. */
#define OPERATION_SECONDS_MAX 1e5
#define OPERATION_BYTES_MAX 1e12

enum {
  REQUIRED = DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED,
  MAY_BE = DSM__FIELD_IS_READ | DSM__FIELD_IS_OPTIONAL
};

#define NAME(type, about)                                                                          \
  DSM__FIELD(TEXT, type, name, "name", REQUIRED, .max = DSM_NAME_BYTES_MAX,                        \
             .expected = "its name", .help = (about))
#define AMOUNT(type, member, flags, most, of_unit, about, ...)                                     \
  DSM__FIELD(REAL, type, member, #member, flags, .max = (most), .unit = (of_unit),                 \
             .help = (about), __VA_ARGS__)
#define SECONDS(type, member, flags, about, ...)                                                   \
  AMOUNT(type, member, flags, SECONDS_MAX, "seconds", about, __VA_ARGS__)
#define BYTES(type, member, flags, about, ...)                                                     \
  AMOUNT(type, member, flags, BYTES_MAX, "bytes", about, __VA_ARGS__)
#define OPERATION_SECONDS(member, about, ...)                                                      \
  AMOUNT(dsm__stages_operation, member, REQUIRED, OPERATION_SECONDS_MAX, "seconds", about,         \
         __VA_ARGS__)
#define OPERATION_BYTES(member, flags, about, ...)                                                 \
  AMOUNT(dsm__stages_operation, member, flags, OPERATION_BYTES_MAX, "bytes", about, __VA_ARGS__)

DSM__RECORD(dsm__stage_option_record, dsm_remat_option, true,
            "A way to run a stage so that its backward pass can follow.",
            NAME(dsm_remat_option, "What people call it."),
            SECONDS(dsm_remat_option, forward_seconds, REQUIRED, "Of its forward pass.",
                    .expected = "the time of the forward pass"),
            SECONDS(dsm_remat_option, backward_seconds, REQUIRED,
                    "Of its backward pass, with what it recomputes and the update of parameters.",
                    .expected = "the time of the backward pass"),
            BYTES(dsm_remat_option, saved_bytes, REQUIRED,
                  "What is kept from its forward to its backward pass, including its output.",
                  .expected = "what is kept until the backward pass"),
            BYTES(dsm_remat_option, forward_temporary_bytes, MAY_BE,
                  "What the forward pass needs beside that.", .fallback = 0),
            BYTES(dsm_remat_option, backward_temporary_bytes, MAY_BE,
                  "What the backward pass needs beside that and the activation gradients of input "
                  "and output.",
                  .fallback = 0));

/* A list of records that is read. */
#define LIST(struct_type, member, member_count, of_key, of_flags, of_type, of_max, ...)            \
  DSM__FIELD(LIST, struct_type, member, of_key, of_flags,                                          \
             .count_offset = offsetof(struct_type, member_count), .type = &(of_type), .min = 1,    \
             .max = (of_max), __VA_ARGS__)

/* NOLINTBEGIN(bugprone-macro-parentheses): a member stands bare there. */
#define NAMES(member, of_key, about)                                                               \
  DSM__FIELD(TEXT_LIST, dsm__stages_operation, member.items, of_key, MAY_BE,                       \
             .count_offset = offsetof(dsm__stages_operation, member.count),                        \
             .max = DSM_NAME_BYTES_MAX, .help = (about))
/* NOLINTEND(bugprone-macro-parentheses) */

DSM__RECORD(
    dsm__stage_operation_record, dsm__stages_operation, true,
    "An operation of a stage: it makes one tensor. The last one makes the stage's output.",
    NAME(dsm__stages_operation, "Of the operation and of its tensor; not \"input\"."),
    OPERATION_SECONDS(forward_seconds, "Of its forward pass.",
                      .expected = "the time of the forward pass"),
    OPERATION_SECONDS(backward_seconds, "Of its backward pass.",
                      .expected = "the time of the backward pass"),
    OPERATION_BYTES(bytes, REQUIRED, "Of its tensor, with what belongs to it.",
                    .expected = "the size of its tensor"),
    OPERATION_BYTES(error_bytes, MAY_BE, "Of the gradient of its tensor; absent: as bytes.",
                    .fallback = (double)INFINITY),
    OPERATION_BYTES(temporary_bytes, MAY_BE, "What it needs while it runs, forward or backward.",
                    .fallback = 0),
    NAMES(inputs, "inputs",
          "The operations before it whose tensors it reads, or \"input\", that of the stage; "
          "absent: the one before it, or of the first the stage's input."),
    NAMES(needs, "backward_needs",
          "The tensors that its backward pass needs, of operations before it or its own; absent: "
          "its inputs and its own."));

DSM__RECORD(
    dsm__stage_record, dsm__stages_entry, false,
    "A stage, or several that are equal: it has options, or operations of which its options are "
    "made.",
    DSM__FIELD(TEXT, dsm__stages_entry, name, "name", REQUIRED, .max = DSM__GROUP_NAME_BYTES_MAX,
               .expected = "its name",
               .help = "What people call it; of several that are equal a number follows."),
    DSM__FIELD(COUNT, dsm__stages_entry, count, "count", MAY_BE, .min = 1,
               .max = DSM_REMAT_STAGES_MAX, .fallback = 1,
               .help = "How many equal ones follow each other."),
    BYTES(dsm__stages_entry, output_bytes, MAY_BE,
          "What a checkpoint behind it keeps. Required, unless operations say.",
          .fallback = (double)INFINITY),
    BYTES(dsm__stages_entry, error_bytes, MAY_BE,
          "Of the gradient of its output; absent: as output_bytes.", .fallback = (double)INFINITY),
    SECONDS(dsm__stages_entry, forward_seconds, MAY_BE,
            "Of a forward pass that saves nothing; absent: of that of the first option.",
            .fallback = (double)INFINITY),
    BYTES(dsm__stages_entry, temporary_bytes, MAY_BE,
          "What that pass needs beside input and output.", .fallback = 0),
    DSM__FIELD(FLAG, dsm__stages_entry, is_recomputable, "recomputable", MAY_BE, .fallback = 1,
               .help = "Its forward pass may run more than once."),
    LIST(dsm__stages_entry, options, option_count, "options", MAY_BE | DSM__FIELD_UNLESS_0,
         dsm__stage_option_record, DSM_REMAT_OPTIONS_MAX,
         .help = "The ways to run it; the first one keeps most."),
    LIST(dsm__stages_entry, operations, operation_count, "operations", MAY_BE | DSM__FIELD_UNLESS_0,
         dsm__stage_operation_record, DSM_REMAT_OPERATIONS_MAX,
         .help = "In the order in which they run; in place of options."));

DSM__DOCUMENT(
    dsm__stages_record, dsm__stages_document, "dsm-stages/1", "A network as a chain of stages.",
    NAME(dsm__stages_document, "Of the network."),
    DSM__FIELD(TEXT, dsm__stages_document, source, "source", MAY_BE, .max = DSM_TEXT_BYTES_MAX,
               .help = "Where its figures are from."),
    DSM__FIELD(COUNT, dsm__stages_document, minibatch, "minibatch", MAY_BE, .min = 1,
               .max = DSM_DIMENSION_MAX, .fallback = 1, .unit = "samples",
               .help = "Of which all times and sizes are."),
    BYTES(dsm__stages_document, input_bytes, MAY_BE, "Of the chain's input, which no budget holds.",
          .fallback = 0),
    BYTES(dsm__stages_document, input_error_bytes, MAY_BE,
          "Of the gradient of that input; 0: nothing needs it.", .fallback = 0),
    BYTES(dsm__stages_document, budget_bytes, MAY_BE,
          "What all but that input, parameters, gradients and optimizer state may take; absent: it "
          "does not say.",
          .fallback = (double)INFINITY, .min = 1),
    DSM__FIELD(REAL, dsm__stages_document, link_bytes_per_second, "link_bytes_per_second", MAY_BE,
               .min = 1, .max = BYTES_MAX, .unit = "bytes/s", .fallback = (double)INFINITY,
               .help = "Between devices of a pipeline; absent: outputs and their gradients "
                       "arrive at once."),
    LIST(dsm__stages_document, entries, entry_count, "stages", REQUIRED, dsm__stage_record,
         DSM_REMAT_STAGES_MAX, .expected = "a list of stages",
         .help = "In the order in which they run."));
