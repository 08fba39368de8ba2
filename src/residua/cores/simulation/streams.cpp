// Drives a Verilated core with binary words and compares every word of every result.
//
// residua.cores.simulation.words puts in front of this file:
//   namespace tables  the core's interface and figures
//   harness.h, stream_ports.h
//
// usage: harness CASES RUNS SEED STALLS RESETS
//   CASES    first, if LOADS_MODULUS is defined, tables::modulus_words words to load, little-endian,
//            16 bytes each; then the operands and the expected result of every run, each as one
//            number of all its words, little-endian, tables::operand_bytes and tables::result_bytes;
//            if FLAGS_ERRORS is defined, the bit above the words of a result is its flag of an error;
//            if FLAGS_OPERANDS is, too, words with it are not compared, else they are 0, and a result
//            of 0 without it may have it all the same
//   STALLS   0: operands are always offered and results always taken; 1: random gaps in both, and
//            where a modulus is loaded it is loaded again now and then, while operands wait; if
//            TAKES_RANDOM is defined, random words are offered in the same way; now and then results
//            wait until the core takes no more operands
//   RESETS   after the runs, so many resets in the middle of others, each before two that must be
//            right; "every" for each cycle of a run
// Registers begin with random values. Prints one JSON object.

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

#ifdef FLAGS_ERRORS
constexpr bool flags_errors = true;
#else
constexpr bool flags_errors = false;
#endif

#ifdef FLAGS_OPERANDS
constexpr bool flags_operands = true;
#else
constexpr bool flags_operands = false;
#endif

constexpr const char* no_error = flags_operands ? "no error tells that an operand is out of range"
                                                : "no error tells that a result is withheld";

constexpr std::uint64_t most_isolated = 16;
constexpr std::size_t most_failures = 3;
constexpr unsigned most_gaps = 12;  // of 16 cycles
constexpr unsigned until_valid = 20;  // instead: a word of a result is taken only after it waited
constexpr unsigned until_full = 16;   // one of so many results waits until the core has all it can hold
constexpr std::int64_t standstill = tables::latency + 2 * tables::interval;
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
        isolated_(stalls ? std::min(most_isolated, runs / 2) : most_isolated),
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
    refuse_moduli();
    completed_ = completed;
  }

  void report() const {
    std::printf("{\"vectors\": %" PRIu64 ", \"mismatches\": %" PRIu64 ", ", completed_, wrong_);
    std::printf("\"cycles\": %" PRId64 ", \"resets\": %" PRIu64 ", ", now_, resets_);
    std::printf("\"latency\": [%" PRId64 ", %" PRId64 "], ", latency_.low, latency_.high);
    std::printf("\"interval\": [%" PRId64 ", %" PRId64 "], ", interval_.low, interval_.high);
    std::printf("\"wake\": [%" PRId64 ", %" PRId64 "], ", wake_.low, wake_.high);
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
    withdraw_modulus();
    offered_ = waiting_ = differs_ = false;
    position_ = result_word_ = 0;
    wait_ = -1;
    fills_ = false;
    progress_ = reset_ended_ = now_;
    wakes_ = true;
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

  // The words of the modulus, and then until its inverse is there, so that this does not count as
  // latency.
  void load_modulus([[maybe_unused]] unsigned gaps = 0) {
#ifdef LOADS_MODULUS
    finish_modulus(gaps);
    loading_ = 0;
    finish_modulus(gaps);
    for (int i = 0; i < 4 * tables::width + 16 && passes() && now_ < deadline_; ++i) step();
    progress_ = now_;
#endif
  }

#ifdef TESTS_MODULUS
  // One of the moduli that the core tests is even: no run starts, and what waits is of the next.
  void refuse_moduli() {
    if (!passes()) return;
    finish_modulus(0);
    even_ = tables::tested[random_.below(tables::tested.size())];
    load_modulus();
    even_ = -1;
    begin_at(random_.below(runs_), runs_);
    end_ = completed_ + 1;
    deadline_ = now_ + tables::latency + 2 * tables::interval;
    refused_ = true;
    work();
    refused_ = false;
    deadline_ = never;
    if (passes() && !core_->modulus_error) failure_ = "no error tells of an even modulus";
    if (!passes()) return;
    load_modulus(most_gaps);
    if (passes() && core_->modulus_error) failure_ = "the error of an even modulus stays";
    work();
  }
#else
  void refuse_moduli() {}
#endif

#ifdef LOADS_MODULUS
  void finish_modulus(unsigned gaps) {
    while (loading_ >= 0 && passes() && now_ < deadline_) {
      offer_modulus(gaps);
      step();
      if (now_ - progress_ > patience) failure_ = "the core takes no modulus";
    }
  }

  Word modulus_word(int index) const {
    Word word = 0;
    for (int byte = 15; byte >= 0; --byte) {
      const Word next = cases_[16 * index + byte];
      word = sizeof(Word) > 8 || byte < 8 ? (word << 8) | next : word;
    }
    return index == even_ ? word & ~Word{1} : word;
  }

  // Offer the next word of the modulus, or make a gap.
  void offer_modulus(unsigned gaps) {
    if (core_->modulus_valid || loading_ < 0 || random_.one_in(gaps)) return;
    set_word(core_->modulus_payload, modulus_word(loading_));
    core_->modulus_valid = 1;
  }

  // In a core that is at work, the modulus that it has comes again now and then.
  void load_again() {
    if (!stalls_ || refused_ || completed_ < isolated_) return;
    if (loading_ < 0 && random_.below(2 * tables::interval) == 0) loading_ = 0;
    offer_modulus(gap_rate_);
  }

  bool modulus_taken() const { return core_->modulus_valid && core_->modulus_ready; }

  bool first_word_ready() const { return core_->modulus_ready; }

  void take_modulus() {
    core_->modulus_valid = 0;
    progress_ = now_;
    if (++loading_ == tables::modulus_words) loading_ = -1;
  }

  void withdraw_modulus() {
    core_->modulus_valid = 0;
    loading_ = -1;
  }

  int loading_ = -1;  // word of the modulus that is next, or -1
  int even_ = -1;     // word of which the lowest bit is dropped, or -1
#else
  void load_again() {}
  bool modulus_taken() const { return false; }
  bool first_word_ready() const { return core_->operands_ready; }
  void take_modulus() {}
  void withdraw_modulus() {}
#endif

#ifdef TAKES_RANDOM
  // Offer a random word, or make a gap.
  void offer_random() {
    if (core_->random_valid || (stalls_ && random_.one_in(gap_rate_))) return;
    set_word(core_->random_payload, random_.next() & word_mask);
    core_->random_valid = 1;
  }

  bool random_taken() const { return core_->random_valid && core_->random_ready; }

  void take_random() { core_->random_valid = 0; }
#else
  void offer_random() {}
  bool random_taken() const { return false; }
  void take_random() {}
#endif

  // Offer the next operand word, or make a gap; an offer stands until it is taken.
  void drive() {
    if (stalls_ && now_ % 256 == 0 && (wait_rate_ != until_valid || waited_)) {
      waited_ = false;
      gap_rate_ = static_cast<unsigned>(random_.below(4) * 5);
      wait_rate_ = static_cast<unsigned>(random_.below(5) * 5);
    }
    const bool alone = measures_ && completed_ < isolated_;
    fills_ = fills_ && next_ < end_ && now_ - progress_ < standstill;
    const bool waits = fills_ || (wait_rate_ == until_valid ? !waiting_ : random_.one_in(wait_rate_));
    core_->result_ready = !(stalls_ && !alone && waits);
    load_again();
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
    if (!measures_ || next_ > isolated_) return true;
    if (completed_ < next_) return false;
    if (wait_ < 0) wait_ = tables::latency + static_cast<int>(random_.below(tables::interval));
    return --wait_ < 0;
  }

  void step() {
    offer_random();
    core_->clk = 0;
    core_->eval();
    const bool taken = offered_ && core_->operands_ready, loaded = modulus_taken();
    const bool drawn = random_taken();
    if (wakes_ && first_word_ready()) {
      wake_.add(now_ - reset_ended_);
      wakes_ = false;
    }
    look();
    core_->clk = 1;
    core_->eval();
    if (taken) take();
    if (loaded) take_modulus();
    if (drawn) take_random();
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
    core_->operands_valid = 0;
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
    const bool last = result_flag(0), error = flags_errors && result_flag(1);
    if (waiting_ && !(valid && word == waiting_word_ && last == waiting_last_ && error == waiting_error_)) {
      failure_ = "a word of the result changed before it was taken";
      return;
    }
    waiting_ = valid && !core_->result_ready;
    waited_ = waited_ || waiting_;
    waiting_word_ = word;
    waiting_last_ = last;
    waiting_error_ = error;
    if (valid && !waiting_) result(word, last, error);
  }

  // A bit above a word of a result: 0 tells the last one, 1 an error.
  bool result_flag(int number) const {
    const int bit = tables::width + number;
    return port_word(core_->result_payload, bit / 32) >> bit % 32 & 1;
  }

  bool expected_error(std::uint64_t run) const {
    constexpr int bit = tables::words * tables::width;
    return flags_errors && (expected(run)[bit / 8] >> bit % 8 & 1);
  }

  bool is_zero(std::uint64_t run) const {
    const unsigned char* bytes = expected(run);
    return std::all_of(bytes, bytes + tables::result_bytes, [](unsigned char byte) { return byte == 0; });
  }

  void result(Word word, bool last, bool error) {
    progress_ = now_;
    if (refused_) {
      failure_ = "a result modulo an even number";
      return;
    }
    if (completed_ >= next_) {
      failure_ = "a result that no run explains";
      return;
    }
    if (last != (result_word_ == tables::words - 1)) {
      failure_ = "last is not with the highest word";
      return;
    }
    const bool withheld = !flags_operands && error && is_zero(completed_);
    if (error != expected_error(completed_) && !withheld) {
      failure_ = error ? "a right result is an error" : no_error;
      return;
    }
    const Word right = word_of(expected(completed_), result_word_);
    if (word != right && !(flags_operands && error)) {
      if (!differs_) failures_.push_back({completed_, result_word_, right, word});
      differs_ = differs_ever_ = true;
    }
    if (++result_word_ == tables::words) finish();
  }

  void finish() {
    if (measures_ && completed_ < isolated_) latency_.add(now_ - given_);
    if (begins_ && now_ - given_ != latency_.low) failure_ = "a first result at another time than ever";
    begins_ = false;
    // The pipeline fills before results are an interval apart.
    if (measures_ && !stalls_ && completed_ >= 2 * isolated_) interval_.add(now_ - finished_);
    finished_ = now_;
    fills_ = stalls_ && random_.below(until_full) == 0;
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
  std::uint64_t isolated_;  // runs that begin in a core that has come to rest

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::uint64_t end_, resets_ = 0;
  std::int64_t deadline_ = never;
  bool measures_ = true, differs_ever_ = false;
  bool refused_ = false;  // whether no result may come
  bool waited_ = false;  // whether a word of a result did since the rates were chosen
  bool fills_ = false;  // whether results wait until the core stands still
  bool wakes_ = false;  // whether no word could be taken yet since a reset
  bool begins_ = false;  // whether the next result is the first one after a reset, and is timed
  bool offered_ = false, waiting_ = false, waiting_last_ = false, waiting_error_ = false;
  bool differs_ = false;
  int position_ = 0, result_word_ = 0, wait_ = -1;
  unsigned gap_rate_ = 0, wait_rate_ = 0;
  Word waiting_word_ = 0;
  std::uint64_t next_ = 0, completed_ = 0, wrong_ = 0;
  std::int64_t now_ = 0, progress_ = 0, given_ = 0, finished_ = 0, reset_ended_ = 0;
  Extremes latency_, interval_;
  Extremes wake_;  // from the end of a reset to the first cycle in which a first word may be taken
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
