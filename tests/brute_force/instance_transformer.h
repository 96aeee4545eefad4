/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_TRANSFORMER_H
#define DSM_TESTS_INSTANCE_TRANSFORMER_H

#include "instance_network.h"

/* A random network of embeddings, attentions, fc with positions, and convolutions of both kinds,
 * with what stands beside them. */
instance_network instance_transformer_make(instance_random *random,
                                           const instance_network_settings *settings);

#endif
