# SPDX-License-Identifier: GPL-3.0-or-later
# Targets that keep the code in shape: format, format-check, tidy; and api-docs.
file(GLOB_RECURSE DSM_C_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h
     ${PROJECT_SOURCE_DIR}/src/*.[ch] ${PROJECT_SOURCE_DIR}/tests/*.[ch]
     ${PROJECT_SOURCE_DIR}/bench/*.[ch])
file(GLOB_RECURSE DSM_TIDY_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)

find_program(CLANG_FORMAT clang-format)
find_program(CLANG_TIDY clang-tidy)
find_program(RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)
if(CLANG_FORMAT)
  add_custom_target(
    format
    COMMAND ${CLANG_FORMAT} -i ${DSM_C_FILES}
    COMMENT "Formatting")
  add_custom_target(
    format-check
    COMMAND ${CLANG_FORMAT} --dry-run -Werror ${DSM_C_FILES}
    COMMENT "Checking the format")
endif()
if(RUN_CLANG_TIDY AND CLANG_TIDY)
  add_custom_target(
    tidy
    COMMAND ${RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR} ${DSM_TIDY_FILES}
    COMMENT "Checking with clang-tidy")
endif()

find_program(DOXYGEN doxygen)
if(DOXYGEN)
  set(DSM_WARN_IF_UNDOCUMENTED NO)
  set(DSM_WARN_AS_ERROR FAIL_ON_WARNINGS)
  configure_file(cmake/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
  add_custom_target(
    api-docs
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/api-docs
    COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
    COMMENT "Writing the reference of libdsm")
endif()
