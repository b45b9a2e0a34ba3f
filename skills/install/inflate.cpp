#include "skills/install/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>

namespace upskill::install {
namespace {

constexpr std::size_t k_piece = 64u << 10; // bytes
constexpr uInt k_most_input = 1u << 30;    // at a time: zlib counts in 32 bits

Bytef* input(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // zlib only reads there
}

} // namespace

struct Inflate::State {
  z_stream stream = {};
  std::string_view rest;
  Form form;
  bool is_ready = false;
  bool is_at_end = false;
  std::array<char, k_piece> piece;
};

Inflate::Inflate(std::string_view packed, Form form)
    : m_state(std::make_unique<State>()) {
  m_state->rest = packed;
  m_state->form = form;
  m_state->is_ready =
      ::inflateInit2(&m_state->stream, form == Form::raw ? -MAX_WBITS : MAX_WBITS + 16) == Z_OK;
}

Inflate::~Inflate() {
  if (m_state->is_ready) {
    ::inflateEnd(&m_state->stream);
  }
}

Result<std::string_view> Inflate::next() {
  State& state = *m_state;
  z_stream& stream = state.stream;
  if (!state.is_ready) {
    return fail(ErrorCode::internal, "zlib has no memory");
  }
  stream.next_out = reinterpret_cast<Bytef*>(state.piece.data());
  stream.avail_out = k_piece;
  while (stream.avail_out == k_piece && !state.is_at_end) {
    uInt given = static_cast<uInt>(std::min<std::size_t>(state.rest.size(), k_most_input));
    stream.next_in = input(state.rest);
    stream.avail_in = given;
    int answer = ::inflate(&stream, Z_NO_FLUSH);
    state.rest.remove_prefix(given - stream.avail_in);
    if (answer == Z_STREAM_END && state.form == Form::gzip && !state.rest.empty()) {
      if (::inflateReset(&stream) != Z_OK) {
        return fail(ErrorCode::internal, "zlib cannot begin again");
      }
    } else if (answer == Z_STREAM_END) {
      state.is_at_end = true;
    } else if (answer != Z_OK) { // Z_BUF_ERROR: more is needed, and there is no more
      return fail(ErrorCode::corrupt,
                  "the archive is damaged: what is packed in it cannot be unpacked",
                  "get it or make it again");
    }
  }
  if (state.is_at_end && !state.rest.empty()) {
    return fail(ErrorCode::corrupt, "the archive is damaged: something lies behind a packed file");
  }
  return std::string_view(state.piece.data(), k_piece - stream.avail_out);
}

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(before, input(bytes), bytes.size()));
}

std::string deflated(std::string_view bytes) {
  z_stream stream = {};
  if (::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY)
      != Z_OK) {
    return {};
  }
  std::string packed(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  bool is_whole = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(is_whole ? stream.total_out : 0);
  ::deflateEnd(&stream);
  return packed;
}

} // namespace upskill::install
