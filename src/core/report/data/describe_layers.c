/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/describe_layers.h"

#include "model/names.h"
#include "workload/workload_internal.h"

#define COUNT(member, key, flag, least, about)                                                     \
  DSM__FIELD(COUNT, dsm__described_layer, member, key, flag, .min = (least), .help = (about))

/* What a layer states of its own. */
#define STATED_BYTES(member, key, about)                                                           \
  DSM__REAL(dsm__described_layer, member, key, DSM__ABOVE | DSM__UNLESS_0, "bytes", about)

#define PARAMETERS                                                                                 \
  COUNT(of.parameters, "parameters", DSM__COLUMN, 0,                                               \
        "Weights, biases, parameters of norms, and rows of embeddings.")
#define MACS_AND_BYTES                                                                             \
  COUNT(of.forward_macs, "macs_forward_per_sample", DSM__COLUMN, 0,                                \
        "Of the forward pass, all timesteps."),                                                    \
      DSM__REAL(dsm__described_layer, of.activation_bytes, "activation_bytes_per_sample",          \
                DSM__ABOVE | DSM__COLUMN, "bytes", "Of all stored outputs, all timesteps.")

DSM__RECORD(dsm__described_layer_record, dsm__described_layer, true, "A declared layer.",
            DSM__FIELD(TEXT, dsm__described_layer, name, "name", DSM__COLUMN, .column = "layer",
                       .help = "Its name."),
            DSM__FIELD(WORD, dsm__described_layer, type, "type", DSM__COLUMN,
                       .words = &dsm__layer_type_words, .help = "What it is."),
            PARAMETERS, MACS_AND_BYTES,
            STATED_BYTES(element_bytes, "element_bytes",
                         "An element of what it delivers, where the layer states "
                         "it."),
            STATED_BYTES(weight_bytes, "weight_bytes", "A weight, likewise."),
            STATED_BYTES(own_cache_bytes, "cache_bytes", "An element of its cache, likewise."));

DSM__RECORD(dsm__described_totals_record, dsm__described_layer, false, "Sums over the network.",
            PARAMETERS, COUNT(counts.weights, "weights", 0, 0, "Of products."),
            COUNT(counts.biases, "biases", 0, 0, "Of all layers."),
            COUNT(counts.norms, "norms", 0, 0, "Parameters of norms."),
            COUNT(counts.embeddings, "embeddings", 0, 0, "Elements of the tables of embeddings."),
            DSM__REAL(dsm__described_layer, cache_bytes, "cache_bytes_per_sample", 0, "bytes",
                      "Keys and values of earlier positions that inference keeps."),
            MACS_AND_BYTES);

dsm__rows dsm__described_layers(dsm__page *page, const dsm_workload *workload) {
  const dsm__declared *const declared = dsm__declared_derive(page->arena, workload);
  const size_t count = declared == NULL ? 0 : workload->spec_count;
  const dsm__rows made = dsm__rows_make(page, count, sizeof(dsm__described_layer));
  dsm__described_layer *const rows = made.items;
  page->out.failed = page->out.failed || declared == NULL;
  for (size_t i = 0; declared != NULL && i < made.count; i++) {
    rows[i] = (dsm__described_layer){.name = workload->specs[i].name,
                                     .type = workload->specs[i].type,
                                     .of = declared[i],
                                     .element_bytes = workload->specs[i].element_bytes,
                                     .weight_bytes = workload->specs[i].weight_bytes,
                                     .own_cache_bytes = workload->specs[i].cache_bytes};
  }
  return made;
}

dsm__described_layer dsm__described_totals(const dsm_workload *workload) {
  return (dsm__described_layer){.counts = dsm__workload_count_parameters(workload),
                                .cache_bytes = dsm__workload_cache_bytes(workload),
                                .of = {.parameters = workload->parameters,
                                       .forward_macs = workload->forward_macs,
                                       .activation_bytes = workload->activation_bytes}};
}
