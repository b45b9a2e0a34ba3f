#pragma once
#include "skills/sync/engine.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace upskill::daemon {

// Tells how far placing is, for as long as the caller waits, which is as long as this is there: an
// order goes on when its caller hangs up. Owner: a call. Thread: the daemon's.
class PlacingTold {
public:
  using Tell = std::function<void(std::string_view what)>;

  explicit PlacingTold(Tell tell)
      : m_tell(std::make_shared<Tell>(std::move(tell))) {}

  sync::Progress progress() const {
    return [weak = std::weak_ptr(m_tell)](std::size_t done, std::size_t of) {
      if (std::shared_ptr<Tell> here = weak.lock()) {
        (*here)("placing " + std::to_string(done) + " of " + std::to_string(of));
      }
    };
  }

private:
  std::shared_ptr<Tell> m_tell;
};

} // namespace upskill::daemon
