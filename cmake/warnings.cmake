# SPDX-License-Identifier: GPL-3.0-or-later
# Linked by every target of the project: the warnings under which all of it is clean.
add_library(dsm_warnings INTERFACE)
target_compile_options(
  dsm_warnings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wdouble-promotion
            -Wcast-qual
            -Wcast-align
            -Wwrite-strings
            -Wvla
            -Wundef
            -Wformat=2
            -Wswitch-enum
            -Wimplicit-fallthrough
            -Wnull-dereference
            -Wsign-conversion
            $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
            $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
            $<$<BOOL:${DSM_WERROR}>:-Werror>
            # Predictions must not depend on how a compiler contracts expressions.
            -ffp-contract=off)
