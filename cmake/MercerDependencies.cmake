# What the library links. The build includes this file, and so does the installed package when the library is static.

include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt)
find_dependency(ZLIB)
find_dependency(hwy)

# OpenBLAS, which is BLAS and LAPACK in one library: its serial build, linked in. Mercer cuts large products into tasks
# itself, so their bits do not depend on the number of threads; the other builds take memory or start threads when a
# program is loaded, and a shared one could be replaced by another program's. What is wrapped: src/linalg/blas_buffers.cpp.
if(NOT TARGET Mercer::OpenBLAS)
  set(MERCER_WRAP "-Wl,--wrap=blas_memory_alloc,--wrap=blas_memory_free")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    string(APPEND MERCER_WRAP ",--wrap=gotoblas_dynamic_init")
  endif()
  find_library(MERCER_OPENBLAS_ARCHIVE libopenblas.a PATH_SUFFIXES openblas-serial)
  find_path(MERCER_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-serial openblas)
  mark_as_advanced(MERCER_OPENBLAS_ARCHIVE MERCER_OPENBLAS_INCLUDE)
  if(NOT MERCER_OPENBLAS_ARCHIVE OR NOT MERCER_OPENBLAS_INCLUDE)
    message(FATAL_ERROR "Mercer needs the serial OpenBLAS, libopenblas.a, with its header cblas.h "
                        "(Debian: libopenblas-serial-dev)")
  endif()
  add_library(Mercer::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(
    Mercer::OpenBLAS
    PROPERTIES IMPORTED_LOCATION "${MERCER_OPENBLAS_ARCHIVE}"
               INTERFACE_INCLUDE_DIRECTORIES "${MERCER_OPENBLAS_INCLUDE}"
               INTERFACE_LINK_LIBRARIES "${MERCER_WRAP};m")
endif()
