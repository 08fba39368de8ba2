// Drives a simulated coprocessor through its raw streams, one operation a line of a file:
//
//   <operation> <curve> <stalls> <seed> <abort> <reset> <operand words in hexadecimal ...>
//
// stalls: every stream pauses in stalls of 256 cycles; seed: of the random words and the pauses;
// abort: 0, or the cycle of the operation in which it is zeroised, or with reset not 0 reset for so
// many cycles. It answers with the word reset where that ended the operation, or else with a line
//
//   <status> <cycles> <random words taken> <result words in hexadecimal ...>
//
// where cycles count from the one in which the command is taken to the one in which done is set.
// An operation that takes more cycles than the second argument hangs, which ends it. Registers begin with random values.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include HEADER
#include "verilated.h"

namespace {

struct Context : VerilatedContext {
  Context() {
    randReset(2);
    randSeed(1);
  }
};

struct Random {
  std::uint64_t state;
  std::uint32_t next() {
    state += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
};

struct Operation {
  unsigned operation, curve, stalls;
  std::uint64_t seed;
  long abort, reset;
  std::vector<std::uint32_t> operands;
};

class Bench {
 public:
  explicit Bench(long patience) : patience_(patience) { reset(1); }

  void run(const Operation& request) {
    Random data{request.seed}, pauses{request.seed ^ 0x5555};
    std::vector<std::uint32_t> result;
    std::size_t position = 0, taken = 0;
    std::uint32_t word = data.next();
    long cycles = -1;
    bool done = false, complete = false;
    unsigned status = 0;
    for (long guard = 0; !complete; ++guard) {
      if (guard > patience_) {
        std::puts("hang");
        std::exit(1);
      }
      const auto goes = [&] { return (pauses.next() & 255) >= request.stalls; };
      top.command_valid = cycles < 0;
      top.command_payload = request.operation | request.curve << 8;
      top.operands_valid = cycles >= 0 && position < request.operands.size() && goes();
      top.operands_payload = top.operands_valid ? request.operands[position] : pauses.next();
      top.random_valid = goes();
      top.random_payload = top.random_valid ? word : pauses.next();
      top.result_ready = goes();
      const bool aborts = request.abort > 0 && cycles == request.abort;
      if (aborts && request.reset > 0) {
        std::puts("reset");
        return reset(request.reset);
      }
      top.zeroise = aborts;
      settle();
      if (top.operands_valid && top.operands_ready) ++position;
      if (top.random_valid && top.random_ready) {
        word = data.next();
        ++taken;
      }
      if (top.result_valid && top.result_ready) {
        const std::uint64_t payload = top.result_payload;
        result.push_back(static_cast<std::uint32_t>(payload));
        complete = done && (payload >> 32 & 1);
      }
      if (top.done) {
        done = true;
        status = top.status;
        std::printf("%u %ld %zu", status, cycles + 1, taken);
      }
      if (done && (status != 0 || !has_result(request.operation))) complete = !top.result_valid;
      if (cycles >= 0 && !done) ++cycles;
      if (top.command_valid && top.command_ready) cycles = 0;
      tick();
    }
    for (const std::uint32_t part : result) std::printf(" %08x", part);
    std::puts("");
    std::fflush(stdout);
  }

 private:
  static bool has_result(unsigned operation) { return operation != 5; }

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

  long patience_;
  Context context;
  TOP top{&context};
};

}  // namespace

int main(int, char** arguments) {
  std::ifstream script(arguments[1]);
  Bench bench(std::stol(arguments[2]));
  std::string line;
  while (std::getline(script, line)) {
    std::istringstream text(line);
    Operation request{};
    text >> request.operation >> request.curve >> request.stalls >> request.seed >> request.abort >>
        request.reset;
    std::string word;
    while (text >> word) {
      request.operands.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    }
    bench.run(request);
  }
  return 0;
}
