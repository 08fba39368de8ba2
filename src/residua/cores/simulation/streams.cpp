// Drives a Verilated core with binary words and compares every word of every result.
//
// residua.cores.simulation.words puts in front of this file:
//   namespace tables  the core's interface and figures
//   harness.h, stream_ports.h
//
// usage: harness CASES RUNS SEED STALLS RESETS
//   CASES    first, if LOADS_MODULUS is defined, tables::modulus_words words to load, little-endian,
//            16 bytes each; then the operands and the expected result of every run, each as one
//            number of all its words, little-endian, tables::operand_bytes and tables::result_bytes
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

constexpr std::uint64_t isolated_runs = 16;
constexpr std::size_t most_failures = 3;
constexpr std::int64_t patience = 1000 + std::int64_t{200} * tables::latency;

// Resets come in the cycles of a run, of the one behind it, and of what is loaded before.
constexpr std::int64_t reset_span = std::int64_t{2} * (tables::modulus_words + tables::operand_words) +
                                    tables::latency + 2 * tables::interval;

struct Failure {
  std::uint64_t run;
  int word;
  Word expected, obtained;
};

class Bench {
 public:
  Bench(const Bytes& cases, std::uint64_t runs, std::uint64_t seed, bool stalls)
      : core_(new tables::Core(any_state(context_, seed))),
        cases_(cases),
        random_(seed),
        runs_(runs),
        stalls_(stalls),
        end_(runs) {}

  void run(std::uint64_t resets) {
    reset(1);
    load_modulus();
    work();
    const std::uint64_t completed = completed_;
    for (resets_ = 0; resets_ < resets && passes(); ++resets_) {
      interrupt(reset_of(resets_, resets, reset_span));
    }
    completed_ = completed;
  }

  void report() const {
    std::printf("{\"vectors\": %" PRIu64 ", \"mismatches\": %" PRIu64 ", ", completed_, wrong_);
    std::printf("\"cycles\": %" PRId64 ", \"resets\": %" PRIu64 ", ", now_, resets_);
    std::printf("\"latency\": [%" PRId64 ", %" PRId64 "], ", latency_.low, latency_.high);
    std::printf("\"interval\": [%" PRId64 ", %" PRId64 "], ", interval_.low, interval_.high);
    std::printf("\"failure\": \"%s\", \"failures\": [", failure_.c_str());
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      const Failure& f = failures_[i];
      std::printf("%s{\"run\": %" PRIu64 ", \"word\": %d, ", i > 0 ? ", " : "", f.run, f.word);
      std::printf("\"expected\": %s, ", decimal(f.expected).c_str());
      std::printf("\"obtained\": %s}", decimal(f.obtained).c_str());
    }
    std::printf("]}\n");
  }

 private:
  static constexpr int modulus_bytes = 16 * tables::modulus_words;

  const unsigned char* operands(std::uint64_t run) const {
    return &cases_[modulus_bytes + run * (tables::operand_bytes + tables::result_bytes)];
  }

  const unsigned char* expected(std::uint64_t run) const {
    return operands(run) + tables::operand_bytes;
  }

  bool passes() const { return failure_.empty() && failures_.size() < most_failures; }

  // Inputs stay as they are meanwhile: what is offered in a reset is not taken.
  void reset(int cycles) {
    core_->rst = 1;
    for (int i = 0; i < cycles; ++i) cycle();
    core_->rst = 0;
    core_->operands_valid = 0;
    core_->result_ready = 0;
    offered_ = waiting_ = differs_ = false;
    position_ = result_word_ = 0;
    wait_ = -1;
    progress_ = now_;
  }

  // Makes the runs up to ``end_``.
  void work() {
    std::int64_t idle = 0;
    while (passes() && now_ < deadline_) {
      drive();
      const bool busy = completed_ < end_;
      // After the last run, a while longer: nothing may come out any more.
      if (!busy && ++idle > 2 * tables::latency) break;
      step();
      if (busy && now_ - progress_ > patience) failure_ = "the core stopped";
    }
  }

  // Loads and runs, until a reset ends that; what comes then must be as if nothing had been before.
  void interrupt(Reset planned) {
    deadline_ = now_ + planned.instant;
    begin_at(random_.below(runs_), runs_);
    load_modulus();
    work();
    deadline_ = never;
    if (!passes()) return;
    reset(planned.cycles);
    const std::uint64_t first = runs_ > 2 ? random_.below(runs_ - 2) : 0;
    begin_at(first, runs_ > 2 ? first + 2 : runs_);
    load_modulus();
    begins_ = !stalls_ && latency_.low >= 0;
    work();
    begins_ = false;
    if (passes() && !differs_ever_) return;
    failure_ = "after a reset of " + std::to_string(planned.cycles) + " cycles, " +
               std::to_string(planned.instant) + " cycles after the one before: " +
               (failure_.empty() ? "a wrong result" : failure_);
  }

  void begin_at(std::uint64_t run, std::uint64_t end) {
    next_ = completed_ = run;
    end_ = end;
    measures_ = false;
  }

  // The words of the modulus, each until it is taken.
  void load_modulus() {
#ifdef LOADS_MODULUS
    for (int i = 0; i < tables::modulus_words && now_ < deadline_;) {
      Word word = 0;
      for (int byte = 15; byte >= 0; --byte) {
        const Word next = cases_[16 * i + byte];
        word = sizeof(Word) > 8 || byte < 8 ? (word << 8) | next : word;
      }
      core_->modulus_valid = 1;
      set_word(core_->modulus_payload, word);
      core_->clk = 0;
      core_->eval();
      i += core_->modulus_ready ? 1 : 0;
      cycle();
    }
    core_->modulus_valid = 0;
    // Until the inverse is there, so that it does not count as latency.
    for (int i = 0; i < 4 * tables::width + 16 && now_ < deadline_; ++i) cycle();
    progress_ = now_;
#endif
  }

  // Offer the next operand word, or make a gap; an offer stands until it is taken.
  void drive() {
    if (stalls_ && now_ % 256 == 0) {
      gap_rate_ = static_cast<unsigned>(random_.below(4) * 5);
      wait_rate_ = static_cast<unsigned>(random_.below(4) * 5);
    }
    const bool alone = measures_ && completed_ < isolated_runs;
    core_->result_ready = !(stalls_ && !alone && random_.one_in(wait_rate_));
    if (offered_) return;
    if ((stalls_ && random_.one_in(gap_rate_)) || !may_begin()) {
      core_->operands_valid = 0;
      if (stalls_) set_word(core_->operands_payload, random_.next() & word_mask);
      return;
    }
    set_word(core_->operands_payload, word_of(operands(next_), position_));
    core_->operands_valid = 1;
    offered_ = true;
  }

  // A run of its own begins in a core that has come to rest, after a wait of no particular length.
  bool may_begin() {
    if (position_ > 0) return true;
    if (next_ >= end_) return false;
    if (!measures_ || next_ > isolated_runs) return true;
    if (completed_ < next_) return false;
    if (wait_ < 0) wait_ = tables::latency + static_cast<int>(random_.below(tables::interval));
    return --wait_ < 0;
  }

  void step() {
    core_->clk = 0;
    core_->eval();
    const bool taken = offered_ && core_->operands_ready;
    look();
    core_->clk = 1;
    core_->eval();
    if (taken) take();
    ++now_;
  }

  void cycle() {
    core_->clk = 0;
    core_->eval();
    core_->clk = 1;
    core_->eval();
    ++now_;
  }

  void take() {
    offered_ = false;
    progress_ = now_;
    if (++position_ < tables::operand_words) return;
    position_ = 0;
    // The first run after a reset may end when the operands of the next one are there.
    if (!(begins_ && next_ > completed_)) given_ = now_;
    ++next_;
  }

  void look() {
    const bool valid = core_->result_valid;
    const Word word = low_bits(core_->result_payload);
    const bool last = port_word(core_->result_payload, tables::width / 32) >> tables::width % 32 & 1;
    if (waiting_ && !(valid && word == waiting_word_ && last == waiting_last_)) {
      failure_ = "a word of the result changed before it was taken";
      return;
    }
    waiting_ = valid && !core_->result_ready;
    waiting_word_ = word;
    waiting_last_ = last;
    if (valid && !waiting_) result(word, last);
  }

  void result(Word word, bool last) {
    progress_ = now_;
    if (completed_ >= next_) {
      failure_ = "a result that no run explains";
      return;
    }
    if (last != (result_word_ == tables::words - 1)) {
      failure_ = "last is not with the highest word";
      return;
    }
    const Word right = word_of(expected(completed_), result_word_);
    if (word != right) {
      if (!differs_) failures_.push_back({completed_, result_word_, right, word});
      differs_ = differs_ever_ = true;
    }
    if (++result_word_ == tables::words) finish();
  }

  void finish() {
    if (measures_ && completed_ < isolated_runs) latency_.add(now_ - given_);
    if (begins_ && now_ - given_ != latency_.low) failure_ = "a first result at another time than ever";
    begins_ = false;
    // The pipeline fills before results are an interval apart.
    if (measures_ && !stalls_ && completed_ >= 2 * isolated_runs) interval_.add(now_ - finished_);
    finished_ = now_;
    wrong_ += differs_;
    differs_ = false;
    result_word_ = 0;
    ++completed_;
  }

  VerilatedContext context_;
  std::unique_ptr<tables::Core> core_;
  const Bytes& cases_;
  Random random_;
  std::uint64_t runs_;
  bool stalls_;

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::uint64_t end_, resets_ = 0;
  std::int64_t deadline_ = never;
  bool measures_ = true, differs_ever_ = false;
  bool begins_ = false;  // whether the next result is the first one after a reset, and is timed
  bool offered_ = false, waiting_ = false, waiting_last_ = false, differs_ = false;
  int position_ = 0, result_word_ = 0, wait_ = -1;
  unsigned gap_rate_ = 0, wait_rate_ = 0;
  Word waiting_word_ = 0;
  std::uint64_t next_ = 0, completed_ = 0, wrong_ = 0;
  std::int64_t now_ = 0, progress_ = 0, given_ = 0, finished_ = 0;
  Extremes latency_, interval_;
  std::string failure_;
  std::vector<Failure> failures_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s CASES RUNS SEED STALLS RESETS\n", argv[0]);
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[2], nullptr, 10);
  Bytes cases(16 * tables::modulus_words + runs * (tables::operand_bytes + tables::result_bytes));
  if (!read_values(argv[1], cases)) return 1;
  Bench bench(cases, runs, std::strtoull(argv[3], nullptr, 10), argv[4][0] == '1');
  bench.run(reset_count(argv[5], reset_span));
  bench.report();
  return 0;
}
