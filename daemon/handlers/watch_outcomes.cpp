#include "daemon/handlers/watch_outcomes.h"

#include "daemon/await.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"
#include "skills/store/regression_store.h"

#include <utility>

namespace upskill::daemon {

TestOutcomes::TestOutcomes(WatchRoom room, const WatchExam& exam, std::string subject)
    : m_room(room)
    , m_skill(watch_key(exam.skill))
    , m_version(exam.version.hash)
    , m_subject(std::move(subject)) {}

asio::awaitable<std::vector<KnownOutcome>> TestOutcomes::read() {
  auto find = [&](store::EvalStore& store) {
    return store::RegressionStore(store).find_test(m_skill, m_version, m_subject);
  };
  AWAIT(Result<std::optional<store::TestRow>> row, m_room.journal.with(std::move(find)));
  if (row && *row) {
    rpc::JsonParser parser;
    Result<KnownOutcomes> known = KnownOutcomes();
    Result<void> read = parser.read((*row)->outcomes, "the outcomes", [&](JsonReader& reader) {
      known = decode<KnownOutcomes>(reader, "outcomes");
    });
    m_known = read && known ? std::move(*known) : KnownOutcomes();
  }
  co_return m_known.outcomes;
}

asio::awaitable<void> TestOutcomes::add(const EvalSample& sample) {
  if (sample.outcome == SampleOutcome::error) {
    co_return;
  }
  const bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false); // it was paid for
  m_known.outcomes.push_back({sample.case_id, sample.run, sample.outcome});
  const std::int64_t now_ms = m_room.journal.now_ms();
  store::TestRow row{m_skill, m_version, m_subject, now_ms, now_ms, encode(m_known)};
  auto put = [&](store::EvalStore& store) { return store::RegressionStore(store).put_test(row); };
  AWAIT(Result<void> kept, m_room.journal.with(std::move(put)));
  if (!kept) {
    m_room.library.service().context().log.warning("an answer is not kept: {}",
                                                   kept.error().message);
  }
  co_await asio::this_coro::throw_if_cancelled(throws);
}

asio::awaitable<void> TestOutcomes::forget() {
  auto remove = [&](store::EvalStore& store) {
    return store::RegressionStore(store).remove_test(m_skill, m_version, m_subject);
  };
  AWAIT(Result<bool> removed, m_room.journal.with(std::move(remove)));
  static_cast<void>(removed); // it goes with its bounds otherwise
}

} // namespace upskill::daemon
