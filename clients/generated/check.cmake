# Fails when a file here is not what `upskill reference` writes.
execute_process(COMMAND ${UPSKILL} reference --output ${FRESH} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB names RELATIVE ${FRESH} ${FRESH}/*)
foreach(name IN LISTS names)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${FRESH}/${name} ${KEPT}/${name}
                  RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
  if(differs)
    message(SEND_ERROR "clients/generated/${name} is out of date: run "
                       "`upskill reference --output clients/generated`")
  endif()
endforeach()
