#include "skills/eval/random.h"
#include "skills/regression/ledger.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::regression;
using doctest::Approx;

namespace {

constexpr std::int64_t k_minute = 60'000;
constexpr std::int64_t k_now = 1'790'000'100'000; // the start of a step

WatchBudget usd_an_hour(double usd) {
  return {.hour = {.usd = usd}};
}

} // namespace

TEST_SUITE("ledger") {
  TEST_CASE("what is left is the least that applies") {
    Ledger ledger;
    ledger.spend("kernel", k_now, {.usd = .5, .tokens = 1'000, .runs = 3}, k_now);
    ledger.spend("parser", k_now, {.usd = 2, .tokens = 9'000, .runs = 4}, k_now);
    const WatchBudget own{.hour = {.usd = 1}, .day = {.usd = 10, .tokens = 5'000}};
    const WatchBudget all{.hour = {.runs = 100}, .day = {.usd = 2.8}};
    const Headroom kernel = ledger.headroom("kernel", own, all, k_now);
    CHECK(kernel.is_open);
    CHECK(*kernel.left.usd == Approx(.3)); // of all in a day: 2.8 - 2.5
    CHECK(*kernel.left.tokens == 4'000);
    CHECK(*kernel.left.runs == 93);
    CHECK_FALSE(kernel.again_at);
    const Headroom unknown = ledger.headroom("other", own, {}, k_now);
    CHECK(*unknown.left.usd == Approx(1));
    CHECK_FALSE(unknown.left.runs);
    CHECK(ledger.headroom("other", {}, {}, k_now).left == Allowance{});
    CHECK(ledger.spent("parser", Ledger::k_day, k_now).tokens == 9'000);
    CHECK(ledger.spent_in_all(Ledger::k_day, k_now).runs == 7);
  }

  TEST_CASE("an hour later it is free again, and not before") {
    Ledger ledger;
    ledger.spend("kernel", k_now, {.usd = 1}, k_now);
    const Headroom now = ledger.headroom("kernel", usd_an_hour(1), {}, k_now);
    CHECK_FALSE(now.is_open);
    CHECK(*now.left.usd == 0);
    REQUIRE(now.again_at);
    CHECK(*now.again_at >= k_now + Ledger::k_hour);
    CHECK(*now.again_at <= k_now + Ledger::k_hour + Ledger::k_step);
    CHECK_FALSE(ledger.headroom("kernel", usd_an_hour(1), {}, *now.again_at - 1).is_open);
    CHECK(ledger.headroom("kernel", usd_an_hour(1), {}, *now.again_at).is_open);
  }

  TEST_CASE("it says when enough of it has gone, not when the first has") {
    Ledger ledger;
    ledger.spend("kernel", k_now, {.runs = 1}, k_now);
    ledger.spend("kernel", k_now + 10 * k_minute, {.runs = 4}, k_now + 10 * k_minute);
    ledger.spend("kernel", k_now + 20 * k_minute, {.runs = 1}, k_now + 20 * k_minute);
    const std::int64_t now = k_now + 20 * k_minute;
    const Headroom full = ledger.headroom("kernel", {.hour = {.runs = 3}}, {}, now);
    REQUIRE(full.again_at); // the one of the start going leaves five
    CHECK(*full.again_at == k_now + 15 * k_minute + Ledger::k_hour);
    const Headroom both = ledger.headroom(
        "kernel", {.hour = {.runs = 3}}, {.day = {.runs = 6}}, now); // the later of both
    CHECK(*both.again_at == k_now + 5 * k_minute + Ledger::k_day);
  }

  TEST_CASE("a budget of nothing is never free") {
    Ledger ledger;
    Headroom none = ledger.headroom("kernel", {.day = {.tokens = 0}}, {}, k_now);
    CHECK_FALSE(none.is_open);
    CHECK_FALSE(none.again_at);
    ledger.spend("kernel", k_now, {.runs = 1}, k_now);
    for (const WatchBudget& budget : {WatchBudget{.hour = {.tokens = 0}, .day = {.runs = 1}},
                                      WatchBudget{.hour = {.runs = 1}, .day = {.tokens = 0}}}) {
      none = ledger.headroom("kernel", budget, {}, k_now);
      CHECK_FALSE(none.is_open);
      CHECK_FALSE(none.again_at);
    }
  }

  TEST_CASE("a clock that is put back frees nothing, and is no debt for ever") {
    Ledger ledger;
    const std::int64_t ahead = k_now + 3'650 * Ledger::k_day;
    ledger.spend("kernel", ahead, {.usd = 1}, ahead);
    const Headroom back = ledger.headroom("kernel", usd_an_hour(1), usd_an_hour(1), k_now);
    CHECK_FALSE(back.is_open);
    REQUIRE(back.again_at);
    CHECK(*back.again_at <= k_now + Ledger::k_hour + Ledger::k_step);
    CHECK(ledger.headroom("kernel", usd_an_hour(1), usd_an_hour(1), *back.again_at).is_open);
    // Read from a store after a restart.
    Ledger again;
    again.spend("kernel", ahead, {.usd = 1}, k_now);
    CHECK_FALSE(again.headroom("kernel", usd_an_hour(1), {}, k_now).is_open);
    CHECK(again.spent_in_all(Ledger::k_hour, k_now).usd == Approx(1));
  }

  TEST_CASE("a clock that jumps ahead for a while frees nothing for when it is back") {
    for (std::int64_t hours : {1, 5, 22}) {
      Ledger ledger;
      ledger.spend("kernel", k_now, {.usd = 1}, k_now);
      // Nobody can tell hours that have passed from a jump.
      const std::int64_t ahead = k_now + hours * Ledger::k_hour + Ledger::k_step;
      CHECK(ledger.headroom("kernel", usd_an_hour(1), {}, ahead).is_open);
      ledger.spend("kernel", ahead, {.usd = 2}, ahead);
      const std::int64_t back = k_now + k_minute;
      CHECK(ledger.spent("kernel", Ledger::k_hour, back).usd == Approx(3));
      CHECK_FALSE(ledger.headroom("kernel", usd_an_hour(3), {}, back).is_open);
      CHECK(ledger.headroom("kernel", usd_an_hour(3), {}, back + Ledger::k_hour + Ledger::k_step)
                .is_open);
    }
  }

  TEST_CASE("a clock that jumps back by hours frees nothing before its time") {
    for (std::int64_t hours : {1, 5, 22, 365 * 24}) {
      Ledger ledger;
      ledger.spend("kernel", k_now, {.usd = 1}, k_now);
      const std::int64_t back = k_now - hours * Ledger::k_hour;
      CHECK_FALSE(ledger.headroom("kernel", usd_an_hour(1), {}, back).is_open);
      // An hour by the clock as it is now, and not when the other one would have come to it.
      CHECK_FALSE(ledger.headroom("kernel", usd_an_hour(1), {}, back + 59 * k_minute).is_open);
      CHECK(ledger.headroom("kernel", usd_an_hour(1), {}, back + Ledger::k_hour + Ledger::k_step)
                .is_open);
      CHECK(ledger.spent("kernel", Ledger::k_day, back + 2 * Ledger::k_hour).usd == Approx(1));
    }
  }

  TEST_CASE("a year ahead is free, and no debt for who stays there") {
    Ledger ledger;
    ledger.spend("kernel", k_now, {.usd = 1}, k_now);
    const std::int64_t year = k_now + 365 * Ledger::k_day;
    CHECK(ledger.headroom("kernel", {.day = {.usd = 1}}, {}, year).is_open);
    ledger.spend("kernel", year, {.usd = 1}, year);
    const Headroom full = ledger.headroom("kernel", {.day = {.usd = 1}}, {}, year);
    CHECK_FALSE(full.is_open);
    REQUIRE(full.again_at);
    CHECK(*full.again_at <= year + Ledger::k_day + Ledger::k_step);
    CHECK(*full.again_at >= year + Ledger::k_day);
  }

  TEST_CASE("entries in any order are the same, and old ones are none") {
    std::vector<std::int64_t> times;
    for (std::int64_t i = 0; i < 200; ++i) {
      times.push_back(k_now - i * 11 * k_minute);
    }
    Ledger one;
    for (std::int64_t at : times) {
      one.spend("kernel", at, {.tokens = 1}, k_now);
    }
    eval::Random random(1);
    random.shuffle(times);
    Ledger other;
    for (std::int64_t at : times) {
      other.spend("kernel", at, {.tokens = 1}, k_now);
    }
    for (std::int64_t within : {Ledger::k_hour, Ledger::k_day}) {
      CHECK(one.spent("kernel", within, k_now) == other.spent("kernel", within, k_now));
    }
    // 0, 11, ... 55 minutes old, and 66 less than a step over an hour is not.
    CHECK(one.spent("kernel", Ledger::k_hour, k_now).tokens == 6);
    CHECK(one.spent("kernel", Ledger::k_day, k_now).tokens == 131); // 1,440 / 11 = 130.9
  }

  TEST_CASE("nonsense neither frees anything nor breaks it") {
    Ledger ledger;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    ledger.spend("kernel", k_now, {.usd = 1, .tokens = 5, .runs = 1}, k_now);
    ledger.spend("kernel", k_now, {.usd = -9, .tokens = -9, .runs = -9}, k_now);
    ledger.spend("kernel", k_now, {.usd = std::nan("")}, k_now);
    CHECK(ledger.spent("kernel", Ledger::k_hour, k_now)
          == Spending{.usd = 1, .tokens = 5, .runs = 1});
    ledger.spend("kernel", k_now, {.tokens = most}, k_now);
    ledger.spend("kernel", k_now, {.tokens = most}, k_now);
    CHECK(ledger.spent("kernel", Ledger::k_hour, k_now).tokens == most);
    CHECK_FALSE(ledger.headroom("kernel", {.hour = {.tokens = most}}, {}, k_now).is_open);
    CHECK(ledger.headroom("kernel", {.hour = {.usd = -1}}, {}, k_now).left.usd == 0.0);
    ledger.spend("kernel", -most, {.runs = 1}, -most);
    ledger.spend("kernel", most, {.runs = 1}, most);
    CHECK(ledger.spent_in_all(Ledger::k_day, most).runs >= 1);
  }

  TEST_CASE("skills without number share an account, and are never unknown to the whole") {
    Ledger ledger;
    const std::size_t many = Ledger::k_most_skills + 100;
    for (std::size_t i = 0; i < many; ++i) {
      ledger.spend("skill-" + std::to_string(i), k_now, {.runs = 1}, k_now);
    }
    CHECK(ledger.spent_in_all(Ledger::k_day, k_now).runs == static_cast<std::int64_t>(many));
    CHECK(ledger.spent("skill-0", Ledger::k_day, k_now).runs == 1);
    CHECK(ledger.spent("skill-" + std::to_string(many - 1), Ledger::k_day, k_now).runs == 100);
    // Two days later there is room.
    const std::int64_t later = k_now + 2 * Ledger::k_day;
    ledger.spend("new", later, {.runs = 2}, later);
    CHECK(ledger.spent("new", Ledger::k_day, later).runs == 2);
    CHECK(ledger.spent_in_all(Ledger::k_day, later).runs == 2);
  }
}
