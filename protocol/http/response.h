#pragma once
#include "protocol/http/head.h"
#include "protocol/http/status.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// The bytes of answers (RFC 9112), appended to the output.
namespace upskill::http {

// How the end of a stream is known: HTTP/1.0 has no chunks.
enum class Framing { chunked, until_close };
enum class After { keep, close };

// The names and values of `fields` are our own, so they hold no line ends.
using Fields = std::span<const AnswerField>;

// A whole answer. An empty body has no content type; 202 and 204 have none.
void write_answer(
    std::string& out, Status status, std::string_view body, After after, Fields fields = {});

// The head of a text/event-stream that is never stored or held up on its way.
void write_stream_head(std::string& out, Framing framing, After after, Fields fields = {});

// A piece of a stream and its end. An empty piece writes nothing.
void write_piece(std::string& out, Framing framing, std::string_view bytes);
void write_end(std::string& out, Framing framing);

inline constexpr std::string_view k_continue = "HTTP/1.1 100 Continue\r\n\r\n";

} // namespace upskill::http
