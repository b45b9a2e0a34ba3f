#include "skills/eval/distribution.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

using namespace upskill::eval;
using doctest::Approx;

TEST_SUITE("distribution") {
  TEST_CASE("normal quantiles are those of tables, and invert the distribution") {
    CHECK(normal_quantile(0.975) == Approx(1.959963985).epsilon(1e-9));
    CHECK(normal_quantile(0.8) == Approx(0.841621234).epsilon(1e-9));
    CHECK(normal_quantile(0.95) == Approx(1.644853627).epsilon(1e-9));
    CHECK(std::abs(normal_quantile(0.5)) < 1e-12);
    for (double p : {1e-12, 0.001, 0.025, 0.3, 0.7, 0.999}) {
      CHECK(normal_cdf(normal_quantile(p)) == Approx(p).epsilon(1e-10));
      CHECK(normal_quantile(1 - p) == Approx(-normal_quantile(p)).epsilon(1e-4));
    }
    CHECK(std::isinf(normal_quantile(0)));
    CHECK(std::isinf(normal_quantile(1)));
    CHECK(std::isnan(normal_quantile(1.5)));
    CHECK(std::isnan(normal_quantile(std::nan(""))));
  }

  TEST_CASE("Student's quantiles are those of tables") {
    struct Row {
      int freedom;
      double at_95, at_99;
    };

    for (const Row& row : {Row{1, 12.7062, 63.6567},
                           Row{2, 4.3027, 9.9248},
                           Row{3, 3.1824, 5.8409},
                           Row{4, 2.7764, 4.6041},
                           Row{5, 2.5706, 4.0321},
                           Row{10, 2.2281, 3.1693},
                           Row{30, 2.0423, 2.7500},
                           Row{120, 1.9799, 2.6174}}) {
      CAPTURE(row.freedom);
      CHECK(student_quantile(0.95, row.freedom) == Approx(row.at_95).epsilon(3e-5));
      CHECK(student_quantile(0.99, row.freedom) == Approx(row.at_99).epsilon(3e-5));
    }
  }

  TEST_CASE("Student's quantiles fall towards the normal one, also where the formula changes") {
    double last = student_quantile(0.95, 1);
    for (int freedom : {2, 3, 10, 100, 998, 999, 1000, 1001, 100'000}) {
      const double next = student_quantile(0.95, freedom);
      CHECK(next < last);
      last = next;
    }
    CHECK(student_quantile(0.95, 999) == Approx(student_quantile(0.95, 1000)).epsilon(1e-5));
    CHECK(last == Approx(normal_quantile(0.975)).epsilon(1e-4));
  }
}
