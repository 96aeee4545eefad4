/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roles.c: the table of roles (section 3). A new parallelism is a value of dsm_role and a row. */
#include "dsm/mapping.h"
#include "model/names.h"
#include "model/role_row.h"

/* ---- why a layer cannot have one ---- */

static const char *why_no_spatial(const dsm_layer *layer) {
  if (layer->timesteps > 1) {
    return "a layer with timesteps";
  }
  if (layer->is_product && layer->operand_groups == 0) {
    return "a matmul";
  }
  if (layer->experts > 0) {
    return "a layer with experts";
  }
  return layer->rows == 1 ? "a layer of one row of positions" : NULL;
}

static const char *why_no_context(const dsm_layer *layer) {
  return layer->operand_groups > 0 ? why_no_spatial(layer) : "a layer that is no attention";
}

static const char *why_no_model(const dsm_layer *layer) {
  if (layer->operand_groups > 0) {
    return NULL; /* `model` of an attention is `heads` */
  }
  return layer->is_product || layer->groups > 1 ? "a matmul, or a layer with groups" : NULL;
}

static const char *why_no_turns(const dsm_layer *layer) {
  if (layer->is_product) {
    return "a product of activations";
  }
  return layer->groups > 1 || layer->lookup_elements > 0
             ? "a layer with groups, experts or look-ups"
             : NULL;
}

/* NULL of products by weights that all positions share: fc, convolutions of 1 x 1, look-ups. */
static const char *why_no_tensor(const dsm_layer *layer) {
  const bool is_by_position = !layer->is_product && layer->gates == 0 && layer->kij == 1 &&
                              layer->strides == 1 && layer->groups == 1 && layer->timesteps == 1 &&
                              layer->experts == 0;
  return is_by_position ? NULL : "a layer that is no fc, convolution of 1 x 1 or embedding";
}

static const char *why_no_sequence(const dsm_layer *layer) {
  const char *const why = why_no_tensor(layer);
  return why == NULL && layer->rows == 1 ? "a layer of one row of positions" : why;
}

static const char *why_no_heads(const dsm_layer *layer) {
  return layer->operand_groups > 0 || (layer->groups > 1 && layer->experts == 0)
             ? NULL
             : "a layer without heads or groups";
}

static const char *why_no_expert(const dsm_layer *layer) {
  return layer->experts > 0 ? NULL : "a layer without experts";
}

/* ---- the table ---- */

#define BIT(what) (1U << (unsigned)DSM_DIVIDED_##what)
#define OUT_FEATURES (BIT(OUT) | BIT(RAW) | BIT(STORED) | BIT(WEIGHTS))
#define IN_FEATURES (BIT(IN) | BIT(INPUT) | BIT(WEIGHTS))
#define LIES(before, after) .input = DSM_LAYOUT_##before, .output = DSM_LAYOUT_##after
#define CUT(how) .cut = DSM__WEIGHT_CUT_##how
#define OUTSIDE .reads = DSM__SIDE_OUTSIDE
#define OUTSIDE_OR(side) .reads = (DSM__SIDE_OUTSIDE | DSM__SIDE_##side)
#define MAKES(where) .makes = DSM__MADE_##where
#define OF_POSITIONS (DSM__ROLE_SUMS_GRADIENTS | DSM__ROLE_SHIFTS_ROWS)
#define OF(group_of_it) .group = DSM_ROLE_GROUP_##group_of_it

/* clang-format off */
/* ITEM(value of dsm_role, word, the letter of narrow columns, members of the row) */
#define ROLES(ITEM)                                                                                \
  ITEM(DATA, data, "D", LIES(SAMPLES, SAMPLES), .divides = BIT(SAMPLES), OUTSIDE, OF(WORDS),       \
      .exchanges = DSM__ROLE_SUMS_GRADIENTS)                                                       \
  ITEM(SPATIAL, spatial, "S", LIES(POSITIONS, POSITIONS), .divides = BIT(POSITIONS), OUTSIDE,      \
      OF(SPATIAL), .of_attention = DSM_ROLE_CONTEXT, .exchanges = OF_POSITIONS | DSM__ROLE_TURNS_OPERANDS,\
      .why_not = why_no_spatial)                                                                   \
  ITEM(MODEL, model, "M", LIES(FEATURES, FEATURES),                                                \
      .divides = IN_FEATURES | OUT_FEATURES | BIT(IN_TURNS), CUT(OUT), OUTSIDE, OF(WORDS),         \
      .of_attention = DSM_ROLE_HEADS, .why_not = why_no_model)                                     \
  ITEM(MODEL_OUT, model_out, "O", LIES(FEATURES, FEATURES),                                        \
      .divides = IN_FEATURES | OUT_FEATURES | BIT(OUT_TURNS), CUT(IN), OUTSIDE, OF(TENSOR),        \
      .why_not = why_no_turns)                                                                     \
  ITEM(COLUMN, column, "C", LIES(WHOLE, FEATURES), .divides = OUT_FEATURES, CUT(OUT), OUTSIDE,     \
      MAKES(INSIDE), OF(TENSOR), .exchanges = DSM__ROLE_REDUCES_ERROR,                             \
      .why_not = why_no_tensor)                                                                    \
  ITEM(ROW, row, "R", LIES(FEATURES, WHOLE), .divides = IN_FEATURES, CUT(IN), OUTSIDE_OR(INSIDE),  \
      OF(TENSOR), .exchanges = DSM__ROLE_REDUCES_OUTPUT, .why_not = why_no_tensor)                 \
  ITEM(GATHER_COLUMN, gather_column, "G", LIES(POSITIONS, FEATURES), .divides = OUT_FEATURES,      \
      CUT(OUT), OUTSIDE, MAKES(INSIDE), OF(TENSOR), .exchanges = DSM__ROLE_GATHERS_INPUT,          \
      .why_not = why_no_sequence)                                                                  \
  ITEM(ROW_SCATTER, row_scatter, "T", LIES(FEATURES, POSITIONS),                                   \
      .divides = IN_FEATURES | BIT(STORED), CUT(IN), OUTSIDE_OR(INSIDE), OF(TENSOR),               \
      .exchanges = DSM__ROLE_SCATTERS_OUTPUT, .why_not = why_no_sequence)                          \
  ITEM(HEADS, heads, "H", LIES(FEATURES, FEATURES),                                                \
      .divides = IN_FEATURES | OUT_FEATURES | BIT(GROUPS), CUT(GROUP), OUTSIDE_OR(INSIDE),         \
      MAKES(AS_READ), OF(TENSOR), .why_not = why_no_heads)                                         \
  ITEM(EXPERT, expert, "E", LIES(SAMPLES, SAMPLES),                                                \
      .divides = IN_FEATURES | OUT_FEATURES | BIT(GROUPS), CUT(GROUP), OUTSIDE_OR(EXPERTS),        \
      MAKES(WITH_EXPERTS), OF(EXPERT), .exchanges = DSM__ROLE_SENDS_TOKENS,                        \
      .why_not = why_no_expert)                                                                    \
  ITEM(WHOLE, whole, "W", LIES(WHOLE, WHOLE), OUTSIDE, OF(TENSOR))                                 \
  ITEM(CONTEXT, context, "X", LIES(POSITIONS, POSITIONS), .divides = BIT(POSITIONS), OUTSIDE,      \
      OF(CONTEXT), .exchanges = OF_POSITIONS | DSM__ROLE_TURNS_OPERANDS, .why_not = why_no_context)\
  ITEM(GATHER_CONTEXT, gather_context, "A", LIES(POSITIONS, POSITIONS), .divides = BIT(POSITIONS), \
      OUTSIDE, OF(CONTEXT), .exchanges = OF_POSITIONS | DSM__ROLE_GATHERS_OPERANDS,                \
      .why_not = why_no_context)
/* clang-format on */

#define ROW(value, word, letter, ...) [DSM_ROLE_##value] = {__VA_ARGS__},
const dsm__role_row dsm__role_rows[DSM_ROLE_COUNT] = {ROLES(ROW)};

#define WORD(value, word, letter, ...) [DSM_ROLE_##value] = {#word, NULL, letter},
static const dsm__word role_words[] = {ROLES(WORD)};
DSM__NAMED_WORDS(dsm__role_words, "role", role_words, DSM_ROLE_COUNT, dsm_role, dsm_role_name);
DSM__PARSED_WORDS(dsm__role_words, dsm_role, dsm_role_parse);

_Static_assert(DSM_ROLE_COUNT <= 1U << DSM_PARALLELISM_ROLE_BITS, "a parallelism has room for all");

/* ---- what follows from it ---- */

dsm_layout dsm_role_input_layout(dsm_role role) {
  return dsm__role_rows[role].input;
}

dsm_layout dsm_role_output_layout(dsm_role role) {
  return dsm__role_rows[role].output;
}

bool dsm_role_divides(dsm_role role, dsm_divided what) {
  return (dsm__role_rows[role].divides >> (unsigned)what & 1U) != 0;
}

const char *dsm__role_why_not(const dsm_layer *layer, dsm_role role) {
  return dsm__role_rows[role].why_not == NULL ? NULL : dsm__role_rows[role].why_not(layer);
}

dsm_role dsm__role_lying(dsm_layout layout) {
  int role = 0;
  while (dsm__role_rows[role].input != layout || dsm__role_rows[role].output != layout) {
    role++;
  }
  return (dsm_role)role;
}

dsm_role_set dsm__roles_of(dsm_role_group group) {
  dsm_role_set roles = 0;
  for (int r = 0; r < DSM_ROLE_COUNT; r++) {
    roles |= dsm__role_rows[r].group == group ? 1U << (unsigned)r : 0;
  }
  return roles;
}

dsm_parallelism dsm_parallelism_of(const dsm_roles *roles, unsigned axis_count) {
  const unsigned ways = 1U << axis_count;
  unsigned packed = DSM_PARALLELISM_OF_ROLES;
  dsm_axis_set model = 0;
  bool has_others = false;
  for (unsigned a = 0; a < axis_count; a++) {
    packed |= (unsigned)roles->of[a] << (a * DSM_PARALLELISM_ROLE_BITS);
    model |= roles->of[a] == DSM_ROLE_MODEL ? 1U << a : 0U;
    has_others = has_others || !dsm__role_is_of_words(roles->of[a]);
  }
  return has_others ? (dsm_parallelism)packed : (dsm_parallelism)((ways - model) % ways);
}
