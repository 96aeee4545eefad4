# SPDX-License-Identifier: GPL-3.0-or-later
# Sanitizers and coverage, for the whole build tree.
if(DSM_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # Each piece of an arena becomes an allocation of its own, so that overruns are seen.
  add_compile_definitions(DSM_ARENA_DEBUG)
endif()
if(DSM_TSAN)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
if(DSM_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
