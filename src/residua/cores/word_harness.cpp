// Drives a Verilated core with binary words and compares every word of every result.
//
// residua.cores.word_verification puts in front of this file:
//   namespace tables  the core's interface and figures
//   harness.h, word_ports.h
//
// usage: harness CASES RUNS SEED STALLS
//   CASES    first, if LOADS_MODULUS is defined, tables::modulus_words words to load, little-endian,
//            16 bytes each; then the operands and the expected result of every run, each as one
//            number of all its words, little-endian, tables::operand_bytes and tables::result_bytes
//   STALLS   0: operands are always offered and results always taken; 1: random gaps in both
// Prints one JSON object.

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::uint64_t isolated_runs = 16;
constexpr std::size_t most_failures = 3;
constexpr std::int64_t patience = 1000 + std::int64_t{200} * tables::latency;

struct Failure {
  std::uint64_t run;
  int word;
  Word expected, obtained;
};

class Bench {
 public:
  Bench(const Bytes& cases, std::uint64_t runs, std::uint64_t seed, bool stalls)
      : core_(new tables::Core(&context_)), cases_(cases), random_(seed), runs_(runs), stalls_(stalls) {}

  void run() {
    core_->rst = 1;
    core_->operands_valid = 0;
    core_->result_ready = 0;
    for (int i = 0; i < 4; ++i) cycle();
    core_->rst = 0;
    load_modulus();
    std::int64_t idle = 0;
    while (failure_.empty() && failures_.size() < most_failures) {
      drive();
      const bool busy = completed_ < runs_;
      // After the last run, a while longer: nothing may come out any more.
      if (!busy && ++idle > 2 * tables::latency) break;
      step();
      if (busy && now_ - progress_ > patience) failure_ = "the core stopped";
    }
  }

  void report() const {
    std::printf("{\"vectors\": %" PRIu64 ", \"mismatches\": %" PRIu64 ", ", completed_, wrong_);
    std::printf("\"cycles\": %" PRId64 ", ", now_);
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

  // The words of the modulus, each until it is taken.
  void load_modulus() {
#ifdef LOADS_MODULUS
    for (int i = 0; i < tables::modulus_words;) {
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
    for (int i = 0; i < 4 * tables::width + 16; ++i) cycle();
#endif
  }

  // Offer the next operand word, or make a gap; an offer stands until it is taken.
  void drive() {
    if (stalls_ && now_ % 256 == 0) {
      gap_rate_ = static_cast<unsigned>(random_.below(4) * 5);
      wait_rate_ = static_cast<unsigned>(random_.below(4) * 5);
    }
    core_->result_ready = !(stalls_ && completed_ >= isolated_runs && random_.one_in(wait_rate_));
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
    if (next_ >= runs_) return false;
    if (next_ > isolated_runs) return true;
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
  }

  void take() {
    offered_ = false;
    progress_ = now_;
    if (++position_ < tables::operand_words) return;
    position_ = 0;
    given_ = now_;
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
      differs_ = true;
    }
    if (++result_word_ == tables::words) finish();
  }

  void finish() {
    if (completed_ < isolated_runs) latency_.add(now_ - given_);
    // The pipeline fills before results are an interval apart.
    if (!stalls_ && completed_ >= 2 * isolated_runs) interval_.add(now_ - finished_);
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
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s CASES RUNS SEED STALLS\n", argv[0]);
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[2], nullptr, 10);
  Bytes cases(16 * tables::modulus_words + runs * (tables::operand_bytes + tables::result_bytes));
  if (!read_values(argv[1], cases)) return 1;
  Bench bench(cases, runs, std::strtoull(argv[3], nullptr, 10), argv[4][0] == '1');
  bench.run();
  bench.report();
  return 0;
}
