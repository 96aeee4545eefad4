# SPDX-License-Identifier: GPL-3.0-or-later
install(TARGETS dsm RUNTIME)
if(TARGET dsm_mpi)
  install(TARGETS dsm_mpi RUNTIME COMPONENT mpi)
endif()
install(
  TARGETS dsm_static dsm_shared
  EXPORT dsm-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT runtime
          NAMELINK_COMPONENT development)
install(
  DIRECTORY include/dsm
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development
  FILES_MATCHING
  PATTERN "*.h")
install(
  DIRECTORY docs/examples/library
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libdsm-dev/examples
  COMPONENT development)
install(DIRECTORY workloads systems technologies sweeps servers stages rl-workloads pim-systems schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/dsm)
# The pages refer to each other, and the README to them, as in the source.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(
  DIRECTORY docs
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING
  PATTERN "*.md"
  PATTERN "*.svg"
  PATTERN examples EXCLUDE)

install(
  EXPORT dsm-targets
  NAMESPACE dsm::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsm
  COMPONENT development)
configure_package_config_file(cmake/dsm-config.cmake.in ${PROJECT_BINARY_DIR}/dsm-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsm)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dsm-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dsm-config.cmake ${PROJECT_BINARY_DIR}/dsm-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dsm
        COMPONENT development)

# The package file finds its prefix from where it lies, so that an installation can be moved.
file(RELATIVE_PATH DSM_PC_TO_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" DSM_PC_TO_PREFIX "${DSM_PC_TO_PREFIX}")
configure_file(cmake/dsm.pc.in ${PROJECT_BINARY_DIR}/dsm.pc @ONLY)
install(
  FILES ${PROJECT_BINARY_DIR}/dsm.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
