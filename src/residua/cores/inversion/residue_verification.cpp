// Drives a Verilated inverter on residues and writes down every word that it gives, and its cycles.
//
// residua.cores.inversion.residue_verification puts in front of this file:
//   namespace tables  the unit's interface and figures
//   harness.h, stream_ports.h
//
// usage: harness TASKS RESULTS RUNS SEED GAPS
//   TASKS    the index of the modulus and the words to give for every run, 64 signed bits each,
//            little-endian
//   RESULTS  written: for every run that ended the cycles from the last word in to the last one of
//            busy, then the words that came, in the same format
//   GAPS     0: words come in every cycle, and start in the first one that is not busy; 1: random
//            gaps before all of them, with anything on the ports meanwhile
// Prints one JSON object.

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t task_numbers = 1 + tables::words_in;

class Bench {
 public:
  Bench(const Numbers& tasks, std::uint64_t seed, bool gaps)
      : core_(new tables::Core(any_state(context_, seed))), tasks_(tasks), random_(seed), gaps_(gaps) {}

  void run() {
    core_->rst = 1;
    core_->start = 0;
    core_->residue_valid = 0;
    step();
    core_->rst = 0;
    for (int i = 0; core_->busy && i < tables::latency; ++i) step();
    for (std::size_t first = 0; first < tasks_.size(); first += task_numbers, ++done_) {
      if (!begin(tasks_[first]) || !give(&tasks_[first + 1]) || !take()) return;
    }
    // Nothing may come out any more.
    for (int i = 0; i < tables::latency; ++i) {
      if (core_->busy || core_->word_valid) failure_ = "the unit goes on after its last word";
      step();
    }
  }

  void report() const {
    std::printf("{\"vectors\": %" PRIu64 ", \"failure\": \"%s\"}\n", done_, failure_.c_str());
  }

  const Numbers& results() const { return results_; }

 private:
  void step() {
    core_->clk = 0;
    core_->eval();
    core_->clk = 1;
    core_->eval();
  }

  bool waits() { return gaps_ && random_.one_in(5); }

  void select([[maybe_unused]] std::uint64_t index) {
#ifdef SELECTS
    core_->select_signal = index;
#endif
  }

  bool begin(std::int64_t index) {
    while (waits()) {
      select(random_.below(tables::moduli));
      set_word(core_->residue, random_.next() & word_mask);
      if (core_->busy || core_->word_valid) return stopped("the unit goes on after its last word");
      step();
    }
    select(static_cast<std::uint64_t>(index));
    core_->start = 1;
    step();
    core_->start = 0;
    return true;
  }

  // The words of an operand.
  bool give(const std::int64_t* words) {
    for (int word = 0; word < tables::words_in;) {
      core_->residue_valid = !waits();
      set_word(core_->residue, core_->residue_valid ? static_cast<Word>(words[word]) & word_mask
                                                    : random_.next() & word_mask);
      if (!core_->busy) return stopped("the unit is not busy while it takes words");
      if (core_->word_valid) return stopped("a word leaves before all have come");
      step();
      word += core_->residue_valid;
    }
    core_->residue_valid = 0;
    return true;
  }

  // The words of a result.
  bool take() {
    const std::size_t place = results_.size();
    results_.push_back(0);
    std::int64_t cycles = 0;
    for (; core_->busy; ++cycles) {
      if (cycles > 2 * tables::latency) return stopped("the unit does not end");
      if (core_->word_valid) results_.push_back(signed_word());
      if (gaps_) set_word(core_->residue, random_.next() & word_mask);
      step();
    }
    if (results_.size() - place != 1 + tables::words_out) return stopped("too many words, or too few");
    results_[place] = cycles;
    return true;
  }

  std::int64_t signed_word() const {
    constexpr int above = 64 - tables::width;
    return static_cast<std::int64_t>(low_bits(core_->word) << above) >> above;
  }

  bool stopped(const char* reason) {
    failure_ = reason;
    return false;
  }

  VerilatedContext context_;
  std::unique_ptr<tables::Core> core_;
  const Numbers& tasks_;
  Random random_;
  bool gaps_;
  std::uint64_t done_ = 0;
  std::string failure_;
  Numbers results_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s TASKS RESULTS RUNS SEED GAPS\n", argv[0]);
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[3], nullptr, 10);
  Numbers tasks(runs * task_numbers);
  if (!read_values(argv[1], tasks)) return 1;
  Bench bench(tasks, std::strtoull(argv[4], nullptr, 10), argv[5][0] == '1');
  bench.run();
  bench.report();
  return write_values(argv[2], bench.results()) ? 0 : 1;
}
