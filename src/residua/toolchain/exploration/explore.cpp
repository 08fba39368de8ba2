// Explores every state that the control of a network reaches, with data that are unknown or all.
//
// usage: explore REQUEST
//
// REQUEST holds numbers, in this order; a literal is twice a node and 1 more if it is inverted,
// nodes are the constant 0, inputs, registers, which begin with 0, and gates:
//   inputs, registers, gates; the number of the input that resets
//   choices: how many, and the numbers of those inputs, of which all values are tried
//   claims: how many, and literals that have to be 0 in every cycle
//   stream: 0; or else the following, 1 if an operation may begin before another one ends, 2 if not
//     valid (an input), ready (a literal), words of an operation, the bits that each may have,
//     how many inputs a word has, and their numbers
//     valid (a literal), ready (an input), words of a result
//     a literal that has to be 0 while a word of a result is valid
//   most states
//   what each register takes, and the two literals of each gate
//
// A state is a value of the control registers: of those that stay known, whatever the data are.
// What two ways to a state leave different in the others, the data, is unknown after it.
//
// With a stream one operation is followed at a time, from every state in which one may begin. Its
// words are all that there are, a column each. Of others, before it and at the same time, the words
// are unknown if operations overlap; else what depends on the words is unknown when an operation
// has ended.
//
// Prints "proved", the states between operations, or of all control if they overlap, and the most
// states of one that is followed; or "refused" and why.

#include <algorithm>
#include <cstdio>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "values.h"

namespace {

constexpr int most_waiting = 8;

// cycles of a rehearsal, and in how many of them one resets
constexpr int rehearsed = 8000, rehearsed_resets = 2000;

constexpr const char* unready = "a handshake is unclear";

struct Refused {
  std::string reason;
};

// Something depends on what is not known: more choices may help.
struct Unclear {
  std::string what;
  std::vector<int> registers;  // of the control, which take it
  std::vector<int> literals;   // what is not known
};

struct Stream {
  bool followed = false, overlaps = false;
  int valid, ready, words;
  std::vector<int> bits, payload;
  int result_valid, result_ready, result_words;
  int differs;
};

struct Request {
  int inputs, registers, gates, reset;
  std::vector<int> choices, claims;
  Stream stream;
  std::size_t most_states;
  std::vector<int> following;
  std::vector<std::pair<int, int>> pairs;
};

class Reader {
 public:
  explicit Reader(const char* path) : file_(std::fopen(path, "r")) {
    if (file_ == nullptr) throw std::runtime_error("no such file");
  }
  ~Reader() { std::fclose(file_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  int number() {
    int value = 0;
    if (std::fscanf(file_, "%d", &value) != 1) throw std::runtime_error("a number is missing");
    return value;
  }
  std::vector<int> numbers(int count) {
    std::vector<int> found;
    for (int i = 0; i < count; ++i) found.push_back(number());
    return found;
  }
  std::vector<int> list() { return numbers(number()); }
  std::vector<std::pair<int, int>> pairs(int count) {
    std::vector<std::pair<int, int>> found;
    for (int i = 0; i < count; ++i) {
      const int first = number();
      found.emplace_back(first, number());
    }
    return found;
  }

 private:
  std::FILE* file_;
};

Request read(const char* path) {
  Reader reader(path);
  Request made;
  made.inputs = reader.number();
  made.registers = reader.number();
  made.gates = reader.number();
  made.reset = reader.number();
  made.choices = reader.list();
  made.claims = reader.list();
  Stream& stream = made.stream;
  const int kind = reader.number();
  stream.followed = kind != 0;
  stream.overlaps = kind == 1;
  if (stream.followed) {
    stream.valid = reader.number();
    stream.ready = reader.number();
    stream.words = reader.number();
    stream.bits = reader.numbers(stream.words);
    stream.payload = reader.list();
    stream.result_valid = reader.number();
    stream.result_ready = reader.number();
    stream.result_words = reader.number();
    stream.differs = reader.number();
  }
  made.most_states = static_cast<std::size_t>(reader.number());
  made.following = reader.numbers(made.registers);
  made.pairs = reader.pairs(made.gates);
  return made;
}

// Where the words of operations and results stand.
struct Traffic {
  int taken = 0;    // words of the operation that is followed; 0: of none
  int offset = 0;   // words taken of an operation that is not followed
  int ahead = 0;    // operations whose results are to come, without the one that is followed
  int given = 0;    // words of the next result
  int age = 0;      // cycles in which it neither takes a word nor has one to give
};

// What comes of an operation that is followed, or of none, in a cycle.
enum class Next { goes_on, ends, is_elsewhere };

struct State {
  std::string control;
  Traffic traffic;
  Held data;
  bool waits;
};

class Explorer {
 public:
  explicit Explorer(Request request)
      : request_(std::move(request)),
        stream_(request_.stream),
        first_register_(1 + request_.inputs),
        first_gate_(first_register_ + request_.registers),
        values_(first_gate_ + request_.gates),
        is_control_(request_.registers, true) {
    reset_is_seen_ = depends_on_reset();
  }

  void run() {
    std::size_t most = 0;
    if (!stream_.followed || stream_.overlaps) rehearse();
    for (bool done = false; !done;) {
      begin();
      try {
        most = explored();
        done = true;
      } catch (const Unclear& unclear) {
        if (unclear.registers.empty()) throw Refused{unclear.what};
        for (const int i : unclear.registers) is_control_[i] = false;
      }
    }
    std::printf("proved %zu %zu\n", states_.size(), most);
  }

 private:
  // A run with random choices: registers that become unknown in it are no control.
  void rehearse() {
    std::mt19937 random(1);
    std::vector<Value> held(request_.registers, Value::of(false));
    std::vector<int> chosen(request_.choices.size());
    for (int i = 0; i < rehearsed; ++i) {
      pool_.clear();
      std::fill(values_.begin(), values_.begin() + first_register_, Value{});
      values_[0] = Value::of(false);
      std::copy(held.begin(), held.end(), values_.begin() + first_register_);
      for (int& value : chosen) value = random() % 4 != 0;
      drive(random() % rehearsed_resets == 0, chosen);
      evaluate();
      for (int j = 0; j < request_.registers; ++j) {
        held[j] = literal(request_.following[j]);
        if (!held[j].constant()) is_control_[j] = false;
      }
    }
  }

  // The initial state alone.
  void begin() {
    states_.clear();
    places_.clear();
    waiting_.clear();
    control_.clear();
    std::vector<std::pair<int, Value>> data;
    for (int i = 0; i < request_.registers; ++i) {
      if (is_control_[i]) {
        control_.push_back(i);
      } else {
        data.emplace_back(i, Value::of(false));
      }
    }
    pool_.clear();
    reach(std::string(control_.size(), 0), {}, data);
  }

  // All states; returns the most of one operation for some of the words.
  std::size_t explored() {
    follows_now_ = stream_.followed && !stream_.overlaps;
    if (!follows_now_) work();
    if (!stream_.followed) return 0;
    follows_now_ = true;
    forget();
    int bits = 0;
    for (const int own : stream_.bits) bits += own;
    std::size_t most = 0;
    do {
      changes_ = false;
      for (column_ = 0; column_ < std::int64_t{1} << bits; column_ += columns_at_once) {
        // In the order of a vector: states between operations are never forgotten.
        for (const int at : between_) wait(at);
        work();
        most = std::max(most, states_.size() - between_.size());
        forget();
      }
      // What they have left for the next one may be new to the words that came first.
    } while (changes_);
    return most;
  }

  void wait(int at) {
    if (states_[at].waits) return;
    states_[at].waits = true;
    waiting_.push_back(at);
  }

  // Only states between operations stay.
  void forget() {
    std::unordered_map<std::string, int> places;
    std::deque<State> states;
    between_.clear();
    for (State& state : states_) {
      if (state.traffic.taken != 0) continue;
      const int at = static_cast<int>(states.size());
      places.emplace(key(state.control, state.traffic), at);
      between_.push_back(at);
      states.push_back(std::move(state));
    }
    places_ = std::move(places);
    states_ = std::move(states);
  }

  void work() {
    while (!waiting_.empty()) {
      const int at = waiting_.front();
      waiting_.pop_front();
      states_[at].waits = false;
      const Traffic traffic = states_[at].traffic;
      const bool between = traffic.taken == 0;
      if (between && follows_now_ && traffic.offset == 0) {
        follows_ = true;
        visit(at, false);
        follows_ = false;
      }
      if (between && follows_now_ && stream_.overlaps) continue;
      visit(at, false);
      if (between || !stream_.overlaps || reset_is_seen_) visit(at, true);
    }
  }

  // All cycles that a state may have: as few choices as make clear what follows.
  void visit(int at, bool reset) {
    std::vector<int> chosen(request_.choices.size(), -1);
    visit(at, reset, chosen);
  }

  void visit(int at, bool reset, std::vector<int>& chosen) {
    int next = -1;
    try {
      cycle(at, reset, chosen);
      return;
    } catch (const Unclear& unclear) {
      next = choice_behind(unclear.literals, chosen);
      if (next < 0) throw;
    }
    for (const int value : {0, 1}) {
      chosen[next] = value;
      visit(at, reset, chosen);
    }
    chosen[next] = -1;
  }

  // The first choice that is not made yet, of those that something unknown depends on, or -1.
  int choice_behind(const std::vector<int>& literals, const std::vector<int>& chosen) const {
    std::vector<char> seen(values_.size());
    std::vector<int> waiting;
    const auto look_at = [&](int literal) {
      const int node = literal >> 1;
      if (seen[node] || values_[node].constant()) return;
      seen[node] = 1;
      waiting.push_back(node);
    };
    for (const int literal : literals) look_at(literal);
    while (!waiting.empty()) {
      const int node = waiting.back();
      waiting.pop_back();
      if (node < first_gate_) continue;
      look_at(request_.pairs[node - first_gate_].first);
      look_at(request_.pairs[node - first_gate_].second);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] < 0 && seen[1 + request_.choices[i]]) return static_cast<int>(i);
    }
    return -1;
  }

  void cycle(int at, bool reset, const std::vector<int>& chosen) {
    Traffic traffic = states_[at].traffic;
    load(states_[at]);
    drive(reset, chosen);
    evaluate();
    for (const int claim : request_.claims) {
      if (known(claim, "a claim is unclear")) throw Refused{"a claim is false"};
    }
    const Next next = stream_.followed ? exchange(traffic, reset) : Next::goes_on;
    if (next == Next::is_elsewhere) return;
    const bool ends = reset || next == Next::ends;
    // Where operations overlap nothing comes of one that has ended.
    if (ends && traffic.taken != 0 && stream_.overlaps) return;
    arrive(ends ? Traffic{} : traffic);
  }

  // Count the words of a cycle.
  Next exchange(Traffic& traffic, bool reset) {
    const bool ready = known(stream_.ready, unready), valid = known(stream_.result_valid, unready);
    const bool own = traffic.taken != 0 && traffic.ahead == 0;
    if (own && valid) compare();
    if (reset) return Next::goes_on;
    const bool taken = ready && known(2 * (1 + stream_.valid), unready);
    const bool given = valid && known(2 * (1 + stream_.result_ready), unready);
    Next next = Next::goes_on;
    if (given && ++traffic.given == stream_.result_words) {
      traffic.given = 0;
      if (own) next = Next::ends;
      if (!own && --traffic.ahead < 0) throw Refused{"a result of no operation"};
    }
    // One that begins is another way of this state than that it goes on without.
    if (follows_ ? !taken : taken && traffic.taken == 0 && !stream_.overlaps) {
      return Next::is_elsewhere;
    }
    if (taken) take(traffic);
    // Where the control waits for no one it may differ from operand to operand.
    if (own && !stream_.overlaps && !ready && !valid) ++traffic.age;
    return next;
  }

  void take(Traffic& traffic) const {
    if (follows_ || (traffic.taken != 0 && traffic.taken < stream_.words)) {
      ++traffic.taken;
      return;
    }
    if (!stream_.overlaps) throw Refused{"operations overlap"};
    if (traffic.offset == 0 && traffic.taken == 0) ++traffic.ahead;
    traffic.offset = (traffic.offset + 1) % stream_.words;
    if (traffic.ahead > most_waiting) throw Refused{"too many operations at once"};
  }

  void compare() {
    const Value value = settled(stream_.differs);
    if (value.kind == Kind::zero) return;
    const Columns ones = pool_.ones(value);
    for (int i = 0; i < columns_at_once; ++i) {
      if ((ones.word[i / 64] >> (i % 64) & 1) != 0) {
        throw Refused{"the results of operand " + std::to_string(column_ + i) + " differ"};
      }
    }
    throw Unclear{"a result is unclear", {}, {stream_.differs}};
  }

  void arrive(const Traffic& traffic) {
    std::string control;
    Unclear unclear{"the control is unclear", {}, {}};
    for (const int i : control_) {
      const Value value = settled(request_.following[i]);
      if (!value.constant()) {
        unclear.registers.push_back(i);
        unclear.literals.push_back(request_.following[i]);
      }
      control.push_back(value.kind == Kind::one);
    }
    if (!unclear.registers.empty()) throw unclear;
    std::vector<std::pair<int, Value>> data;
    for (int i = 0; i < request_.registers; ++i) {
      if (is_control_[i]) continue;
      Value value = literal(request_.following[i]);
      if (traffic.taken == 0) {
        value = pool_.settled(value);
        if (value.kind == Kind::each) value = {};
      }
      if (value.kind != Kind::unknown) data.emplace_back(i, value);
    }
    reach(control, traffic, data);
  }

  static std::string key(const std::string& control, const Traffic& traffic) {
    std::string made = control;
    for (const int part :
         {traffic.taken, traffic.offset, traffic.ahead, traffic.given, traffic.age}) {
      made += std::to_string(part) + ' ';
    }
    return made;
  }

  void reach(const std::string& control, const Traffic& traffic,
             const std::vector<std::pair<int, Value>>& data) {
    const auto [entry, fresh] =
        places_.try_emplace(key(control, traffic), static_cast<int>(states_.size()));
    const int at = entry->second;
    if (fresh) {
      if (states_.size() == request_.most_states) throw Refused{"too many states"};
      states_.push_back({control, traffic, {}, false});
      states_[at].data.take(pool_, data);
    } else if (!join(states_[at], data)) {
      return;
    }
    if (traffic.taken == 0) changes_ = true;
    wait(at);
  }

  // Leave in a state what it has in common with another way to it; returns whether that is less.
  bool join(State& state, const std::vector<std::pair<int, Value>>& data) {
    bool less = false;
    std::vector<std::pair<int, Value>> joined;
    std::unordered_map<std::uint64_t, std::pair<Value, bool>> met;
    auto other = data.begin();
    for (const auto& [name, value] : state.data.put(pool_)) {
      while (other != data.end() && other->first < name) ++other;
      const bool there = other != data.end() && other->first == name;
      const Value another = there ? other->second : Value{};
      const auto [found, first] = met.try_emplace(code(value) << 32 | code(another));
      if (first) found->second = common(value, another);
      less = less || found->second.second;
      if (found->second.first.kind != Kind::unknown) joined.emplace_back(name, found->second.first);
    }
    if (less) state.data.take(pool_, joined);
    return less;
  }

  static std::uint64_t code(Value value) {
    return static_cast<std::uint64_t>(value.at) << 3 | (value.inverted ? 4u : 0u) |
           static_cast<std::uint64_t>(value.kind);
  }

  // What two values have in common, and whether that is less than the first one.
  std::pair<Value, bool> common(Value a, Value b) {
    if (a == b) return {a, false};
    if (a.kind != Kind::each && b.kind != Kind::each) return {{}, a.constant()};
    const Columns a1 = pool_.ones(a), a0 = pool_.zeros(a), b1 = pool_.ones(b), b0 = pool_.zeros(b);
    const Vector vector{combined([&](int i) { return a1.word[i] & b1.word[i]; }),
                        combined([&](int i) { return a0.word[i] & b0.word[i]; })};
    bool less = false;
    for (int i = 0; i < words_of_columns; ++i) {
      less = less || vector.one.word[i] != a1.word[i] || vector.zero.word[i] != a0.word[i];
    }
    return less ? std::pair{pool_.settled(pool_.add(vector)), true} : std::pair{a, false};
  }

  void load(const State& state) {
    pool_.clear();
    std::fill(values_.begin(), values_.begin() + first_gate_, Value{});
    values_[0] = Value::of(false);
    for (std::size_t i = 0; i < control_.size(); ++i) {
      values_[first_register_ + control_[i]] = Value::of(state.control[i] != 0);
    }
    for (const auto& [i, value] : state.data.put(pool_)) values_[first_register_ + i] = value;
    word_ = follows_ ? 0 : state.traffic.taken;
  }

  void drive(bool reset, const std::vector<int>& chosen) {
    values_[1 + request_.reset] = Value::of(reset);
    for (std::size_t i = 0; i < request_.choices.size(); ++i) {
      if (chosen[i] >= 0) values_[1 + request_.choices[i]] = Value::of(chosen[i] != 0);
    }
    if (follows_) values_[1 + stream_.valid] = Value::of(true);
    if ((follows_ || word_ != 0) && word_ < stream_.words && !reset) operand();
  }

  // A word of the operation that is followed: what the column says.
  void operand() {
    int low = 0;
    for (int i = 0; i < word_; ++i) low += stream_.bits[i];
    for (std::size_t bit = 0; bit < stream_.payload.size(); ++bit) {
      Value& input = values_[1 + stream_.payload[bit]];
      if (static_cast<int>(bit) >= stream_.bits[word_]) {
        input = Value::of(false);
        continue;
      }
      Vector vector{Columns::none(), Columns::none()};
      for (int i = 0; i < columns_at_once; ++i) {
        const std::int64_t one = (column_ + i) >> (low + static_cast<int>(bit)) & 1;
        (one != 0 ? vector.one : vector.zero).word[i / 64] |= std::uint64_t{1} << (i % 64);
      }
      input = pool_.settled(pool_.add(vector));
    }
  }

  void evaluate() {
    int node = first_gate_;
    for (const auto& [a, b] : request_.pairs) values_[node++] = pool_.both(literal(a), literal(b));
  }

  Value literal(int literal) const {
    const Value value = values_[literal >> 1];
    return (literal & 1) != 0 ? value.inverse() : value;
  }

  Value settled(int literal) const { return pool_.settled(this->literal(literal)); }

  bool known(int literal, const char* otherwise) const {
    const Value value = settled(literal);
    if (!value.constant()) throw Unclear{otherwise, {}, {literal}};
    return value.kind == Kind::one;
  }

  // Whether what is claimed depends on the reset in the same cycle.
  bool depends_on_reset() const {
    std::vector<char> depends(values_.size());
    depends[1 + request_.reset] = 1;
    for (std::size_t i = 0; i < request_.pairs.size(); ++i) {
      const auto [a, b] = request_.pairs[i];
      depends[first_gate_ + i] = static_cast<char>(depends[a >> 1] | depends[b >> 1]);
    }
    bool found = stream_.followed && depends[stream_.differs >> 1] != 0;
    for (const int claim : request_.claims) found = found || depends[claim >> 1] != 0;
    return found;
  }

  Request request_;
  const Stream& stream_;
  int first_register_, first_gate_;
  std::vector<Value> values_;
  std::vector<char> is_control_;
  std::vector<int> control_;
  bool reset_is_seen_ = false;

  Pool pool_;
  std::int64_t column_ = 0;
  bool follows_now_ = false;  // operations that begin are followed
  bool follows_ = false;      // one begins in this cycle
  bool changes_ = false;      // a state between operations is new, or less is known in it
  int word_ = 0;

  std::deque<State> states_;
  std::unordered_map<std::string, int> places_;
  std::deque<int> waiting_;
  std::vector<int> between_;  // states between operations
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    Explorer(read(arguments[1])).run();
  } catch (const Refused& refused) {
    std::printf("refused %s\n", refused.reason.c_str());
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
