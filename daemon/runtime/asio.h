#pragma once
// The one way to Asio: what nearly every user needs, precompiled once for all of them. Anything
// rarer (sockets, signals, descriptors) is included where it is used. The library's own code is
// compiled in asio.cpp only.
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace upskill {

namespace asio = boost::asio;

} // namespace upskill
