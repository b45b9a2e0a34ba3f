#pragma once
#include "protocol/base/result.h"
#include "protocol/http/head.h"
#include "protocol/http/route.h"
#include "protocol/http/status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::http {

// Why a request is not let in, before anything is made of its body.
struct Refusal {
  Status status = 400;
  Error error = {};
  std::optional<AnswerField> field = {}; // one more of the answer; its views last for ever
};

// Of a body with more than max_body(), whether that was announced or only turned out.
Error too_long(Route route);

// Lets in who may ask: looked at for every request, whatever it asks for.
// Owner: the HTTP server. Thread: any.
class Gate {
public:
  // An empty token: none is asked for.
  explicit Gate(std::string token);

  // In this order: 403 for a Host or Origin of elsewhere, 401 without the token, 404 for another
  // path, 405, 406 for what the client does not accept, 415, 413. `body_size` as declared.
  std::optional<Refusal> check(const Head& head, std::optional<std::uint64_t> body_size) const;

private:
  bool has_token(const Head& head) const;

  std::string m_token;
};

} // namespace upskill::http
