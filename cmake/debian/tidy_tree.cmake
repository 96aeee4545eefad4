# SPDX-License-Identifier: GPL-3.0-or-later
# Run by CPack over what it is about to pack: Debian has the licence elsewhere, wants man pages
# compressed, and no group to be able to write. A package is always for /usr, whose folders pkg-config
# knows by that name and does not repeat.
file(GLOB_RECURSE files LIST_DIRECTORIES false "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(path IN LISTS files)
  if(path MATCHES "/share/doc/dsm/LICENSE$")
    file(REMOVE ${path})
  elseif(path MATCHES "/share/man/man[1-9]/[^/]*[.][1-9]$")
    execute_process(COMMAND gzip -9nf ${path} COMMAND_ERROR_IS_FATAL ANY)
  elseif(path MATCHES "/pkgconfig/dsm[.]pc$")
    file(READ ${path} package_file)
    string(REGEX REPLACE "^prefix=[^\n]*" "prefix=/usr" package_file "${package_file}")
    file(WRITE ${path} "${package_file}")
  endif()
endforeach()
execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY}
                        COMMAND_ERROR_IS_FATAL ANY)
