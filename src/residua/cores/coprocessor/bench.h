// A simulated coprocessor, driven through its raw streams. What all harnesses have in common comes
// before it, status_ok, the code of the status OK, and what benches of single operations have in
// common.

#include <sstream>
#include <string>

namespace {

// An operation. stalls: every stream pauses in so many of 256 cycles; seed: of the random words and
// the pauses; abort: 0, or the cycle of the operation in which it is zeroised, or, with reset not
// 0, reset for so many cycles; supply: -1 for fresh random words, no_words, or else what every random
// word is.
struct Operation {
  unsigned operation, curve, stalls;
  std::uint64_t seed;
  long abort, reset, supply;
  std::vector<std::uint32_t> operands;
};

// From a line: <operation> <curve> <stalls> <seed> <abort> <reset> <supply> <words in hexadecimal ...>
Operation operation_of(const std::string& line) {
  std::istringstream text(line);
  Operation found{};
  text >> found.operation >> found.curve >> found.stalls >> found.seed >> found.abort >> found.reset >>
      found.supply;
  std::string word;
  while (text >> word) {
    found.operands.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
  }
  return found;
}

constexpr long no_words = -2;

// A command was taken in the cycle before number 0 of `prepare`.
class Bench : public ClockedBench {
 public:
  using ClockedBench::ClockedBench;

  Answer run(const Operation& request) {
    Random data{request.seed}, pauses{request.seed ^ 0x5555};
    Answer answer{End::done, false, 0, 0, 0, {}};
    std::size_t position = 0;
    std::uint32_t word = drawn(data);
    long cycles = -1, since = 0;
    bool complete = false;
    for (long guard = 0; !complete; ++guard) {
      if (guard > patience_) {
        answer.end = End::hang;
        return answer;
      }
      const auto goes = [&] { return (drawn(pauses) & 255) >= request.stalls; };
      top.command_valid = cycles < 0;
      top.command_payload = request.operation | request.curve << 8;
      top.operands_valid = cycles >= 0 && position < request.operands.size() && goes();
      top.operands_payload = top.operands_valid ? request.operands[position] : drawn(pauses);
      if (request.supply >= 0) word = static_cast<std::uint32_t>(request.supply);
      top.random_valid = goes() && request.supply != no_words;
      top.random_payload = top.random_valid ? word : drawn(pauses);
      top.result_ready = goes();
      const bool aborts = request.abort > 0 && cycles == request.abort;
      if (aborts && request.reset > 0) {
        reset(request.reset);
        answer.end = End::reset;
        return answer;
      }
      top.zeroise = aborts;
      if (cycles >= 0) prepare(since++);
      settle();
      if (top.operands_valid && top.operands_ready) ++position;
      if (top.random_valid && top.random_ready) {
        word = drawn(data);
        ++answer.taken;
      }
      if (top.result_valid && top.result_ready) {
        const std::uint64_t payload = top.result_payload;
        answer.words.push_back(static_cast<std::uint32_t>(payload));
        complete = answer.done && (payload >> 32 & 1);
      }
      if (top.done) {
        answer.done = true;
        answer.status = top.status;
        answer.cycles = cycles + 1;
      }
      if (answer.done && (answer.status != status_ok || !has_result(request.operation))) complete = !top.result_valid;
      if (cycles >= 0 && !answer.done) ++cycles;
      if (top.command_valid && top.command_ready) cycles = 0;
      tick();
    }
    return answer;
  }

 private:
  static bool has_result(unsigned operation) { return operation != 5; }

  static std::uint32_t drawn(Random& random) { return static_cast<std::uint32_t>(random.next() >> 32); }
};

}  // namespace
