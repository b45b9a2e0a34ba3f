#pragma once
#include "protocol/base/result.h"

#include <cstddef>

namespace upskill::regression {

// The alpha of one subject's test, where all tests since a version was accepted share `alpha`: the
// `look`-th version tested since (from 1) has 6/(pi^2 look^2) of it, its subjects the same each.
// These shares add up to 1 over all looks there can be, so nobody needs to know how many edits
// there will be. A version that has a verdict already is no new look.
// invalid_argument for an alpha outside of 0..1, for look 0, and without subjects.
Result<double> alpha_of_look(double alpha, std::size_t look, std::size_t subjects);

} // namespace upskill::regression
