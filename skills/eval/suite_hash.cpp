#include "skills/eval/suite_hash.h"

#include <bit>

namespace upskill::eval {
namespace {

void add(Sha256& hash, const std::vector<std::string>& texts) {
  hash.update_number(texts.size());
  for (const std::string& text : texts) {
    hash.update_framed(text);
  }
}

void add(Sha256& hash, const std::optional<double>& number) {
  hash.update_number(number ? 1 : 0);
  hash.update_number(std::bit_cast<std::uint64_t>(number.value_or(0)));
}

void add(Sha256& hash, const Check& check) {
  hash.update_number(static_cast<std::uint64_t>(check.kind));
  hash.update_number(check.negated ? 1 : 0);
  add(hash, check.values);
  add(hash, {check.name, check.path, check.schema, check.rubric, check.reference});
  add(hash, check.argv);
  add(hash, std::optional(check.limit));
  add(hash, std::optional(check.weight));
  add(hash, check.threshold);
  hash.update_number(check.parts.size());
  for (const Check& part : check.parts) {
    add(hash, part);
  }
}

} // namespace

Digest suite_hash(const CaseSuite& suite) {
  Sha256 hash;
  for (const Case& one : suite.cases) {
    add(hash, {one.id, one.input, one.output_file, one.expected_output, one.cluster});
    hash.update_number(one.context_files.size());
    for (const auto& [path, bytes] : one.context_files) {
      add(hash, {path, bytes});
    }
    add(hash, one.fixture_files);
    add(hash, one.threshold);
    hash.update_number(!one.should_trigger ? 2 : *one.should_trigger ? 1 : 0);
    hash.update_number(one.checks.size());
    for (const Check& check : one.checks) {
      add(hash, check);
    }
  }
  return hash.finish();
}

} // namespace upskill::eval
