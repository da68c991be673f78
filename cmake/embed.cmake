# mercer_embed(target name file): compiles a text file into `target` as `std::string_view mercer::data::name()`,
# to be declared in src/io/embedded_data.hpp.
# mercer_embed_page(target file source): the page of reports and studio, packed by gzip, becomes part of `source` by the
# assembler's .incbin, which takes no time; as text it would cost the compiler seconds.
# Run as a script (cmake -P), this same file writes the source, or packs the page.

if(CMAKE_SCRIPT_MODE_FILE)
  if(PACK)
    # Neither name nor time: the same page is the same bytes.
    execute_process(COMMAND gzip -9nc "${PACK}" OUTPUT_FILE "${OUTPUT}" COMMAND_ERROR_IS_FATAL ANY)
    return()
  endif()
  file(READ "${FILE}" text)
  file(WRITE "${OUTPUT}" "#include \"io/embedded_data.hpp\"\n\n"
                         "std::string_view mercer::data::${NAME}() {\n  return R\"embedded(${text})embedded\";\n}\n")
  return()
endif()

set(MERCER_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(mercer_embed target name file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D FILE=${file} -D OUTPUT=${output} -P ${MERCER_EMBED_SCRIPT}
    DEPENDS ${file} ${MERCER_EMBED_SCRIPT}
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

function(mercer_embed_page target file source)
  set(packed ${CMAKE_CURRENT_BINARY_DIR}/embedded/page.gz)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  add_custom_command(
    OUTPUT ${packed}
    COMMAND ${CMAKE_COMMAND} -D PACK=${file} -D OUTPUT=${packed} -P ${MERCER_EMBED_SCRIPT}
    DEPENDS ${file} ${MERCER_EMBED_SCRIPT}
    COMMENT "Packing the page"
    VERBATIM)
  target_sources(${target} PRIVATE ${packed})
  set_source_files_properties(
    ${source} PROPERTIES OBJECT_DEPENDS ${packed} COMPILE_DEFINITIONS MERCER_PAGE="${packed}")
endfunction()
