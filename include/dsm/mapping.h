/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * mapping.h: how the work of a layer and pass is divided.
 *
 * A layer is a nest of five loops (dsm_dim). A *parallelism* divides them over the chips of the
 * torus and leaves ChipD, the extents of one chip's loops; a *core split* divides ChipD over the
 * cores and leaves CoreD; the array takes ArrayD of it at a time. (DeepSpatialMatrix, section II-C
 * and Fig. 4; docs/model.md, sections 3 and 4.)
 */
#ifndef DSM_MAPPING_H
#define DSM_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/role.h"
#include "dsm/status.h"
#include "dsm/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The loops of a layer, in the order in which splits are written and compared. */
typedef enum dsm_dim {
  DSM_DIM_IN = 0, /**< input features */
  DSM_DIM_OUT,    /**< output features */
  DSM_DIM_IJ,     /**< positions of an output feature */
  DSM_DIM_KIJ,    /**< positions of the kernel */
  DSM_DIM_MB,     /**< samples */
  DSM_DIM_COUNT
} dsm_dim;

/** A positive number for each loop: extents (ChipD, CoreD, ArrayD) or the parts of a split. */
typedef struct dsm_loops {
  uint64_t n[DSM_DIM_COUNT];
} dsm_loops;

/** What a step is. */
typedef enum dsm_mode { DSM_MODE_TRAINING = 0, DSM_MODE_INFERENCE, DSM_MODE_COUNT } dsm_mode;

/** A pass of a layer. */
typedef enum dsm_pass {
  DSM_PASS_FORWARD = 0,
  DSM_PASS_BACKWARD, /**< errors of the inputs from errors of the outputs */
  DSM_PASS_UPDATE,   /**< gradients of the weights, and the weights' update */
  DSM_PASS_COUNT
} dsm_pass;

/**
 * A role for each axis, in the order in which equal mappings are preferred. The axes that share the
 * features are the bits of DSM_PARALLELISM_COUNT - parallelism. So all axes share the samples
 * first, then all the features, then the first axis alone the samples; and of a system with n axes
 * the first 1 << n values are all ways there are, since what comes after differs from one of them
 * on axes that the system does not have.
 */
typedef enum dsm_parallelism {
  DSM_PARALLELISM_DATA = 0,
  DSM_PARALLELISM_MODEL,
  DSM_PARALLELISM_DATA_X_MODEL_Y, /**< of two axes */
  DSM_PARALLELISM_MODEL_X_DATA_Y,
  DSM_PARALLELISM_COUNT = 1 << DSM_AXES_MAX
} dsm_parallelism;

/** What the chips along each axis do of a layer; `data` of axes that the system does not have. */
typedef struct dsm_roles {
  dsm_role of[DSM_AXES_MAX];
} dsm_roles;

/** Values from here on are other roles than data and model: DSM_PARALLELISM_ROLE_BITS bits of each
 * axis. */
#define DSM_PARALLELISM_OF_ROLES (1U << 16)
/** See DSM_PARALLELISM_OF_ROLES. */
#define DSM_PARALLELISM_ROLE_BITS 4U

/** How a stored tensor lies along each axis. */
typedef struct dsm_layouts {
  dsm_layout of[DSM_AXES_MAX];
} dsm_layouts;

/** How a layer's input lies that is in a parallelism, where it is not gathered yet. */
DSM_API dsm_layouts dsm_input_layouts(dsm_parallelism parallelism);
/** How its stored output lies. */
DSM_API dsm_layouts dsm_output_layouts(dsm_parallelism parallelism);

/** The parallelism in which each of the first `axis_count` axes has a role: one value for each way
 * there is. */
DSM_API dsm_parallelism dsm_parallelism_of(const dsm_roles *roles, unsigned axis_count);

/** A set of parallelisms: bit p stands for parallelism p. */
typedef unsigned dsm_parallelism_set;
/** The set of one parallelism. */
#define DSM_PARALLELISM_BIT(parallelism) (1U << (unsigned)(parallelism))
/** The set of all parallelisms. */
#define DSM_PARALLELISM_ALL ((1U << DSM_PARALLELISM_COUNT) - 1U)
/** The set of those with axes of both roles. */
#define DSM_PARALLELISM_HYBRIDS                                                                    \
  (DSM_PARALLELISM_ALL & ~DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA) &                              \
   ~DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL))

/** How many parallelisms differ on a system with so many axes. */
#define DSM_PARALLELISM_COUNT_OF(axis_count) (1 << (axis_count))
/** The set of them. */
#define DSM_PARALLELISMS_OF(axis_count) ((1U << DSM_PARALLELISM_COUNT_OF(axis_count)) - 1U)

/** A set of axes: bit a stands for axis a. */
typedef unsigned dsm_axis_set;

/** Is an axis in a set? */
static inline bool dsm_axis_set_has(dsm_axis_set set, unsigned axis) {
  return (set >> axis & 1U) != 0;
}

/** Has some axis another role than data and model? */
static inline bool dsm_parallelism_has_roles(dsm_parallelism parallelism) {
  return (unsigned)parallelism >= DSM_PARALLELISM_OF_ROLES;
}

/** The axes along which chips share the features under a parallelism of data and model; along the
 * others they share the samples. */
static inline dsm_axis_set dsm_parallelism_model_axes(dsm_parallelism parallelism) {
  return (DSM_PARALLELISM_COUNT - (unsigned)parallelism) & (DSM_PARALLELISM_COUNT - 1U);
}

/** The role of an axis. */
static inline dsm_role dsm_parallelism_role(dsm_parallelism parallelism, unsigned axis) {
  if (dsm_parallelism_has_roles(parallelism)) {
    const unsigned mask = (1U << DSM_PARALLELISM_ROLE_BITS) - 1U;
    return (dsm_role)((unsigned)parallelism >> (axis * DSM_PARALLELISM_ROLE_BITS) & mask);
  }
  return dsm_axis_set_has(dsm_parallelism_model_axes(parallelism), axis) ? DSM_ROLE_MODEL
                                                                         : DSM_ROLE_DATA;
}

/** The word of the formats, such as "in". Never NULL. */
DSM_API const char *dsm_dim_name(dsm_dim dim);
/** The word of the formats, such as "training". Never NULL. */
DSM_API const char *dsm_mode_name(dsm_mode mode);
/** The word of the formats, such as "forward". Never NULL. */
DSM_API const char *dsm_pass_name(dsm_pass pass);
/** The word of the formats, such as "data_x_model_y". Never NULL. */
DSM_API const char *dsm_parallelism_name(dsm_parallelism parallelism);

/** The word read back, exactly; false if the text is none. */
DSM_API bool dsm_mode_parse(const char *text, dsm_mode *mode);
/** The word read back, exactly; false if the text is none. */
DSM_API bool dsm_parallelism_parse(const char *text, dsm_parallelism *parallelism);

/** The word of a parallelism with the names of axes. */
typedef struct dsm_axes_word {
  char text[DSM_AXES_MAX * (DSM_AXIS_NAME_BYTES_MAX + 16) + 1]; /**< of each the name, "=",
                                                                     "gather_context", "," */
} dsm_axes_word;

/** The word of a parallelism on a system, with the names of the system's axes:
 * "data_gpu_model_node"; "data" and "model" where all axes share the same; with other roles
 * "gpu=row,node=data". Of parallelisms that differ there. */
DSM_API dsm_axes_word dsm_system_parallelism_name(const dsm_system *system,
                                                  dsm_parallelism parallelism);
/** Such a word read back, or one of those for all systems; false if the text is none. */
DSM_API bool dsm_system_parallelism_parse(const dsm_system *system, const char *text,
                                          dsm_parallelism *parallelism);

#ifdef __cplusplus
}
#endif

#endif
