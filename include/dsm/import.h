/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * import.h: networks in the files of other programs, as workloads (docs/import.md).
 *
 * A file is recognised by what it holds and becomes a description in the format "dsm-workload/1",
 * which is read as any other. What of it was approximated or left out is in notes.
 */
#ifndef DSM_IMPORT_H
#define DSM_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Formats of other programs. */
typedef enum dsm_import_format {
  DSM_IMPORT_ONNX = 0,   /**< ONNX models, whose weights may be in the file or not */
  DSM_IMPORT_HUB_CONFIG, /**< configurations of a hub of models: config.json of transformers */
  DSM_IMPORT_SCALE_SIM,  /**< topologies of SCALE-Sim: convolutions or matrix products, as CSV */
  DSM_IMPORT_CALCULON,   /**< applications of Calculon */
  DSM_IMPORT_CALCULON_SYSTEM, /**< systems of Calculon, which become a part of a system */
  DSM_IMPORT_ASTRA_NETWORK,   /**< networks of ASTRA-sim, likewise */
  DSM_IMPORT_FORMAT_COUNT     /**< none of them */
} dsm_import_format;

/** The word of the command line: "onnx". Never NULL. */
DSM_API const char *dsm_import_format_name(dsm_import_format format);
/** What the files are, in a few words. Never NULL. */
DSM_API const char *dsm_import_format_help(dsm_import_format format);
/** Does a file of the format become (a part of) a description in the format "dsm-system/1", and not
 * a workload? */
DSM_API bool dsm_import_format_is_system(dsm_import_format format);
/** The word read back, exactly; false if the text is none of them. */
DSM_API bool dsm_import_format_parse(const char *text, dsm_import_format *format);

/** The format of a file's bytes; DSM_IMPORT_FORMAT_COUNT if none is recognised. `file` is its name,
 * which a format may look at; NULL: none. */
DSM_API dsm_import_format dsm_import_recognise(const char *bytes, size_t length, const char *file);

/** No file that is imported may be larger (2 GiB): ONNX models with their weights are. */
#define DSM_IMPORT_BYTES_MAX ((size_t)2 << 30)

/** Most named dimensions of an import. */
#define DSM_IMPORT_DIMENSIONS_MAX 64

/** The size of a dimension that a file gives only a name. */
typedef struct dsm_import_dimension {
  const char *name;
  uint64_t size; /**< 1 .. DSM_DIMENSION_MAX */
} dsm_import_dimension;

/** How far a convolution reads beyond what it has, where a format does not say. */
typedef enum dsm_import_padding {
  DSM_IMPORT_PADDING_VALID = 0, /**< not at all: outputs are fewer than inputs */
  DSM_IMPORT_PADDING_SAME,      /**< outputs are as many as inputs, over the stride */
  DSM_IMPORT_PADDING_COUNT
} dsm_import_padding;

/** The word of the command line: "valid". Never NULL. */
DSM_API const char *dsm_import_padding_name(dsm_import_padding padding);

/** What an import may be told. */
typedef struct dsm_import_options {
  dsm_import_format format; /**< DSM_IMPORT_FORMAT_COUNT: what is recognised */
  bool is_strict;           /**< what is approximated or left out is an error, not a note */
  const dsm_import_dimension *dimensions;
  size_t dimension_count;
  const char *as;     /**< hub_config: the "model_type" by whose row it is read; NULL: its own */
  uint64_t minibatch; /**< samples in a step; 0: those of the file, or else 1 */
  dsm_import_padding padding;
} dsm_import_options;

/** Recognises the format; all else as the file says. */
DSM_API void dsm_import_options_init(dsm_import_options *options);

/**
 * Reads a file's bytes, named `file` in findings, and writes them as a description in the format
 * "dsm-workload/1", or those of systems as what they tell in the format "dsm-system/1". *text,
 * malloc'ed and NUL-terminated, is to be freed by the caller; `options` may be NULL.
 * DSM_ERROR_INVALID, with findings: the format is not recognised, the file is broken, or something
 * in it cannot be understood; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_import_text(char **text, size_t *text_length,
                                                 const char *bytes, size_t length, const char *file,
                                                 const dsm_import_options *options,
                                                 dsm_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
