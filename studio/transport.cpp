// The only file that sees Boost.Beast and Asio, which take their time to compile. One thread runs all of this; what
// computes does so on the lanes, and posts its answer back.
#include "studio/transport.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <list>

#include "base/fail.hpp"
#include "studio/errors.hpp"
#include "studio/router.hpp"
#include "studio/token.hpp"

namespace mercer::studio {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;
using boost::system::error_code;

Answer busy_answer() {
  Answer out = error_answer(503, "the server is busy", "", "ask again in a moment");
  out.headers.emplace_back("Retry-After", "1");
  return out;
}

Head head_of(const http::request<http::string_body>& message) {
  Head out;
  const auto once = [&](const auto& field, std::string& value) {
    const auto [from, to] = message.equal_range(field);
    if (from == to) return;
    out.twice = out.twice || std::next(from) != to;
    value = std::string(from->value());
  };
  out.method = std::string(message.method_string());
  out.target = std::string(message.target());
  once(http::field::host, out.host);
  once(http::field::origin, out.origin);
  once(http::field::content_type, out.type);
  once("X-Mercer-Key", out.key);
  once("X-Mercer-Name", out.name);
  once("Last-Event-ID", out.last_event);
  once(http::field::if_none_match, out.etag);
  out.takes_gzip = std::string(message[http::field::accept_encoding]).find("gzip") != std::string::npos;
  return out;
}

Lane& lane_of(Studio& studio, Route::Where where) {
  return where == Route::Where::quick ? studio.quick : where == Route::Where::files ? studio.files : studio.patient;
}

class Session;
using Sessions = std::list<std::shared_ptr<Session>>;  // the oldest first

}  // namespace

struct Transport::Rooms {
  explicit Rooms(Studio& studio) : studio(studio) {}

  Studio& studio;
  asio::io_context io{1};
  std::vector<Tcp::acceptor> acceptors;
  asio::signal_set signals{io};
  Sessions sessions;
  int signal = 0;

  void listen(unsigned short port);
  void accept_on(Tcp::acceptor& acceptor);
  void make_room();
  void tell_streams();
  void close();
};

namespace {

// One connection: request after request, or one stream of events.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Tcp::socket socket, Studio& studio, Sessions& all)
      : stream_(std::move(socket)), timer_(stream_.get_executor()), studio_(studio), all_(all) {}

  void start() {
    all_.push_back(shared_from_this());
    read_head();
  }

  void close() {
    error_code ignored;
    timer_.cancel();
    stream_.socket().shutdown(Tcp::socket::shutdown_both, ignored);
    stream_.close();
    all_.remove(shared_from_this());
  }

  // Whether it has shown the key.
  bool let_in() const { return let_in_; }

  // A stream of events sends what is new.
  void tell() {
    if (!streaming_ || writing_) return;
    const Events::Missed missed = studio_.events.after(told_, slot_);
    std::string text;
    if (missed.lost_before > 0) {
      text = fmt::format("event: lost\ndata: {{\"from\":{},\"to\":{}}}\n\n", told_ + 1, missed.lost_before);
    }
    for (const Event& event : missed.events) text += event.text();
    told_ = missed.up_to;
    if (!text.empty()) send_chunk(std::move(text));
  }

 private:
  // ---- requests ----

  void read_head() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(kMostBody);
    stream_.expires_after(kPatience);  // for the whole head: one byte now and then does not prolong it
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t) { self->on_head(error); });
  }

  void on_head(error_code error) {
    if (error == http::error::header_limit) return end_with(error_answer(431, "the headers are longer than 8 kB"));
    if (error == http::error::body_limit) return end_with(too_large());
    // Gone, or too slow.
    if (error == http::error::end_of_stream ||
        (error && error.category() != beast::error_code(http::error::bad_method).category())) {
      return close();
    }
    if (error) return end_with(error_answer(400, "this is not HTTP: " + error.message()));
    request_ = {};
    request_.head = head_of(parser_->get());
    if (const auto refusal = refuse(studio_.guard, request_.head)) {
      return refusal->slowly ? end_slowly(refusal->answer) : end_with(refusal->answer);
    }
    let_in_ = let_in_ || same_secret(request_.head.key, studio_.guard.key);
    split_target(request_);
    const Match match = find_route(request_);
    if (match.route == nullptr) {
      return end_with(match.other_method ? error_answer(405, "this path is for the other one of GET and POST")
                                         : error_answer(404, "there is nothing at " + request_.path));
    }
    route_ = match.route;
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue"))
      return end_with(error_answer(417, "send the body at once"));
    // What is read on this thread must be short.
    const std::size_t most = route_->where == Route::Where::at_once ? kMostAtOnce : kMostBody;
    if (parser_->content_length() && *parser_->content_length() > most) return end_with(too_large(most));
    parser_->body_limit(most);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) { self->on_body(error); });
  }

  static Answer too_large(std::size_t most = kMostBody) {
    return error_answer(413, fmt::format("a body is at most {} MB here", most >> 20), "body",
                        "take some of the rows, or the mercer command");
  }

  void on_body(error_code error) {
    if (error == http::error::body_limit) {
      return end_with(too_large(route_->where == Route::Where::at_once ? kMostAtOnce : kMostBody));
    }
    if (error) return close();
    stream_.expires_never();
    keep_alive_ = parser_->get().keep_alive();
    request_.body = std::move(parser_->get().body());
    parser_.reset();
    if (route_->stream) return begin_stream();
    if (route_->where == Route::Where::at_once) return reply(answer_to(studio_, *route_, request_));
    Lane& lane = lane_of(studio_, route_->where);
    auto request = std::make_shared<Request>(std::move(request_));
    const bool taken = lane.post([self = shared_from_this(), request, route = route_]() mutable {
      auto answer = std::make_shared<Answer>(answer_to(self->studio_, *route, *request));
      request.reset();
      auto executor = self->stream_.get_executor();
      asio::post(executor, [self = std::move(self), answer] { self->reply(std::move(*answer)); });
    });
    if (!taken) reply(busy_answer());
  }

  // ---- answers ----

  void reply(Answer answer) {
    if (!stream_.socket().is_open()) return;
    // A wrong token is told by its handler.
    if (answer.status == 403 && route_ != nullptr && route_->path == "/api/v1/session") return end_slowly(answer);
    send(std::move(answer));
  }

  // The rest of the request is not read: the connection ends with this.
  void end_with(Answer answer) {
    keep_alive_ = false;
    send(std::move(answer));
  }

  void end_slowly(const Answer& answer) {
    timer_.expires_after(kWrongTokenDelay);
    timer_.async_wait([self = shared_from_this(), answer](error_code error) {
      if (!error) self->end_with(answer);
    });
  }

  void send(Answer answer) {
    const bool has_policy = std::any_of(answer.headers.begin(), answer.headers.end(),
                                        [](const auto& header) { return header.first == "Content-Security-Policy"; });
    if (!has_policy) add_security_headers(answer);
    auto response = std::make_shared<http::response<http::string_body>>();
    response->version(11);
    response->result(static_cast<unsigned>(answer.status));
    for (const auto& [name, value] : answer.headers) response->set(name, value);
    if (response->find(http::field::cache_control) == response->end()) {
      response->set(http::field::cache_control, "no-store");
    }
    if (answer.status != 204 && answer.status != 304) response->set(http::field::content_type, answer.type);
    response->keep_alive(keep_alive_);
    response->body() = std::move(answer.body);
    response->prepare_payload();
    stream_.expires_after(kPatience);
    http::async_write(stream_, *response, [self = shared_from_this(), response](error_code error, std::size_t) {
      if (error) return self->close();
      if (self->keep_alive_) return self->read_head();
      self->linger();
    });
  }

  // Closing while the other side still sends would reset the connection and take our answer with it.
  void linger() {
    error_code ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kPatienceAfterRefusal);
    drain();
  }

  void drain() {
    stream_.async_read_some(asio::buffer(scrap_), [self = shared_from_this()](error_code error, std::size_t got) {
      self->drained_ += got;
      error || self->drained_ > kMostPassedOver ? self->close() : self->drain();
    });
  }

  // ---- events ----

  static std::uint64_t number_in(const std::string& text) {
    std::uint64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
  }

  void begin_stream() {
    // A browser that connects again sends the address as it was, and the number it has reached as a header.
    const auto after = request_.query.find("after");
    const bool says = after != request_.query.end() || !request_.head.last_event.empty();
    const std::uint64_t asked = after == request_.query.end() ? 0 : number_in(after->second);
    const std::uint64_t last = studio_.events.last();
    told_ = says ? std::min(last, std::max(asked, number_in(request_.head.last_event))) : last;
    slot_ = request_.query["slot"];
    streaming_ = true;
    Answer head;
    add_security_headers(head);
    std::string text =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n";
    for (const auto& [name, value] : head.headers) text += name + ": " + value + "\r\n";
    text += fmt::format("\r\nevent: hello\ndata: {{\"server\":\"{}\",\"last\":{}}}\n\n", studio_.server,
                        studio_.events.last());
    send_chunk(std::move(text));
    watch_for_end();
    beat();
  }

  void send_chunk(std::string text) {
    writing_ = true;
    chunk_ = std::move(text);
    stream_.expires_after(kPatience);
    asio::async_write(stream_, asio::buffer(chunk_), [self = shared_from_this()](error_code error, std::size_t) {
      self->writing_ = false;
      self->chunk_ = {};
      if (error) return self->close();
      self->stream_.expires_never();
      self->tell();
    });
  }

  // A page says nothing more on this connection; reading tells when it is gone.
  void watch_for_end() {
    stream_.socket().async_read_some(asio::buffer(scrap_), [self = shared_from_this()](error_code error, std::size_t) {
      error ? self->close() : self->watch_for_end();
    });
  }

  void beat() {
    timer_.expires_after(kHeartbeat);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (error) return;
      if (!self->writing_) self->send_chunk(": still here\n\n");
      self->beat();
    });
  }

  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  Studio& studio_;
  Sessions& all_;
  beast::flat_buffer buffer_{kMostBody + (1 << 20)};
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  const Route* route_ = nullptr;
  bool keep_alive_ = false, streaming_ = false, writing_ = false, let_in_ = false;
  std::string slot_, chunk_;
  std::uint64_t told_ = 0;
  std::size_t drained_ = 0;
  std::array<char, 16 << 10> scrap_{};
};

// Where the port is free in both families.
bool listen_on(asio::io_context& io, unsigned short& port, std::vector<Tcp::acceptor>& out) {
  out.clear();
  for (const char* address : {"127.0.0.1", "::1"}) {
    const Tcp::endpoint place(asio::ip::make_address(address), port);
    Tcp::acceptor acceptor(io);
    error_code error;
    acceptor.open(place.protocol(), error);
    if (!error && place.protocol() == Tcp::v6()) acceptor.set_option(asio::ip::v6_only(true), error);
    if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(place, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) {
      port = acceptor.local_endpoint().port();
      out.push_back(std::move(acceptor));
    } else if (error == asio::error::address_in_use || error == asio::error::access_denied || out.empty()) {
      return false;
    }  // else a machine without IPv6
  }
  return true;
}

}  // namespace

void Transport::Rooms::listen(unsigned short port) {
  constexpr int kMostTried = 100;
  for (int i = 0; i < kMostTried; ++i) {
    unsigned short tried = port == 0 ? 0 : static_cast<unsigned short>(port + i);
    if (port != 0 && tried < port) break;
    if (!listen_on(io, tried, acceptors)) continue;
    studio.guard.port = tried;
    return;
  }
  fail(ErrorKind::file, "studio: no port is free from {} on; name another by --port", port);
}

void Transport::Rooms::accept_on(Tcp::acceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](error_code error, Tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) make_room();
    if (!error && sessions.size() < kMostConnections) {
      socket.set_option(Tcp::no_delay(true), error);
      std::make_shared<Session>(std::move(socket), studio, sessions)->start();
    } else if (!error) {
      static constexpr std::string_view kFull =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
      socket.non_blocking(true, error);
      socket.write_some(asio::buffer(kFull), error);
    }
    accept_on(acceptor);
  });
}

// Whoever connects and says nothing must not keep those out who have the key: the oldest of them goes.
void Transport::Rooms::make_room() {
  if (sessions.size() < kMostConnections) return;
  const auto stranger = std::find_if(sessions.begin(), sessions.end(),
                                     [](const std::shared_ptr<Session>& one) { return !one->let_in(); });
  if (stranger == sessions.end()) return;
  const std::shared_ptr<Session> oldest = *stranger;
  oldest->close();
}

void Transport::Rooms::tell_streams() {
  const auto all = sessions;  // one that fails takes itself out
  for (const auto& session : all) session->tell();
}

void Transport::Rooms::close() {
  acceptors.clear();
  const auto all = sessions;
  for (const auto& session : all) session->close();
}

Transport::Transport(Studio& studio, unsigned short port) : rooms_(std::make_unique<Rooms>(studio)) {
  rooms_->listen(port);
  for (Tcp::acceptor& acceptor : rooms_->acceptors) rooms_->accept_on(acceptor);
  studio.events.on_event([rooms = rooms_.get()] { asio::post(rooms->io, [rooms] { rooms->tell_streams(); }); });
}

Transport::~Transport() { rooms_->studio.events.on_event(nullptr); }

unsigned short Transport::port() const { return rooms_->studio.guard.port; }

int Transport::run() {
  Rooms& rooms = *rooms_;
  rooms.signals.add(SIGINT);
  rooms.signals.add(SIGTERM);
  rooms.signals.async_wait([&](error_code, int signal) {
    rooms.signal = signal;
    rooms.studio.jobs.cancel_all();
    rooms.close();
    rooms.io.stop();
  });
  rooms.io.run();
  return rooms.signal;
}

}  // namespace mercer::studio
