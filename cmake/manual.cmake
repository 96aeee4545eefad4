# SPDX-License-Identifier: GPL-3.0-or-later
# Man pages and completions, in the build tree as in an installation. The pages are written by a
# program that holds the same tables as dsm; which ones there are is its own business, so that the
# build knows only their folder.
set(DSM_MAN_FOLDER ${PROJECT_BINARY_DIR}/share/man)
set(DSM_HELP_FOLDER ${PROJECT_BINARY_DIR}/share/dsm/help)
file(GLOB DSM_DESCRIBING CONFIGURE_DEPENDS schemas/*.json templates/*.json)
add_executable(dsm_pages src/core/pages/dsm_pages.c src/core/pages/format_guide.c src/core/pages/format_help.c
                         src/core/pages/roff.c)
set_target_properties(dsm_pages PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/pages)
target_compile_definitions(dsm_pages PRIVATE DSM_VERSION="${PROJECT_VERSION}"
                                             DSM_DATE="${DSM_DATE}")
target_link_libraries(dsm_pages PRIVATE dsm_program)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/pages/written
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${DSM_MAN_FOLDER} ${DSM_HELP_FOLDER}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${DSM_MAN_FOLDER}/man1 ${DSM_MAN_FOLDER}/man5
          ${DSM_HELP_FOLDER}
  COMMAND dsm_pages ${DSM_MAN_FOLDER}/man1 ${DSM_MAN_FOLDER}/man5 ${DSM_HELP_FOLDER}
          ${PROJECT_SOURCE_DIR}
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/pages/written
  DEPENDS dsm_pages ${DSM_DESCRIBING}
  COMMENT "Writing the man pages"
  VERBATIM)
add_custom_target(manual ALL DEPENDS ${PROJECT_BINARY_DIR}/pages/written)

install(
  DIRECTORY ${DSM_MAN_FOLDER}/
  DESTINATION ${CMAKE_INSTALL_MANDIR}
  PATTERN dsm-mpi.1 EXCLUDE)
install(DIRECTORY ${DSM_HELP_FOLDER} DESTINATION ${CMAKE_INSTALL_DATADIR}/dsm)
if(TARGET dsm_mpi)
  install(
    FILES ${DSM_MAN_FOLDER}/man1/dsm-mpi.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT mpi)
endif()

# The shells' own folders, below the data of whatever prefix.
install(
  FILES completions/dsm.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME dsm)
install(FILES completions/_dsm DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/dsm.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# What dsm init writes.
install(DIRECTORY templates DESTINATION ${CMAKE_INSTALL_DATADIR}/dsm)
