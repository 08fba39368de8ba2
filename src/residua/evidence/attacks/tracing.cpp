// Runs operations of a core whose registers are shown, and writes for each cycle how many of
// the chosen bits changed at its beginning.
//
// Arguments: a file with an operation a line, see operation_of; the cycles after which an operation
// hangs; a file with the chosen bits, words of 32 in hexadecimal, the lowest first; the cycles of a
// trace; a file that takes the traces, numbers of 16 bits; if one bit is watched, its place in the
// state, and a file that takes it, a byte for each cycle. The answers are lines, see print.

#include <fstream>

namespace {

class TracingBench : public Bench {
 public:
  TracingBench(long patience, const std::vector<std::uint32_t>& chosen, int watched)
      : Bench(patience), chosen_(chosen), watched_(watched), before_(chosen.size()) {}

  std::vector<std::uint16_t> trace;
  std::vector<std::uint8_t> bits;

 protected:
  void prepare(long cycle) override {
    unsigned changed = 0;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const std::uint32_t now = port_word(top.state_bits, static_cast<int>(i));
      changed += static_cast<unsigned>(__builtin_popcount((now ^ before_[i]) & chosen_[i]));
      before_[i] = now;
    }
    // What was before the first cycle is not known.
    trace.push_back(cycle ? static_cast<std::uint16_t>(changed) : 0);
    if (watched_ >= 0) {
      bits.push_back(port_word(top.state_bits, watched_ / 32) >> watched_ % 32 & 1);
    }
  }

 private:
  const std::vector<std::uint32_t>& chosen_;
  const int watched_;
  std::vector<std::uint32_t> before_;
};

}  // namespace

int main(int count, char** arguments) {
  std::ifstream script(arguments[1]), bits(arguments[3]);
  std::vector<std::uint32_t> chosen;
  for (std::string word; bits >> word;) {
    chosen.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
  }
  const std::size_t cycles = std::stoul(arguments[4]);
  const bool watches = count > 6;
  std::ofstream traces(arguments[5], std::ios::binary), watched;
  if (watches) watched.open(arguments[7], std::ios::binary);
  TracingBench bench(std::stol(arguments[2]), chosen, watches ? std::stoi(arguments[6]) : -1);
  std::string line;
  while (std::getline(script, line)) {
    bench.trace.clear();
    bench.bits.clear();
    const Answer answer = bench.run(operation_of(line));
    if (answer.end == End::hang) {
      std::puts("hang");
      return 1;
    }
    print(answer);
    bench.trace.resize(cycles, 0);
    traces.write(reinterpret_cast<const char*>(bench.trace.data()),
                 static_cast<std::streamsize>(cycles * sizeof bench.trace[0]));
    if (watches) {
      bench.bits.resize(cycles, 0);
      watched.write(reinterpret_cast<const char*>(bench.bits.data()),
                    static_cast<std::streamsize>(cycles));
    }
  }
  return 0;
}
