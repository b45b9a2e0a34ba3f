#include "daemon/fetch/http_fetch.h"

#include "daemon/await.h"
#include "daemon/fetch/address_rule.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <utility>

namespace upskill::fetch {
namespace {

constexpr int k_most_redirects = 5;
constexpr std::chrono::milliseconds k_least{1};

// Where the body of the last answer goes: each redirect has one, too.
struct Sink {
  std::function<Result<void>()> begin;
  std::function<Result<void>(std::string_view)> take;
};

struct Call {
  std::string method = {};
  models::Headers headers = {};
  std::string body = {};
  std::size_t most_bytes = 0;
  int redirects = 0;
  bool keeps_encoding = false;
  Sink sink = {};
};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

models::HttpRequest request_of(const Call& call,
                               const install::WebAddress& to,
                               const AddressRule& rule,
                               bool is_first,
                               const FetchSetting& setting) {
  models::HttpRequest request{.method = call.method,
                              .url = to.text(),
                              .body = call.body,
                              .deadlines = setting.deadlines,
                              .longest_body = call.most_bytes,
                              .keeps_encoding = call.keeps_encoding,
                              .environment = setting.environment,
                              .on_body = call.sink.take};
  if (is_first) {
    request.headers = call.headers;
  }
  request.may_connect = [rule](const sockaddr& address) { return rule.check(kind_of(address)); };
  return request;
}

// A host that is an address, and `localhost`, are known without asking; whatever goes to a proxy is
// not connected to by us.
Result<void> check_host(const install::WebAddress& to, const AddressRule& rule) {
  std::optional<AddressKind> kind = kind_of(to.host);
  return kind ? rule.check(*kind) : Result<void>();
}

// What a proxy looked up is the proxy's matter, but http into the internet stays http.
Result<void> check_way(const install::WebAddress& to,
                       const AddressRule& rule,
                       const models::HttpResponse& response) {
  bool is_unknown = response.address.empty() && !kind_of(to.host);
  return is_unknown && to.is_plain ? rule.check(AddressKind::open) : Result<void>();
}

asio::awaitable<Result<FetchReply>>
go(models::Http& http, std::string url, Call call, FetchSetting setting) {
  CO_TRY_ASSIGN(const install::WebAddress first, install::read_web_address(url));
  install::WebAddress to = first;
  const runtime::Clock::time_point end = runtime::Clock::now() + setting.deadlines.total;
  for (int hop = 0;; ++hop) {
    AddressRule rule = rule_for(to, first, setting);
    CO_TRY(check_host(to, rule));
    CO_TRY(call.sink.begin());
    bool is_first = to.origin() == first.origin();
    models::HttpRequest request = request_of(call, to, rule, is_first, setting);
    request.deadlines.total =
        std::max<runtime::Clock::duration>(end - runtime::Clock::now(), k_least);
    AWAIT(Result<models::HttpResponse> response, http.perform(std::move(request)));
    CO_TRY(response);
    CO_TRY(check_way(to, rule, *response));
    if (call.redirects == 0 || !is_redirect(response->status)) {
      co_return FetchReply{.status = response->status,
                           .headers = std::move(response->headers),
                           .url = to.text(),
                           .address = std::move(response->address)};
    }
    if (hop == call.redirects) {
      co_return fail(ErrorCode::unavailable,
                     fmt::format("`{}` leads from one address to the next, {} times",
                                 first.where(),
                                 call.redirects + 1));
    }
    std::string_view next = models::header(response->headers, "location");
    CO_TRY_ASSIGN(to, install::resolve_address(to, next));
  }
}

Sink sink_of(std::string& body) {
  return {.begin = [&body]() -> Result<void> {
            body.clear();
            return {};
          },
          .take = [&body](std::string_view bytes) -> Result<void> {
            body.append(bytes);
            return {};
          }};
}

// A new file, and the digest of what is in it. A piece of some KB at a time is written into the
// system's cache, where it waits for no disk.
struct Target {
  UniqueFd fd = {};
  std::string path = {};
  std::optional<Sha256> digest = {};
  std::uint64_t size = 0; // bytes

  Result<void> open() {
    fd.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    return fd ? Result<void>() : failed();
  }

  Result<void> begin() {
    digest.emplace();
    size = 0;
    return ::ftruncate(fd.get(), 0) == 0 && ::lseek(fd.get(), 0, SEEK_SET) == 0 ? Result<void>()
                                                                                : failed();
  }

  Result<void> take(std::string_view bytes) {
    digest->update(bytes);
    size += bytes.size();
    while (!bytes.empty()) {
      ssize_t written = ::write(fd.get(), bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) {
        return failed();
      }
      bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return {};
  }

  Result<void> failed() const {
    return fail(system_error(errno, "cannot write " + in_backticks(path)));
  }
};

} // namespace

asio::awaitable<Result<FetchReply>> http_get(models::Http& http,
                                             std::string url,
                                             models::Headers headers,
                                             std::size_t most_bytes,
                                             FetchSetting setting) {
  std::string body;
  Call call{.method = "GET",
            .headers = std::move(headers),
            .most_bytes = most_bytes,
            .redirects = k_most_redirects,
            .sink = sink_of(body)};
  AWAIT(Result<FetchReply> reply, go(http, std::move(url), std::move(call), std::move(setting)));
  if (reply) {
    reply->body = std::move(body);
  }
  co_return reply;
}

asio::awaitable<Result<FetchReply>> http_post(models::Http& http,
                                              std::string url,
                                              models::Headers headers,
                                              std::string body,
                                              std::size_t most_bytes,
                                              FetchSetting setting) {
  std::string answer;
  Call call{.method = "POST",
            .headers = std::move(headers),
            .body = std::move(body),
            .most_bytes = most_bytes,
            .sink = sink_of(answer)};
  AWAIT(Result<FetchReply> reply, go(http, std::move(url), std::move(call), std::move(setting)));
  if (reply) {
    reply->body = std::move(answer);
  }
  co_return reply;
}

asio::awaitable<Result<Downloaded>> http_download(models::Http& http,
                                                  std::string url,
                                                  std::string file,
                                                  std::size_t most_bytes,
                                                  FetchSetting setting) {
  CO_TRY_ASSIGN(install::WebAddress address, install::read_web_address(url));
  Target target{.path = std::move(file)};
  CO_TRY(target.open());
  Call call{.method = "GET",
            .most_bytes = most_bytes,
            .redirects = k_most_redirects,
            .keeps_encoding = true}; // servers say of a `.tar.gz` that it is a packed tar
  call.sink.begin = [&target] { return target.begin(); };
  call.sink.take = [&target](std::string_view bytes) { return target.take(bytes); };
  AWAIT(Result<FetchReply> reply, go(http, std::move(url), std::move(call), std::move(setting)));
  CO_TRY(reply);
  if (reply->status != 200) {
    co_return fail(error_of_status(reply->status, address));
  }
  co_return Downloaded{
      .url = std::move(reply->url), .digest = target.digest->finish(), .bytes = target.size};
}

Error error_of_status(int status, const install::WebAddress& address) {
  std::string where = in_backticks(address.origin() + address.path);
  if (status == 404 || status == 410) {
    return {ErrorCode::not_found, "nothing is at " + where, "check the address"};
  }
  if (status == 401 || status == 403) {
    return {ErrorCode::refused,
            where + " is not for everybody",
            "a private repository is fetched by git, with your own credentials"};
  }
  return {ErrorCode::unavailable,
          fmt::format("{} answers with status {}", where, status),
          status >= 500 || status == 429 ? "try again later" : "check the address"};
}

FetchSetting
setting_within(FetchSetting setting, const std::string& url, const std::string& named) {
  Result<install::WebAddress> to = install::read_web_address(url);
  Result<install::WebAddress> first = install::read_web_address(named);
  if (!to || !first || to->host != first->host || to->port != first->port) {
    setting.by = NamedBy::other;
  }
  return setting;
}

} // namespace upskill::fetch
