# What the library links. The build includes this file, and so does the installed package when the library is static.

include(CMakeFindDependencyMacro)
find_dependency(OpenMP COMPONENTS CXX)
find_dependency(fmt)
find_dependency(ZLIB)
find_dependency(hwy)

# OpenBLAS, which is BLAS and LAPACK in one library: the OpenMP build where the system keeps several, so that it shares
# one pool of threads with Mercer.
if(NOT TARGET Mercer::OpenBLAS)
  find_library(MERCER_OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-openmp)
  find_path(MERCER_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-openmp openblas)
  mark_as_advanced(MERCER_OPENBLAS_LIBRARY MERCER_OPENBLAS_INCLUDE)
  if(NOT MERCER_OPENBLAS_LIBRARY OR NOT MERCER_OPENBLAS_INCLUDE)
    message(FATAL_ERROR "Mercer needs OpenBLAS with its header cblas.h (Debian: libopenblas-openmp-dev)")
  endif()
  add_library(Mercer::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(Mercer::OpenBLAS PROPERTIES IMPORTED_LOCATION "${MERCER_OPENBLAS_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${MERCER_OPENBLAS_INCLUDE}")
endif()
