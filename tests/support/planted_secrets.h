#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// Secrets and identifiers made while a test runs: nothing in here is one. The beginnings of
// vendors' keys are written in two pieces, so that no scanner of repositories takes them for a key
// either.
namespace upskill::tests {

// `{W36}` in a form is 36 random letters and digits; the letters are those of letters_of().
struct SecretKind {
  std::string_view rule;
  std::string_view form;
};

inline constexpr SecretKind k_secret_kinds[] = {
    {"aws-access-key-id",
     "AK"
     "IA{A16}"},
    {"aws-secret-access-key", "aws_secret_access_key = {S40}"},
    {"aws-session-token", "AWS_SESSION_TOKEN={S160}"},
    {"google-api-key",
     "AI"
     "za{B35}"},
    {"google-oauth-access-token",
     "ya"
     "29.{B60}"},
    {"google-oauth-client-secret",
     "GOC"
     "SPX-{B28}"},
    {"azure-storage-key",
     "AccountName=x;Account"
     "Key={S86}==;"},
    {"azure-shared-access-key",
     "SharedAccess"
     "Key={S43}="},
    {"azure-shared-access-signature",
     "https://x.blob.core.windows.net/c?sv=2024-11-04&sp=r&si"
     "g={W43}%3D"},
    {"azure-client-secret",
     "{W3}8"
     "Q~{B34}"},
    {"digitalocean-token",
     "do"
     "p_v1_{H64}"},
    {"heroku-key",
     "HR"
     "KU-{B40}"},
    {"flyio-token",
     "fm"
     "2_{S100}"},
    {"netlify-token",
     "nf"
     "p_{W36}"},
    {"vercel-token",
     "vc"
     "p_{W40}"},
    {"cloudflare-token", "CLOUDFLARE_API_TOKEN={B40}"},
    {"fastly-token", "FASTLY_API_TOKEN: \"{B32}\""},
    {"github-pat",
     "gh"
     "p_{W36}"},
    {"github-oauth",
     "gh"
     "o_{W36}"},
    {"github-app-token",
     "gh"
     "s_{W36}"},
    {"github-refresh-token",
     "gh"
     "r_{W76}"},
    {"github-fine-grained-pat",
     "github"
     "_pat_{W22}_{W59}"},
    {"gitlab-pat",
     "gl"
     "pat-{B20}"},
    {"gitlab-token",
     "gl"
     "rt-{B20}"},
    {"bitbucket-token",
     "AT"
     "BB{W32}"},
    {"npm-token",
     "np"
     "m_{W36}"},
    {"pypi-token",
     "py"
     "pi-AgEIcHlwaS5vcmc{B80}"},
    {"rubygems-token",
     "ruby"
     "gems_{H48}"},
    {"crates-io-token",
     "ci"
     "o{W32}"},
    {"docker-token",
     "dck"
     "r_pat_{B27}"},
    {"anthropic-key",
     "sk-"
     "ant-api03-{B93}AA"},
    {"openai-key",
     "sk-"
     "proj-{B74}T3BlbkFJ{B74}"},
    {"openai-legacy-key",
     "sk-"
     "{W20}T3Blbk"
     "FJ{W20}"},
    {"openrouter-key",
     "sk-"
     "or-v1-{H64}"},
    {"deepseek-key",
     "sk-"
     "{H32}"},
    {"groq-key",
     "gs"
     "k_{W52}"},
    {"xai-key",
     "xa"
     "i-{W80}"},
    {"mistral-key", "MISTRAL_API_KEY={W32}"},
    {"perplexity-key",
     "ppl"
     "x-{W48}"},
    {"huggingface-token",
     "h"
     "f_{W34}"},
    {"replicate-token",
     "r"
     "8_{W37}"},
    {"nvidia-key",
     "nv"
     "api-{B64}"},
    {"cursor-key",
     "ke"
     "y_{H64}"},
    {"langsmith-key",
     "ls"
     "v2_pt_{H32}_{H10}"},
    {"stripe-secret-key",
     "sk"
     "_live_{W24}"},
    {"stripe-webhook-secret",
     "wh"
     "sec_{W32}"},
    {"square-token",
     "EA"
     "AA{B60}"},
    {"shopify-token",
     "shp"
     "at_{H32}"},
    {"slack-token",
     "xo"
     "xb-{D12}-{D13}-{W24}"},
    {"slack-app-token",
     "xa"
     "pp-1-{U11}-{D13}-{H64}"},
    {"slack-webhook",
     "https://hooks."
     "slack.com/services/T{U10}/B{U10}/{W24}"},
    {"discord-webhook",
     "https://discord.com/api/web"
     "hooks/1012457800123456789/{B68}"},
    {"telegram-bot-token",
     "{D10}:A"
     "A{B33}"},
    {"telegram-bot-token",
     "https://api.telegram.org/bot{D10}:A"
     "A{B33}/getMe"},
    {"twilio-key",
     "S"
     "K{H32}"},
    {"sendgrid-key",
     "S"
     "G.{B22}.{B43}"},
    {"mailgun-key",
     "ke"
     "y-{H32}"},
    {"mailchimp-key",
     "{H32}-u"
     "s12"},
    {"postmark-token", "POSTMARK_SERVER_TOKEN={H8}-{H4}-{H4}-{H4}-{H12}"},
    {"linear-key",
     "li"
     "n_api_{W40}"},
    {"notion-token",
     "nt"
     "n_{W46}"},
    {"asana-token", "2/12{D14}/12{D14}:{H32}"},
    {"atlassian-token",
     "ATA"
     "TT3xFfGF0{B180}"},
    {"airtable-token",
     "pa"
     "t{W14}.{H64}"},
    {"figma-token",
     "fi"
     "gd_{B40}"},
    {"databricks-token",
     "da"
     "pi{H32}"},
    {"datadog-key", "DD_API_KEY={H32}"},
    {"sentry-token",
     "snt"
     "rys_{S120}"},
    {"newrelic-key",
     "NR"
     "AK-{U27}"},
    {"grafana-token",
     "gl"
     "sa_{W32}_{H8}"},
    {"vault-token",
     "hv"
     "s.{B90}"},
    {"terraform-token",
     "{W14}.atlas"
     "v1.{B67}"},
    {"doppler-token",
     "dp."
     "pt.{W43}"},
    {"onepassword-service-token",
     "op"
     "s_eyJ{B600}"},
    {"age-secret-key",
     "AGE-SECRET-"
     "KEY-1{X58}"},
    {"supabase-token",
     "sb"
     "p_{H40}"},
    {"planetscale-token",
     "psc"
     "ale_tkn_{B43}"},
    {"pulumi-token",
     "pu"
     "l-{H40}"},
    {"tailscale-key",
     "tsk"
     "ey-auth-{W12}-{W32}"},
    {"postman-key",
     "PM"
     "AK-{H24}-{H34}"},
    {"wireguard-key", "PrivateKey = {S43}="},
    {"private-key",
     "-----BEGIN RSA PRIV"
     "ATE KEY-----\n{S64}\n{S64}\n{S64}\n{S24}==\n-----END RSA PRIVATE KEY-----"},
    {"private-key",
     "-----BEGIN PRIV"
     "ATE KEY-----\\n{S64}\\n{S40}\\n-----END PRIVATE KEY-----\\n"},
    {"private-key",
     "-----BEGIN PGP PRIV"
     "ATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{S64}\n{S64}\n={S4}\n"
     "-----END PGP PRIVATE KEY BLOCK-----"}};

inline std::string_view letters_of(char kind) {
  static constexpr std::string_view k_all =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  switch (kind) {
  case 'H':
    return "0123456789abcdef";
  case 'D':
    return "123456789";
  case 'U':
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  case 'A':
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  case 'X':
    return "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
  case 'L':
    return k_all.substr(26);
  case 'C': // letters alone
    return k_all.substr(0, 52);
  case 'l':
    return k_all.substr(26, 26);
  case 'S':
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  case 'B':
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  default:
    return k_all;
  }
}

struct Planted {
  std::string text;
  std::vector<std::string> random; // the parts of it that nobody may see again

  // Whether eight bytes in a row of a random part are in `seen`.
  bool shows_in(std::string_view seen) const {
    for (const std::string& part : random) {
      for (std::size_t i = 0; i + 8 <= part.size(); ++i) {
        if (seen.find(std::string_view(part).substr(i, 8)) != std::string_view::npos) {
          return true;
        }
      }
    }
    return false;
  }
};

class Plants {
public:
  explicit Plants(std::uint64_t seed)
      : m_random(seed) {}

  std::size_t below(std::size_t bound) { return m_random() % bound; }

  std::string letters(char kind, std::size_t count) {
    std::string_view from = letters_of(kind);
    std::string made;
    for (std::size_t i = 0; i < count; ++i) {
      // A key that ends in a sign would not be told from one that is shorter and a sign.
      std::size_t bound =
          i == 0 || i + 1 == count ? std::min<std::size_t>(from.size(), 62) : from.size();
      made += from[below(bound)];
    }
    return made;
  }

  Planted grow(std::string_view form) {
    Planted planted;
    while (!form.empty()) {
      std::size_t open = std::min(form.find('{'), form.size());
      planted.text += form.substr(0, open);
      form.remove_prefix(open);
      if (form.empty()) {
        break;
      }
      std::size_t close = form.find('}');
      std::string count(form.substr(2, close - 2));
      std::string part = letters(form[1], static_cast<std::size_t>(std::stoul(count)));
      planted.text += part;
      planted.random.push_back(std::move(part));
      form.remove_prefix(close + 1);
    }
    return planted;
  }

  std::string_view one_of(std::initializer_list<std::string_view> choices) {
    return choices.begin()[below(choices.size())];
  }

private:
  std::mt19937_64 m_random;
};

// What JSON writes between quotes for `text`, `share` percent of its bytes as \uXXXX.
inline std::string as_json_string(Plants& plants, std::string_view text, std::size_t share) {
  static constexpr std::string_view k_hex = "0123456789abcdef";
  std::string json;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || (byte < 0x80 && plants.below(100) < share)) {
      json += "\\u00";
      json += k_hex[byte >> 4];
      json += k_hex[byte & 15];
    } else if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (c == '/' && plants.below(2) == 0) {
      json += "\\/";
    } else {
      json += c;
    }
  }
  return json;
}

// Identifiers of the kinds that traces are full of, none of which is a secret.
std::string grow_innocent(Plants& plants, std::size_t kind);
inline constexpr std::size_t k_innocent_kinds = 40;

} // namespace upskill::tests
