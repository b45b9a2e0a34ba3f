# Fails when the files here are not those that `upskill reference` writes.
file(REMOVE_RECURSE ${FRESH})
execute_process(COMMAND ${UPSKILL} reference --output ${FRESH} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB names RELATIVE ${FRESH} ${FRESH}/*)
file(GLOB kept_names RELATIVE ${KEPT} ${KEPT}/*)
list(REMOVE_ITEM kept_names README.md check.cmake)
list(APPEND names ${kept_names})
list(REMOVE_DUPLICATES names)
foreach(name IN LISTS names)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${FRESH}/${name} ${KEPT}/${name}
                  RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
  if(differs)
    message(SEND_ERROR "clients/generated/${name} is out of date: run "
                       "`upskill reference --output clients/generated`")
  endif()
endforeach()
