// Values of the signals of a network: 0, 1, unknown, or one for each of many runs at once.
//
// A run is a column, a bit of every vector. A vector says of each run whether a signal is known to
// be 1 and whether it is known to be 0; where it is neither, it may be either.

#ifndef RESIDUA_VALUES_H
#define RESIDUA_VALUES_H

#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

constexpr int words_of_columns = 128;
constexpr int columns_at_once = 64 * words_of_columns;

struct Columns {
  std::uint64_t word[words_of_columns];

  static Columns all() { return filled(~std::uint64_t{0}); }
  static Columns none() { return filled(0); }
  static Columns filled(std::uint64_t with) {
    Columns made;
    for (auto& word : made.word) word = with;
    return made;
  }
};

// word by word: result = f(words of some columns)
template <typename F>
Columns combined(F f) {
  Columns made;
  for (int i = 0; i < words_of_columns; ++i) made.word[i] = f(i);
  return made;
}

struct Vector {
  Columns one, zero;
};

enum class Kind : std::uint8_t { zero, one, unknown, each };

// A value; one of each run is a vector of some pool, or its inverse.
struct Value {
  Kind kind = Kind::unknown;
  bool inverted = false;
  int at = 0;

  static Value of(bool bit) { return {bit ? Kind::one : Kind::zero, false, 0}; }
  bool constant() const { return kind == Kind::zero || kind == Kind::one; }
  Value inverse() const {
    if (kind == Kind::each) return {kind, !inverted, at};
    return constant() ? of(kind == Kind::zero) : *this;
  }
  bool operator==(const Value& other) const {
    return kind == other.kind && inverted == other.inverted && at == other.at;
  }
};

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

// The vectors of one evaluation; equal ANDs of equal vectors are computed once.
class Pool {
 public:
  Pool() : table_(std::size_t{1} << 12) {}

  void clear() {
    used_ = 0;
    entries_ = 0;
    ++stamp_;
  }

  Value add(const Vector& vector) {
    if (used_ == vectors_.size()) vectors_.resize(2 * used_ + 64);
    vectors_[used_] = vector;
    return {Kind::each, false, static_cast<int>(used_++)};
  }

  // Where a value is known to be 1.
  Columns ones(Value value) const {
    if (value.kind != Kind::each) return value.kind == Kind::one ? Columns::all() : Columns::none();
    return value.inverted ? vectors_[value.at].zero : vectors_[value.at].one;
  }
  Columns zeros(Value value) const { return ones(value.inverse()); }

  Value both(Value a, Value b) {
    if (a.kind == Kind::zero || b.kind == Kind::zero) return Value::of(false);
    if (a.kind == Kind::one) return b;
    if (b.kind == Kind::one) return a;
    if (a.kind == Kind::unknown && b.kind == Kind::unknown) return {};
    std::uint64_t first = code(a), second = code(b);
    if (first == second) return a;
    if (a.kind == b.kind && a.at == b.at) return Value::of(false);
    if (first < second) {
      std::swap(first, second);
      std::swap(a, b);
    }
    return computed(first << 32 | second, a, b);
  }

  // The value that holds in all columns, if there is one.
  Value settled(Value value) const {
    if (value.kind != Kind::each) return value;
    const Vector& vector = vectors_[value.at];
    std::uint64_t every_one = ~std::uint64_t{0}, every_zero = every_one, known = 0;
    for (int i = 0; i < words_of_columns; ++i) {
      every_one &= vector.one.word[i];
      every_zero &= vector.zero.word[i];
      known |= vector.one.word[i] | vector.zero.word[i];
    }
    if (every_one + 1 == 0) return Value::of(!value.inverted);
    if (every_zero + 1 == 0) return Value::of(value.inverted);
    return known == 0 ? Value{} : value;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint64_t stamp = 0;
    int at = 0;
  };

  // 0 for an unknown one, which is then the second operand.
  static std::uint64_t code(Value value) {
    if (value.kind == Kind::unknown) return 0;
    return 1 + 2 * static_cast<std::uint64_t>(value.at) + (value.inverted ? 1 : 0);
  }

  Entry& place(std::uint64_t key) {
    std::size_t at = mixed(key) & (table_.size() - 1);
    while (table_[at].stamp == stamp_ && table_[at].key != key) at = (at + 1) & (table_.size() - 1);
    return table_[at];
  }

  Value computed(std::uint64_t key, Value a, Value b) {
    if (2 * ++entries_ > table_.size()) grow();
    Entry* entry = &place(key);
    if (entry->stamp == stamp_) return {Kind::each, false, entry->at};
    const Value made = add({});
    Vector& result = vectors_[made.at];
    const Vector &x = vectors_[a.at], &y = vectors_[b.at];
    const Columns &x1 = a.inverted ? x.zero : x.one, &x0 = a.inverted ? x.one : x.zero;
    if (b.kind == Kind::unknown) {
      result = {Columns::none(), x0};
    } else {
      const Columns &y1 = b.inverted ? y.zero : y.one, &y0 = b.inverted ? y.one : y.zero;
      for (int i = 0; i < words_of_columns; ++i) result.one.word[i] = x1.word[i] & y1.word[i];
      for (int i = 0; i < words_of_columns; ++i) result.zero.word[i] = x0.word[i] | y0.word[i];
    }
    *entry = {key, stamp_, made.at};
    return made;
  }

  void grow() {
    std::vector<Entry> old(2 * table_.size());
    old.swap(table_);
    for (const Entry& entry : old) {
      if (entry.stamp == stamp_) place(entry.key) = entry;
    }
  }

  std::vector<Vector> vectors_;
  std::size_t used_ = 0;
  std::vector<Entry> table_;
  std::size_t entries_ = 0;
  std::uint64_t stamp_ = 1;
};

// The values of some registers, by their numbers; those that are not there are unknown.
class Held {
 public:
  // Values of a pool; each vector is kept once.
  void take(const Pool& pool, const std::vector<std::pair<int, Value>>& from) {
    std::unordered_multimap<std::uint64_t, int> seen;
    std::unordered_map<int, Value> kept;
    values_.clear();
    vectors_.clear();
    for (const auto& [name, value] : from) {
      Value own = value;
      if (value.kind == Kind::each) {
        auto [found, fresh] = kept.try_emplace(value.at);
        if (fresh) found->second = keep(pool, {Kind::each, false, value.at}, seen);
        own = value.inverted ? found->second.inverse() : found->second;
      }
      if (own.kind != Kind::unknown) values_.emplace_back(name, own);
    }
    values_.shrink_to_fit();
    vectors_.shrink_to_fit();
  }

  // The values, with their vectors in a pool.
  std::vector<std::pair<int, Value>> put(Pool& pool) const {
    std::vector<int> places;
    for (const Vector& vector : vectors_) places.push_back(pool.add(vector).at);
    auto result = values_;
    for (auto& [name, value] : result) {
      if (value.kind == Kind::each) value.at = places[value.at];
    }
    return result;
  }

 private:
  Value keep(const Pool& pool, Value value, std::unordered_multimap<std::uint64_t, int>& seen) {
    value = pool.settled(value);
    if (value.kind != Kind::each) return value;
    Vector own{pool.ones(value), pool.zeros(value)};
    const bool inverted = begins_with_zero(own);
    if (inverted) std::swap(own.one, own.zero);
    std::uint64_t digest = 0;
    for (int i = 0; i < words_of_columns; ++i) {
      digest = mixed(digest ^ own.one.word[i]) + mixed(own.zero.word[i] + i);
    }
    const auto [first, last] = seen.equal_range(digest);
    for (auto entry = first; entry != last; ++entry) {
      if (std::memcmp(&vectors_[entry->second], &own, sizeof own) == 0) {
        return {Kind::each, inverted, entry->second};
      }
    }
    const int at = static_cast<int>(vectors_.size());
    vectors_.push_back(own);
    seen.emplace(digest, at);
    return {Kind::each, inverted, at};
  }

  // Whether the first column that is known is 0: one of a vector and its inverse.
  static bool begins_with_zero(const Vector& vector) {
    for (int i = 0; i < words_of_columns; ++i) {
      const std::uint64_t known = vector.one.word[i] | vector.zero.word[i];
      if (known != 0) return (vector.one.word[i] & known & (0 - known)) == 0;
    }
    return false;
  }

  std::vector<std::pair<int, Value>> values_;
  std::vector<Vector> vectors_;
};

#endif
