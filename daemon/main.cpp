#include "daemon/program.h"

int main(int count, char** arguments) {
  return upskill::daemon::run_program(count, arguments, nullptr);
}
