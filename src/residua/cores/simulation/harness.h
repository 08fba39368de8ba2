// What the harnesses have in common; each has it put in front of its own source.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "verilated.h"

namespace {

// splitmix64
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t limit) { return (next() >> 32) * limit >> 32; }
  bool one_in(unsigned sixteenths) { return (next() >> 60) < sixteenths; }

 private:
  std::uint64_t state_;
};

// Ports: Verilator makes them integers of up to 64 bits, or arrays of 32-bit words.

template <class Port> std::uint32_t port_word(const Port& port, int index) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(port) >> (32 * index));
}
template <std::size_t N> std::uint32_t port_word(const VlWide<N>& port, int index) { return port[index]; }

template <class Port> void set_port_word(Port& port, int index, std::uint32_t value) {
  const std::uint64_t mask = std::uint64_t{0xffffffff} << (32 * index);
  port = static_cast<Port>((port & ~mask) | (static_cast<std::uint64_t>(value) << (32 * index)));
}
template <std::size_t N> void set_port_word(VlWide<N>& port, int index, std::uint32_t value) {
  port[index] = value;
}

// Has the registers of a core that is made in this context begin with random values.
VerilatedContext* any_state(VerilatedContext& context, std::uint64_t seed) {
  context.randReset(2);
  context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
  return &context;
}

// How many resets in mid-run an argument asks for: a number, or "every", which is each cycle of a
// span three times.
std::uint64_t reset_count(const char* text, std::int64_t span) {
  if (std::strcmp(text, "every") == 0) return static_cast<std::uint64_t>(3 * span);
  return std::strtoull(text, nullptr, 10);
}

// After how many cycles a reset comes, all of them spread over a span, and how long it lasts.
struct Reset {
  std::int64_t instant;
  int cycles;
};

Reset reset_of(std::uint64_t index, std::uint64_t count, std::int64_t span) {
  const std::int64_t instant = static_cast<std::int64_t>(index) * span / static_cast<std::int64_t>(count);
  return {instant, 1 + static_cast<int>(index % 3)};
}

struct Extremes {
  std::int64_t low = -1, high = -1;
  void add(std::int64_t value) {
    if (low < 0 || value < low) low = value;
    if (value > high) high = value;
  }
};

}  // namespace
