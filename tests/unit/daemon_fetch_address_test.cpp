#include "daemon/fetch/address_rule.h"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <string>

using namespace upskill;
using namespace upskill::fetch;

namespace {

// As the system hands it over, when a connection is made.
AddressKind kind_at_connect(const std::string& text) {
  sockaddr_in6 v6{.sin6_family = AF_INET6};
  if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
    return kind_of(reinterpret_cast<const sockaddr&>(v6));
  }
  sockaddr_in v4{.sin_family = AF_INET};
  REQUIRE(::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1);
  return kind_of(reinterpret_cast<const sockaddr&>(v4));
}

void expect(AddressKind kind, std::initializer_list<const char*> addresses) {
  for (const char* address : addresses) {
    CAPTURE(address);
    CHECK(kind_at_connect(address) == kind);
    CHECK(kind_of(std::string_view(address)) == kind);
  }
}

install::WebAddress at(std::string_view text) {
  return *install::read_web_address(text);
}

ErrorCode code_of(const Result<void>& result) {
  return result ? ErrorCode::internal : result.error().code;
}

} // namespace

TEST_SUITE("AddressRule") {
  TEST_CASE("the internet") {
    expect(AddressKind::open,
           {"1.1.1.1",        "9.255.255.255",   "11.0.0.0",         "100.63.255.255",
            "100.128.0.0",    "126.255.255.255", "128.0.0.0",        "169.253.255.255",
            "172.15.255.255", "172.32.0.0",      "192.167.255.255",  "192.169.0.0",
            "198.17.255.255", "198.20.0.0",      "223.255.255.255",  "2606:4700::1111",
            "2a00::1",        "::ffff:1.1.1.1",  "64:ff9b::1.1.1.1", "2002:101:101::1"});
  }

  TEST_CASE("this machine") {
    expect(AddressKind::loopback,
           {"127.0.0.1",
            "127.255.255.255",
            "::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::127.0.0.1",
            "2002:7f00:1::"});
  }

  TEST_CASE("private networks") {
    expect(AddressKind::near,
           {"10.0.0.0",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.0.1",
            "169.254.255.255",
            "172.16.0.0",
            "172.31.255.255",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "fc00::1",
            "fdff::1",
            "::ffff:10.0.0.1",
            "::ffff:192.168.1.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:a00:1::1",
            "2a00::5efe:1.1.1.1",
            "2a00::200:5efe:10.0.0.1"});
  }

  TEST_CASE("no server, or a cloud's own") {
    expect(AddressKind::never,
           {"0.0.0.0",
            "0.1.2.3",
            "169.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "192.88.99.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::ffff:0.0.0.0",
            "::ffff:169.254.169.254",
            "64:ff9b::169.254.169.254",
            "2002:a9fe:a9fe::1",
            "2a00::5efe:169.254.169.254",
            "fd00:ec2::254",
            "fd20:ce::254",
            "ff02::1",
            "2001:db8::1",
            "3fff::1",
            "100::1",
            "2001::1",
            "4000::1"});
    sockaddr_in other{.sin_family = AF_UNIX};
    CHECK(kind_of(reinterpret_cast<const sockaddr&>(other)) == AddressKind::never);
  }

  TEST_CASE("hosts that are addresses, in every spelling, and names") {
    for (std::string_view host : {"127.1",
                                  "0x7f.1",
                                  "0177.0.0.1",
                                  "2130706433",
                                  "0x7f000001",
                                  "localhost",
                                  "a.localhost"}) {
      CAPTURE(host);
      CHECK(kind_of(host) == AddressKind::loopback);
    }
    CHECK(kind_of(std::string_view("0xa9fea9fe")) == AddressKind::never);
    for (std::string_view host :
         {"example.org", "localhost.example.org", "127.0.0.1.nip.io", "1.2.3.4.5"}) {
      CHECK_FALSE(kind_of(host).has_value());
    }
  }

  TEST_CASE("who may lead where") {
    AddressRule person{.where = "x:443"};
    AddressRule other{.by = NamedBy::other, .where = "x:443"};
    AddressRule listed{.by = NamedBy::other, .is_listed = true, .where = "x:443"};
    for (AddressKind kind : {AddressKind::loopback, AddressKind::near}) {
      CHECK(person.check(kind));
      CHECK(listed.check(kind));
      CHECK(code_of(other.check(kind)) == ErrorCode::refused);
      CHECK(other.check(kind).error().hint.find("private_hosts") != std::string::npos);
    }
    for (const AddressRule& rule : {person, other, listed}) {
      CHECK(rule.check(AddressKind::open));
      CHECK(code_of(rule.check(AddressKind::never)) == ErrorCode::refused);
      AddressRule plain = rule;
      plain.is_plain = true;
      CHECK(code_of(plain.check(AddressKind::open)) == ErrorCode::refused);
      CHECK(code_of(plain.check(AddressKind::never)) == ErrorCode::refused);
      CHECK(plain.check(AddressKind::near).has_value()
            == rule.check(AddressKind::near).has_value());
    }
  }

  TEST_CASE("a redirect is another's word, but to the same host and port") {
    FetchSetting setting;
    install::WebAddress first = at("https://nas.local/x");
    CHECK(rule_for(at("https://nas.local/y"), first, setting).by == NamedBy::person);
    CHECK(rule_for(at("https://nas.local:8443/y"), first, setting).by == NamedBy::other);
    CHECK(rule_for(at("http://nas.local/y"), first, setting).by == NamedBy::other);
    CHECK(rule_for(at("https://nas2.local/y"), first, setting).by == NamedBy::other);
    CHECK(rule_for(at("http://nas.local/y"), first, setting).is_plain);
    setting.by = NamedBy::other;
    CHECK(rule_for(first, first, setting).by == NamedBy::other);
  }

  TEST_CASE("hosts of the configuration") {
    std::vector<std::string> hosts{"NAS.local", "10.0.0.5:8080", "[fd00::1]"};
    CHECK(is_listed(hosts, at("https://nas.local/")));
    CHECK(is_listed(hosts, at("http://nas.local:9/")));
    CHECK(is_listed(hosts, at("http://10.0.0.5:8080/")));
    CHECK(is_listed(hosts, at("http://[fd00::1]/")));
    CHECK_FALSE(is_listed(hosts, at("http://10.0.0.5/")));
    CHECK_FALSE(is_listed(hosts, at("https://nas.local.example.org/")));
    CHECK_FALSE(is_listed({}, at("https://nas.local/")));
  }
}
