# mercer_extension(target library package): the extension _core, linked with `library`, in the folder `package`, beside
# links to the files of python/mercer. What is built for Debian's Python and for the newest one (tests/stand_in) is the
# same thing.

function(mercer_extension target library package)
  set(python ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  # NO_EXTRAS: link-time optimisation would take minutes and gain nothing, as nothing is computed here; nor need it be fast.
  file(GLOB sources CONFIGURE_DEPENDS ${python}/src/*.cpp)
  pybind11_add_module(${target} MODULE NO_EXTRAS ${sources})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(COMMAND mercer_unity)
    mercer_unity(${target} 6 ${sources})
  endif()
  target_include_directories(${target} PRIVATE ${python}/../src) # reports are no part of the library's interface
  target_link_libraries(${target} PRIVATE ${library})
  target_precompile_headers(${target} PRIVATE <pybind11/pybind11.h> <pybind11/numpy.h> <pybind11/stl.h>
                            <mercer/mercer.hpp>)
  # The library inside is the extension's own affair: another copy in the same process must not meet it.
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${package}
                                             CXX_VISIBILITY_PRESET hidden)

  file(GLOB_RECURSE old ${package}/*.py ${package}/*.pyi)
  if(old)
    file(REMOVE ${old})
  endif()
  file(GLOB_RECURSE modules RELATIVE ${python}/mercer CONFIGURE_DEPENDS ${python}/mercer/*.py ${python}/mercer/*.pyi
       ${python}/mercer/py.typed)
  foreach(module ${modules})
    cmake_path(GET module PARENT_PATH folder)
    file(MAKE_DIRECTORY ${package}/${folder})
    file(CREATE_LINK ${python}/mercer/${module} ${package}/${module} SYMBOLIC)
  endforeach()
endfunction()
