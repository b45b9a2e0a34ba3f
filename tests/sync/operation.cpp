#include "tests/sync/operation.h"

#include "tests/sync/disk.h"

#include <algorithm>
#include <sstream>

namespace upskill::sync_test {

Operations random_operations(std::mt19937_64& random, int count, const Weights& weights) {
  unsigned total = 0;
  for (unsigned weight : weights) {
    total += weight;
  }
  Operations operations;
  for (int i = 0; i < count; ++i) {
    // Not std::uniform_int_distribution: what it gives differs between standard libraries.
    auto pick = static_cast<unsigned>(random() % total);
    std::size_t kind = 0;
    while (pick >= weights[kind]) {
      pick -= weights[kind++];
    }
    Operation& operation = operations.emplace_back();
    operation.kind = static_cast<Kind>(kind);
    operation.root = static_cast<std::uint32_t>(random() % 60);
    operation.other = static_cast<std::uint32_t>(random() % 60);
    operation.skill = static_cast<std::uint32_t>(random() % 60);
    operation.value = static_cast<std::uint32_t>(random() % 3600);
  }
  return operations;
}

std::string text_of(const Operations& operations) {
  std::string text;
  for (const Operation& operation : operations) {
    text += std::string(k_kind_names[static_cast<std::size_t>(operation.kind)]) + " "
            + std::to_string(operation.root) + " " + std::to_string(operation.other) + " "
            + std::to_string(operation.skill) + " " + std::to_string(operation.value) + "\n";
  }
  return text;
}

Operations operations_of(const std::string& text) {
  Operations operations;
  std::istringstream lines(text);
  std::string kind;
  Operation operation;
  while (lines >> kind >> operation.root >> operation.other >> operation.skill >> operation.value) {
    auto known = std::ranges::find(k_kind_names, kind);
    if (known == k_kind_names.end()) {
      throw Violation("there is no operation `" + kind + "`");
    }
    operation.kind = static_cast<Kind>(known - k_kind_names.begin());
    operations.push_back(operation);
  }
  return operations;
}

} // namespace upskill::sync_test
