#pragma once
#include "protocol/base/result.h"

#include <array>
#include <cstddef>
#include <optional>

namespace upskill::eval {

enum class Hypothesis { null, alternative };

struct SprtOptions {
  double null_rate = 0.9;        // H0: the accepted success rate, in (0, 1)
  double alternative_rate = 0.7; // H1, another one
  double alpha = 0.05;           // P(H1 | H0), in (0, 1)
  double beta = 0.1;             // P(H0 | H1), alpha + beta < 1
};

// Wald's sequential test of two success rates: as few runs as the errors allow (Wald 1945; evals
// facts, 7.11). A decision stays, so one object is one test: a new version of a skill is a new one.
//
// Owned by whoever watches a skill; one thread; as long as that version.
class Sprt {
public:
  // `invalid_argument` for rates or errors out of their bounds.
  static Result<Sprt> open(const SprtOptions& options);
  // Of discordant pairs, where one version passes and the other fails: H0 is that each is as likely
  // to be the one to pass, H1 that the new one loses with `loses` > 1/2. add() whether the new one
  // passed.
  static Result<Sprt> open_paired(double loses, double alpha = 0.05, double beta = 0.1);

  void add(bool passed);

  std::optional<Hypothesis> decision() const { return m_decision; }

  // ln of how much likelier the runs are under H1.
  double log_ratio() const;

  std::size_t runs() const { return m_passes + m_failures; }

private:
  explicit Sprt(const SprtOptions& options);

  double m_on_pass;
  double m_on_failure;
  double m_upper;
  double m_lower;
  std::size_t m_passes = 0;
  std::size_t m_failures = 0;
  std::optional<Hypothesis> m_decision = {};
};

// Evidence that the mean of differences in -1..1 is above 0, valid at every look: the wealth of a
// player who bets on it, and multiplies it by more than 1/alpha with a chance of alpha at most when
// it is not (Ville 1939; Waudby-Smith and Ramdas 2024, arXiv 2010.09686; evals facts, section 8).
// The stakes 0.1, 0.3, 0.5, 0.7 and 0.9 share the start: no single one suits all lifts.
//
// For both directions use one each, with alpha/2. Owned by whoever watches a skill; one thread; as
// long as one version of it.
class EvidenceProcess {
public:
  // The next case's difference; those outside of -1..1 count as the nearest end, NaN as none.
  void add(double difference);

  // The wealth now, starting at 1. May overflow to infinity, which is evidence enough.
  double evidence() const;

  // The p-value that holds however often one looked: 1 over the most wealth there ever was.
  double p_value() const;

  bool rejects(double alpha) const { return p_value() <= alpha; }

private:
  static constexpr std::array<double, 5> k_stakes = {0.1, 0.3, 0.5, 0.7, 0.9};

  std::array<double, k_stakes.size()> m_log_wealth = {};
  double m_most = 1;
};

} // namespace upskill::eval
