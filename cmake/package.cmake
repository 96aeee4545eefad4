# SPDX-License-Identifier: GPL-3.0-or-later
# Debian packages by CPack, one a component: dsm (the program, component "program"), libdsm0.1 (the
# shared library), libdsm-dev (headers, the static library) and, where it is built, dsm-mpi.
#   cmake --build build/package --target package
find_program(GZIP gzip)
if(NOT GZIP)
  message(STATUS "No target package: it needs gzip")
  return()
endif()

set(DSM_RUNTIME_PACKAGE libdsm${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME dsm)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${DSM_RUNTIME_PACKAGE})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdsm-dev)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME dsm-mpi)
set(CPACK_COMPONENTS_ALL program runtime development)
if(TARGET dsm_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

# What Debian wants of each package beside what is installed everywhere.
set(DSM_DEBIAN_DIR ${PROJECT_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${DSM_DEBIAN_DIR})
configure_file(cmake/debian/copyright ${DSM_DEBIAN_DIR}/copyright COPYONLY)
string(TIMESTAMP DSM_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(DSM_PACKAGE_CONTACT "dsm maintainers <maintainers@dsm.invalid>")
configure_file(cmake/debian/changelog.in ${DSM_DEBIAN_DIR}/changelog @ONLY)
execute_process(COMMAND ${GZIP} -9nf ${DSM_DEBIAN_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} COMPONENT)
  set(package ${CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME})
  install(
    FILES ${DSM_DEBIAN_DIR}/copyright ${DSM_DEBIAN_DIR}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component}
    EXCLUDE_FROM_ALL)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dsm)
set(CPACK_PACKAGE_VENDOR dsm)
set(CPACK_PACKAGE_CONTACT ${DSM_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/tidy_tree.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The first line of each is its summary, to which CPack must not add the project's.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(DSM_WHAT_IT_IS
    "dsm answers how a neural network should be split over a many-chip
accelerator, how fast it will run, and where the lost utilization goes. An
analytical, bandwidth-centric model scores the mappings, a search picks the
best of them.")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "explores mappings of neural networks on many-chip accelerators\n${DSM_WHAT_IT_IS}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
    "shared library of dsm\n${DSM_WHAT_IT_IS}\n\nThis package holds the shared library.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "headers and static library of dsm\n${DSM_WHAT_IT_IS}\n
This package holds what programs over the library are built with.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${DSM_RUNTIME_PACKAGE} (= ${PROJECT_VERSION}), libcjson-dev, libglpk-dev, libmd-dev, libsqlite3-dev, libyaml-dev"
)
set(CPACK_DEBIAN_MPI_DESCRIPTION
    "sweeps of dsm on the ranks of an MPI job\n${DSM_WHAT_IT_IS}\n
This package holds dsm-mpi, which runs sweeps on many machines.")
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "dsm (= ${PROJECT_VERSION})")
include(CPack)
