#include "daemon/handlers/skills_engine.h"
#include "daemon/program.h"

int main(int count, char** arguments) {
  return upskill::daemon::run_program(count, arguments, upskill::daemon::make_skills_engine);
}
