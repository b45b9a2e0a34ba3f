#include "protocol/base/hash.h"

// The low-level calls are deprecated in favour of EVP, whose algorithm look-up costs more than
// hashing a skill's file and pulls all of libcrypto into a static link.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>

namespace upskill {

struct Sha256::State {
  SHA256_CTX context;
};

Sha256::Sha256()
    : m_state(std::make_unique<State>()) {
  SHA256_Init(&m_state->context);
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  SHA256_Update(&m_state->context, bytes.data(), bytes.size());
}

void Sha256::update_number(std::uint64_t value) {
  unsigned char little[8];
  for (unsigned i = 0; i < 8; ++i) {
    little[i] = static_cast<unsigned char>(value >> (8 * i));
  }
  SHA256_Update(&m_state->context, little, sizeof little);
}

void Sha256::update_framed(std::string_view bytes) {
  update_number(bytes.size());
  update(bytes);
}

Digest Sha256::finish() {
  Digest digest;
  SHA256_Final(digest.bytes.data(), &m_state->context);
  return digest;
}

Digest sha256(std::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  Digest digest;
  SHA256_Final(digest.bytes.data(), &context);
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  constexpr std::size_t k_block = 64;
  auto padded = [&](unsigned char with) {
    std::string block(k_block, static_cast<char>(with));
    for (std::size_t i = 0; i < key.size() && i < k_block; ++i) {
      block[i] = static_cast<char>(static_cast<unsigned char>(key[i]) ^ with);
    }
    return block;
  };
  Sha256 inner;
  inner.update(padded(0x36));
  inner.update(bytes);
  Digest digest = inner.finish();
  Sha256 outer;
  outer.update(padded(0x5C));
  outer.update({reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()});
  return outer.finish();
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

std::string Digest::hex() const {
  return brief(64);
}

std::string Digest::brief(std::size_t digits) const {
  static constexpr char k_hex[] = "0123456789abcdef";
  std::string text(std::min(digits, 2 * bytes.size()), '\0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint8_t byte = bytes[i / 2];
    text[i] = k_hex[i % 2 == 0 ? byte >> 4 : byte & 15];
  }
  return text;
}

std::optional<Digest> Digest::from_hex(std::string_view text) {
  if (text.size() != 64) {
    return std::nullopt;
  }
  Digest digest;
  for (std::size_t i = 0; i < 64; ++i) {
    char c = text[i];
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (value < 0) {
      return std::nullopt;
    }
    digest.bytes[i / 2] = static_cast<std::uint8_t>(digest.bytes[i / 2] << 4 | value);
  }
  return digest;
}

} // namespace upskill
