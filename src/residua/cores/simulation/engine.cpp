// Drives a Verilated engine through its residue-level interface and compares every word with the model.
//
// residua.cores.simulation.engine puts in front of this file:
//   namespace tables  the engine's interface and the program's operands
//   namespace model   the native model, if HAS_MODEL; else every case brings its expected outputs
//
// usage: harness POOL DUMP RUNS SEED STALLS SAMPLES RESETS
//   POOL     elements, cases and perhaps expected outputs (see `Workload`)
//   DUMP     receives inputs and outputs of every case and of SAMPLES other runs
//   RUNS     runs to make; the cases come first
//   STALLS   0: operands are always offered; 1: random gaps, random values of enable (which one run
//            waits for in any case)
//   RESETS   after the runs, so many resets in the middle of others, each before two that must be
//            right; "every" for each cycle of a run
// Registers begin with random values. Prints one JSON object.

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "verilated.h"

namespace {

using tables::Word;
using Words = std::vector<Word>;

constexpr int isolated_runs = 16;

// The run that waits for enable, and the cycles in which nothing may come of it.
constexpr std::uint64_t withheld_run = isolated_runs;
constexpr std::int64_t withheld_for = std::int64_t{2} * (tables::latency + tables::interval);
constexpr int most_failures = 3;
constexpr std::int64_t patience =
    1000 + std::int64_t{200} * (tables::latency + tables::interval);

// Resets come in the cycles of a run and of the ones behind it.
constexpr std::int64_t reset_span =
    std::int64_t{2} * tables::load_count + tables::latency + 2 * tables::interval;

constexpr int port_words = (tables::load_width * tables::word_bits + 31) / 32;

// What one transfer carries: a word of the run for every rower, or nothing (-1).
template <int count> using Transfer = const int (&)[count];

// The word of every rower, the first one in the lowest bits.
template <class Port> void pack(Port& port, const Word* words) {
  std::uint64_t buffer = 0;
  int filled = 0, index = 0;
  for (int rower = 0; rower < tables::load_width; ++rower) {
    Word word = words[rower];
    for (int left = tables::word_bits; left > 0;) {
      const int bits = left < 32 ? left : 32;
      const std::uint64_t part = static_cast<std::uint64_t>(word) & ((std::uint64_t{1} << bits) - 1);
      buffer |= part << filled;
      filled += bits;
      left -= bits;
      word >>= bits;
      if (filled >= 32) {
        set_port_word(port, index++, static_cast<std::uint32_t>(buffer));
        buffer >>= 32;
        filled -= 32;
      }
    }
  }
  if (index < port_words) set_port_word(port, index, static_cast<std::uint32_t>(buffer));
}

template <class Port> void unpack(const Port& port, Word* words) {
  std::uint64_t buffer = 0;
  int filled = 0, index = 0;
  for (int rower = 0; rower < tables::result_width; ++rower) {
    Word word = 0;
    for (int done = 0; done < tables::word_bits;) {
      const int bits = tables::word_bits - done < 32 ? tables::word_bits - done : 32;
      if (filled < bits) {
        buffer |= static_cast<std::uint64_t>(port_word(port, index++)) << filled;
        filled += 32;
      }
      word |= static_cast<Word>(buffer & ((std::uint64_t{1} << bits) - 1)) << done;
      buffer >>= bits;
      filled -= bits;
      done += bits;
    }
    const Word sign = static_cast<Word>(1) << (tables::word_bits - 1);
    words[rower] = (word ^ sign) - sign;
  }
}

struct Pool {
  std::vector<Words> elements;
  std::size_t fixed;  // elements from here on are replaced by results
};

struct Run {
  Words inputs, expected, obtained;
  std::vector<std::size_t> elements;
  int missing = tables::result_count;
  bool isolated = false, withheld = false, dumped = false, wrong = false;
  std::int64_t given = 0;
};

// What the next run computes: first the cases, then products of random members of the pools.
class Source {
 public:
  Source(const char* path, std::uint64_t seed, std::size_t samples) : random_(seed), samples_(samples) {
    std::ifstream file(path, std::ios::binary);
    for (std::size_t pool = number(file); pool > 0; --pool) {
      const std::size_t count = number(file), fixed = number(file), size = number(file);
      pools_.push_back({std::vector<Words>(count), fixed});
      for (Words& element : pools_.back().elements) element = words(file, size);
    }
    cases_.resize(number(file));
    for (auto& indices : cases_)
      for (std::size_t i = 0; i < tables::operands.size(); ++i) indices.push_back(number(file));
    expected_.resize(number(file));
    for (Words& outputs : expected_) outputs = words(file, tables::output_words);
    if (!file) throw std::runtime_error("the pool file is too short");
  }

  void make(Run& run, std::uint64_t number, std::uint64_t runs) {
    run.inputs.resize(tables::input_words);
    run.expected.resize(tables::output_words);
    run.obtained.resize(tables::output_words);
    run.missing = tables::result_count;
    run.wrong = false;
    choose(run, number);
    for (std::size_t i = 0; i < tables::operands.size(); ++i) {
      const Words& element = pools_[tables::operands[i].pool].elements[run.elements[i]];
      copy_element(tables::operands[i], element, run.inputs);
    }
    const std::uint64_t random_runs = runs > cases_.size() ? runs - cases_.size() : 0;
    const std::uint64_t step = samples_ > 0 ? 1 + random_runs / samples_ : 0;
    run.dumped = number < cases_.size() || (step > 0 && (number - cases_.size()) % step == 0);
    evaluate(run, number);
  }

  // What the fraction bits of each Cox sum were at least and at most, and in how many runs all clear or set.
  struct Fractions {
    std::int64_t low = -1, high = -1;
    std::uint64_t clear = 0, set = 0;
  };
  std::vector<Fractions> fractions;

 private:
  static std::size_t number(std::ifstream& file) {
    return static_cast<std::size_t>(words(file, 1)[0]);
  }
  static Words words(std::ifstream& file, std::size_t count) {
    Words result(count);
    file.read(reinterpret_cast<char*>(result.data()), static_cast<std::streamsize>(count * sizeof(Word)));
    return result;
  }

  static void copy_element(const tables::Operand& operand, const Words& element, Words& vectors) {
    std::size_t position = 0;
    for (const tables::Segment& segment : operand.segments)
      for (int i = 0; i < segment.length; ++i) vectors[segment.first + i] = element[position++];
  }

  void choose(Run& run, std::uint64_t number) {
    if (number < cases_.size() || !tables::has_model) {
      run.elements = cases_[number % cases_.size()];
      return;
    }
    run.elements.clear();
    for (const tables::Operand& operand : tables::operands) {
      const Pool& pool = pools_[operand.pool];
      const bool any = pool.fixed == pool.elements.size() || (pool.fixed > 0 && random_.one_in(4));
      const std::size_t first = any ? 0 : pool.fixed;
      const std::size_t last = any ? pool.fixed : pool.elements.size();
      run.elements.push_back(first + random_.below(last - first));
    }
  }

  // Results of results alone join the pool: zero, once in, would spread.
  void feed_back(const Run& run) {
    for (std::size_t i = 0; i < tables::operands.size(); ++i)
      if (run.elements[i] < pools_[tables::operands[i].pool].fixed) return;
    for (const tables::Operand& result : tables::results) {
      Pool& pool = pools_[result.pool];
      if (pool.fixed == pool.elements.size()) continue;
      Words& element = pool.elements[pool.fixed + random_.below(pool.elements.size() - pool.fixed)];
      std::size_t position = 0;
      for (const tables::Segment& segment : result.segments)
        for (int j = 0; j < segment.length; ++j)
          element[position++] = run.expected[segment.first + j];
    }
  }

#ifdef HAS_MODEL
  void evaluate(Run& run, std::uint64_t) {
    model::Word found[model::quotients + 1];
    model::evaluate(run.inputs.data(), run.expected.data(), found);
    fractions.resize(model::quotients);
    for (int i = 0; i < model::quotients; ++i) {
      Fractions& seen = fractions[i];
      if (seen.low < 0 || found[i] < seen.low) seen.low = found[i];
      if (found[i] > seen.high) seen.high = found[i];
      seen.clear += found[i] == 0;
      seen.set += found[i] == (model::Word{1} << model::truncations[i]) - 1;
    }
    feed_back(run);
  }
#else
  void evaluate(Run& run, std::uint64_t number) { run.expected = expected_[number % expected_.size()]; }
#endif

  Random random_;
  std::size_t samples_;
  std::vector<Pool> pools_;
  std::vector<std::vector<std::size_t>> cases_;
  std::vector<Words> expected_;
};

void print_word(Word word) {
  std::string digits;
  const bool negative = word < 0;
  do {
    const int digit = static_cast<int>(word % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    word /= 10;
  } while (word != 0);
  std::printf("%s%s", negative ? "-" : "", digits.c_str());
}

void print_words(const char* name, const Word* words, int count) {
  std::printf("\"%s\": [", name);
  for (int i = 0; i < count; ++i) {
    if (i > 0) std::printf(", ");
    print_word(words[i]);
  }
  std::printf("]");
}

template <int count>
void print_words(const char* name, const Words& words, Transfer<count> transfer) {
  Words chosen;
  for (const int place : transfer)
    if (place >= 0) chosen.push_back(words[place]);
  print_words(name, chosen.data(), static_cast<int>(chosen.size()));
}

class Bench {
 public:
  Bench(Source& source, std::ofstream& dump, std::uint64_t runs, std::uint64_t seed, bool stalls)
      : engine_(new tables::Engine(any_state(context_, seed))),
        source_(source),
        dump_(dump),
        gaps_(~seed),
        runs_(runs),
        stalls_(stalls),
        end_(runs) {
    noise_.resize(tables::load_width);
  }

  void run(std::uint64_t resets) {
    engine_->enable = 1;
    reset(1);
    work();
    const std::uint64_t completed = completed_;
    measures_ = false;
    for (resets_ = 0; resets_ < resets && passes(); ++resets_) {
      interrupt(reset_of(resets_, resets, reset_span));
    }
    completed_ = completed;
  }

  void report() {
    std::printf("{\"vectors\": %" PRIu64 ", \"mismatches\": %" PRIu64 ", ", completed_, wrong_);
    std::printf("\"cycles\": %" PRId64 ", \"resets\": %" PRIu64 ", ", now_, resets_);
    std::printf("\"latency\": [%" PRId64 ", %" PRId64 "], ", latency_.low, latency_.high);
    std::printf("\"interval\": [%" PRId64 ", %" PRId64 "], ", interval_.low, interval_.high);
    std::printf("\"fractions\": [");
    for (std::size_t i = 0; i < source_.fractions.size(); ++i) {
      const Source::Fractions& f = source_.fractions[i];
      std::printf("%s[%" PRId64 ", %" PRId64 ", %" PRIu64 ", %" PRIu64 "]", i > 0 ? ", " : "", f.low,
                  f.high, f.clear, f.set);
    }
    std::printf("], ");
    std::printf("\"failure\": \"%s\", \"failures\": [", failure_.c_str());
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      const int word = failures_[i].first;
      const Run& run = failures_[i].second;
      const auto& transfer = tables::result_words[word];
      std::printf("%s{\"word\": %d, ", i > 0 ? ", " : "", word);
      print_words("inputs", run.inputs.data(), tables::input_words);
      std::printf(", ");
      print_words("expected", run.expected, transfer);
      std::printf(", ");
      print_words("obtained", run.obtained, transfer);
      std::printf("}");
    }
    std::printf("]}\n");
  }

 private:
  bool passes() const { return failure_.empty() && failures_.size() < most_failures; }

  // Inputs stay as they are meanwhile: what is offered in a reset is not taken.
  void reset(int cycles) {
    engine_->rst = 1;
    for (int i = 0; i < cycles; ++i) tick();
    engine_->rst = 0;
    engine_->operands_valid = 0;
    pending_ = offered_ = false;
    position_ = 0;
    in_flight_.clear();
    for (std::uint64_t& seen : seen_) seen = completed_;
    next_ = completed_;
    progress_ = now_;
  }

  // Makes the runs up to ``end_``.
  void work() {
    std::int64_t idle = 0;
    while (passes() && now_ < deadline_) {
      drive();
      const bool busy = !in_flight_.empty() || next_ < end_;
      // After the last run, a while longer: nothing may come out any more.
      if (!busy && ++idle > 2 * tables::latency) break;
      cycle();
      if (busy && now_ - progress_ > patience) failure_ = "the engine stopped";
    }
  }

  // Runs until a reset ends that; what comes then must be as if nothing had been before.
  void interrupt(Reset planned) {
    deadline_ = now_ + planned.instant;
    end_ = ~std::uint64_t{0};
    work();
    deadline_ = never;
    if (!passes()) return;
    reset(planned.cycles);
    end_ = next_ + 2;
    const std::uint64_t wrong = wrong_;
    begins_ = !stalls_ && latency_.low >= 0;
    work();
    begins_ = false;
    if (passes() && wrong_ == wrong) return;
    failure_ = "after a reset of " + std::to_string(planned.cycles) + " cycles, " +
               std::to_string(planned.instant) + " cycles after the one before: " +
               (failure_.empty() ? "a wrong result" : failure_);
  }

  // Offer the next operand word, or make a gap; an offer stands until it is taken.
  void drive() {
    if (stalls_ && now_ % 256 == 0) {
      gap_rate_ = static_cast<unsigned>(gaps_.below(4) * 5);
      pause_rate_ = static_cast<unsigned>(gaps_.below(4) * 5);
    }
    const bool alone = pending_ ? waiting_.isolated : !in_flight_.empty() && in_flight_.back().isolated;
    engine_->enable = !(withholds() || (stalls_ && !alone && gaps_.one_in(pause_rate_)));
    if (offered_) return;
    if (stalls_ && gaps_.one_in(gap_rate_)) return invalid();
    if (position_ == 0) {
      if (next_ >= end_ || (pending_ && !begin_isolated())) return invalid();
      if (!pending_ && !prepare()) return invalid();
    }
    Word words[tables::load_width];
    for (int i = 0; i < tables::load_width; ++i) {
      const int place = tables::load_words[position_][i];
      words[i] = place < 0 ? 0 : waiting_.inputs[place];
    }
    pack(engine_->operands_payload, words);
    engine_->operands_valid = 1;
    offered_ = true;
  }

  bool is_withheld(const Run& run) const { return run.withheld && now_ - run.given < withheld_for; }

  // Whether enable is 0, from before the first word of a run until long after the last one.
  bool withholds() const {
    if (pending_ && waiting_.withheld) return true;
    return !in_flight_.empty() && is_withheld(in_flight_.back());
  }

  // A run of its own starts in an engine that has come to rest, after a wait of no particular length.
  bool begin_isolated() {
    if (!waiting_.isolated && !waiting_.withheld) return true;
    return in_flight_.empty() && wait_-- <= 0;
  }

  bool prepare() {
    source_.make(waiting_, next_, runs_);
    waiting_.isolated = measures_ && next_ < isolated_runs;
    waiting_.withheld = measures_ && next_ == withheld_run;
    waiting_.dumped = waiting_.dumped && measures_;
    pending_ = true;
    const int rest = tables::latency + 2 * tables::interval;
    wait_ = rest + static_cast<int>(gaps_.below(tables::interval));
    return begin_isolated();
  }

  void invalid() {
    engine_->operands_valid = 0;
    if (!stalls_) return;
    for (Word& word : noise_) word = static_cast<Word>(gaps_.next());
    pack(engine_->operands_payload, noise_.data());
  }

  void cycle() {
    engine_->clk = 0;
    engine_->eval();
    const bool taken = offered_ && engine_->operands_ready;
    if (engine_->result_valid) result();
    engine_->clk = 1;
    engine_->eval();
    if (taken) {
      offered_ = false;
      progress_ = now_;
      if (++position_ == tables::load_count) start();
    }
    ++now_;
  }

  void tick() {
    engine_->clk = 0;
    engine_->eval();
    engine_->clk = 1;
    engine_->eval();
    ++now_;
  }

  void start() {
    position_ = 0;
    pending_ = false;
    waiting_.given = now_;
    in_flight_.push_back(waiting_);
    ++next_;
  }

  // Words of one run may come between those of the next, but every word comes in the order of the runs.
  void result() {
    progress_ = now_;
    const int word = engine_->result_word;
    if (word >= tables::result_count) {
      failure_ = "result_word names no output";
      return;
    }
    const std::uint64_t position = seen_[word]++ - completed_;
    if (position >= in_flight_.size()) {
      failure_ = "a result that no run explains";
      return;
    }
    Run& run = in_flight_[position];
    if (is_withheld(run)) {
      failure_ = "a run starts while enable is 0";
      return;
    }
    Word words[tables::result_width];
    unpack(engine_->result, words);
    --run.missing;
    const auto& transfer = tables::result_words[word];
    for (int i = 0; i < tables::result_width; ++i)
      if (transfer[i] >= 0) run.obtained[transfer[i]] = words[i];
    for (const int i : transfer) {
      if (i < 0 || run.obtained[i] == run.expected[i]) continue;
      run.wrong = true;
      failures_.push_back({word, run});
      break;
    }
    while (!in_flight_.empty() && in_flight_.front().missing == 0) finish(in_flight_.front());
  }

  void finish(const Run& run) {
    if (run.isolated) latency_.add(now_ - run.given);
    if (begins_ && now_ - run.given != latency_.low) failure_ = "a first result at another time than ever";
    begins_ = false;
    // The pipeline fills before runs are an interval apart.
    if (measures_ && !stalls_ && completed_ >= 2 * isolated_runs) interval_.add(now_ - finished_);
    finished_ = now_;
    wrong_ += run.wrong;
    if (run.dumped) {
      write(run.inputs);
      write(run.obtained);
    }
    ++completed_;
    in_flight_.pop_front();
  }

  void write(const Words& words) {
    dump_.write(reinterpret_cast<const char*>(words.data()),
                static_cast<std::streamsize>(words.size() * sizeof(Word)));
  }

  VerilatedContext context_;
  std::unique_ptr<tables::Engine> engine_;
  Source& source_;
  std::ofstream& dump_;
  Random gaps_;
  std::uint64_t runs_;
  bool stalls_;

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::uint64_t end_, resets_ = 0;
  std::int64_t deadline_ = never;
  bool measures_ = true;
  bool begins_ = false;  // whether the next result is the first one after a reset, and is timed
  std::deque<Run> in_flight_;
  Run waiting_;
  bool pending_ = false, offered_ = false;
  int position_ = 0, wait_ = 0;
  unsigned gap_rate_ = 0, pause_rate_ = 0;
  Words noise_;
  std::uint64_t next_ = 0, completed_ = 0, wrong_ = 0;
  std::uint64_t seen_[tables::result_count] = {};
  std::int64_t now_ = 0, progress_ = 0, finished_ = 0;
  Extremes latency_, interval_;
  std::string failure_;
  std::vector<std::pair<int, Run>> failures_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr, "usage: %s POOL DUMP RUNS SEED STALLS SAMPLES RESETS\n", argv[0]);
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[3], nullptr, 10);
  const std::uint64_t seed = std::strtoull(argv[4], nullptr, 10);
  Source source(argv[1], seed, std::strtoull(argv[6], nullptr, 10));
  std::ofstream dump(argv[2], std::ios::binary);
  Bench bench(source, dump, runs, seed, argv[5][0] == '1');
  bench.run(reset_count(argv[7], reset_span));
  bench.report();
  return 0;
}
