// Drives a Verilated inverter and compares every word of every result, and its cycles.
//
// residua.cores.inversion.verification puts in front of this file:
//   namespace tables  the core's interface and figures
//   harness.h, stream_ports.h
//
// usage: harness CASES CYCLES RUNS SEED STALLS RESETS
//   CASES    x and 1 / x of every run, little-endian, tables::number_bytes each, then a byte, 1 if x
//            must be refused
//   CYCLES   written: for every run the cycles from the last operand word to the last result word,
//            32 bits, little-endian
//   STALLS   0: operands are always offered and results always taken; 1: random gaps in both
//   RESETS   after the runs, so many resets in the middle of others, each before two that must be
//            right; "every" for each cycle of a run
// Registers begin with random values. Prints one JSON object.

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t most_failures = 3;
constexpr std::int64_t patience = 1000 + 200 * static_cast<std::int64_t>(tables::longest);
// Resets come in the cycles of a run.
constexpr std::int64_t reset_span = std::int64_t{3} * tables::words + tables::longest;

constexpr int case_bytes = 2 * tables::number_bytes + 1;

class Bench {
 public:
  Bench(const Bytes& cases, std::uint64_t seed, bool stalls)
      : core_(new tables::Core(any_state(context_, seed))),
        cases_(cases),
        random_(seed),
        stalls_(stalls) {}

  void run(std::uint64_t runs, std::uint64_t resets) {
    reset(1);
    for (done_ = 0; done_ < runs && failures_.size() < most_failures; ++done_) {
      const std::int64_t ended = now_;
      if (!give()) return;
      if (done_ > 0) pause_.add(now_ - ended);
      if (!take()) return;
    }
    for (; resets_ < resets && failures_.empty() && failure_.empty(); ++resets_) {
      interrupt(reset_of(resets_, resets, reset_span), runs);
    }
    done_ = runs;
    if (!failure_.empty()) return;
    // Nothing may come out any more.
    core_->result_ready = 1;
    for (int i = 0; i < tables::longest; ++i) {
      if (core_->result_valid) failure_ = "a result that no operand explains";
      step();
    }
  }

  void report() const {
    std::printf("{\"vectors\": %" PRIu64 ", \"mismatches\": %zu, ", done_, failures_.size());
    std::printf("\"cycles\": %" PRId64 ", \"resets\": %" PRIu64 ", ", now_, resets_);
    std::printf("\"pause\": [%" PRId64 ", %" PRId64 "], ", pause_.low, pause_.high);
    std::printf("\"wake\": [%" PRId64 ", %" PRId64 "], ", wake_.low, wake_.high);
    std::printf("\"failure\": \"%s\", \"failures\": [", failure_.c_str());
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      std::printf("%s%" PRIu64, i > 0 ? ", " : "", failures_[i]);
    }
    std::printf("]}\n");
  }

  const std::vector<std::int32_t>& cycles() const { return cycles_; }

 private:
  // Inputs stay as they are meanwhile: what is offered in a reset is not taken.
  void reset(int cycles) {
    core_->rst = 1;
    for (int i = 0; i < cycles; ++i) step();
    core_->rst = 0;
    core_->operands_valid = 0;
    core_->result_ready = 0;
    reset_ended_ = now_;
    wakes_ = true;
  }

  // Runs until a reset ends that; what comes then must be as if nothing had been before.
  void interrupt(Reset planned, std::uint64_t runs) {
    deadline_ = now_ + planned.instant;
    const auto measured = cycles_.size();
    for (done_ = random_.below(runs); now_ < deadline_; done_ = (done_ + 1) % runs) {
      if (!give() || !take()) break;
    }
    deadline_ = never;
    if (failure_.empty()) {
      reset(planned.cycles);
      for (int run = 0; run < 2 && failures_.empty(); ++run) {
        done_ = random_.below(runs);
        if (!give() || !take()) break;
      }
    }
    cycles_.resize(measured);
    if (failures_.empty() && failure_.empty()) return;
    failure_ = "after a reset of " + std::to_string(planned.cycles) + " cycles, " +
               std::to_string(planned.instant) + " cycles after the one before: " +
               (failure_.empty() ? "a wrong result" : failure_);
  }

  const unsigned char* number(int index) const {
    return &cases_[done_ * case_bytes + index * tables::number_bytes];
  }

  void step() {
    core_->clk = 0;
    core_->eval();
    if (wakes_ && core_->operands_ready && !core_->rst) {
      wake_.add(now_ - reset_ended_);
      wakes_ = false;
    }
    core_->clk = 1;
    core_->eval();
    ++now_;
  }

  // The words of an operand; an offer stands until it is taken.
  bool give() {
    const std::int64_t begun = now_;
    for (int word = 0; word < tables::words;) {
      if (now_ >= deadline_) return false;
      core_->operands_valid = !(stalls_ && random_.one_in(5));
      set_word(core_->operands_payload, word_of(number(0), word));
      if (!core_->operands_valid) {
        step();
        continue;
      }
      for (;;) {
        core_->eval();
        const bool taken = core_->operands_ready;
        step();
        if (taken) break;
        if (now_ >= deadline_) return false;
        if (now_ - begun > patience) return stopped("the core takes no operand");
      }
      ++word;
    }
    core_->operands_valid = 0;
    return true;
  }

  // The words of a result; with stalls some results are taken word by word once they wait.
  bool take() {
    const std::int64_t given = now_;
    const bool refused = *number(2) != 0;
    const bool until_valid = stalls_ && random_.one_in(4);
    bool wrong = false, waiting = false;
    for (int word = 0; word < tables::words;) {
      if (now_ >= deadline_) return false;
      core_->result_ready = until_valid ? waiting : !(stalls_ && random_.one_in(5));
      core_->eval();
      if (core_->result_valid) {
        const int flags = port_word(core_->result_payload, tables::width / 32) >> tables::width % 32 & 3;
        const int high = tables::width % 32 == 31
                             ? port_word(core_->result_payload, tables::width / 32 + 1) & 1
                             : flags >> 1;
        if ((flags & 1) != (word == tables::words - 1)) return stopped("last is not with the highest word");
        wrong |= (high != 0) != refused;
        wrong |= !refused && low_bits(core_->result_payload) != word_of(number(1), word);
        word += core_->result_ready ? 1 : 0;
        waiting = !core_->result_ready;
      } else if (waiting) {
        return stopped("a word of the result went before it was taken");
      }
      step();
      if (now_ - given > patience) return stopped("the core stopped");
    }
    core_->result_ready = 0;
    cycles_.push_back(static_cast<std::int32_t>(now_ - given));
    if (wrong) failures_.push_back(done_);
    return true;
  }

  bool stopped(const char* reason) {
    failure_ = reason;
    return false;
  }

  VerilatedContext context_;
  std::unique_ptr<tables::Core> core_;
  const Bytes& cases_;
  Random random_;
  bool stalls_;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::uint64_t done_ = 0, resets_ = 0;
  std::int64_t deadline_ = never;
  std::int64_t now_ = 0;
  std::string failure_;
  std::vector<std::uint64_t> failures_;
  std::vector<std::int32_t> cycles_;
  bool wakes_ = false;  // whether no word could be taken yet since a reset
  std::int64_t reset_ended_ = 0;
  Extremes wake_;  // from the end of a reset to the first cycle in which a word may be taken
  Extremes pause_;  // from the last word of a result to the last one of the next operand
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: %s CASES CYCLES RUNS SEED STALLS RESETS\n", argv[0]);
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[3], nullptr, 10);
  Bytes cases(runs * case_bytes);
  if (!read_values(argv[1], cases)) return 1;
  Bench bench(cases, std::strtoull(argv[4], nullptr, 10), argv[5][0] == '1');
  bench.run(runs, reset_count(argv[6], reset_span));
  bench.report();
  return write_values(argv[2], bench.cycles()) ? 0 : 1;
}
