#pragma once
#include "tests/support/folder.h"

namespace store_test {

using namespace upskill::test;

} // namespace store_test
