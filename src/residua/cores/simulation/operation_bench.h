// What benches that run single operations of a core have in common, after harness.h. ``Top`` is the
// class of the Verilated core.

#include <cstdio>
#include <vector>

namespace {

enum class End { done, reset, hang };

// What an operation gives, words in parts of 32 bits; cycles count from the one after that in which
// it begins. One that was done may hang yet, while it gives out its words.
struct Answer {
  End end;
  bool done;
  unsigned status;
  long cycles;
  std::size_t taken;
  std::vector<std::uint32_t> words;
};

// As a line: <status> <cycles> <random words taken> <result words in hexadecimal ...>
void print(const Answer& answer) {
  std::printf("%u %ld %zu", answer.status, answer.cycles, answer.taken);
  for (const std::uint32_t word : answer.words) std::printf(" %08x", word);
  std::puts("");
  std::fflush(stdout);
}

class ClockedBench {
 public:
  // patience: cycles after which an operation hangs. Registers begin with random values if the
  // simulator was built for that.
  explicit ClockedBench(long patience) : patience_(patience) { reset(1); }
  virtual ~ClockedBench() = default;

 protected:
  // Called in every cycle from the one after that in which an operation begins, number 0, until the
  // last word is out, before anything follows from the inputs.
  virtual void prepare(long cycle) { static_cast<void>(cycle); }

  // Inputs stay as they are meanwhile: what is offered in a reset is not taken.
  void reset(long cycles) {
    top.rst = 1;
    for (long i = 0; i < cycles; ++i) {
      settle();
      tick();
    }
    top.rst = 0;
  }

  // The first half of a cycle: what follows from the registers and the inputs.
  void settle() {
    top.clk = 0;
    top.eval();
  }

  void tick() {
    top.clk = 1;
    top.eval();
  }

  const long patience_;

 private:
  VerilatedContext context;

 protected:
  Top top{any_state(context, 0)};
};

}  // namespace
