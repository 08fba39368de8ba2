// Runs operations of a coprocessor whose registers are shown, and writes for each cycle how many of
// the chosen bits changed at its beginning.
//
// Arguments: a file with an operation a line, see operation_of; the cycles after which an operation
// hangs; a file with the chosen bits, words of 32 in hexadecimal, the lowest first; the cycles of a
// trace; a file that takes the traces, numbers of 16 bits. The answers are lines, see print.

#include <fstream>

namespace {

class TracingBench : public Bench {
 public:
  TracingBench(long patience, const std::vector<std::uint32_t>& chosen)
      : Bench(patience), chosen_(chosen), before_(chosen.size()) {}

  std::vector<std::uint16_t> trace;

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
  }

 private:
  const std::vector<std::uint32_t>& chosen_;
  std::vector<std::uint32_t> before_;
};

}  // namespace

int main(int, char** arguments) {
  std::ifstream script(arguments[1]), bits(arguments[3]);
  std::vector<std::uint32_t> chosen;
  for (std::string word; bits >> word;) {
    chosen.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
  }
  const std::size_t cycles = std::stoul(arguments[4]);
  std::ofstream traces(arguments[5], std::ios::binary);
  TracingBench bench(std::stol(arguments[2]), chosen);
  std::string line;
  while (std::getline(script, line)) {
    bench.trace.clear();
    const Answer answer = bench.run(operation_of(line));
    if (answer.end == End::hang) {
      std::puts("hang");
      return 1;
    }
    print(answer);
    bench.trace.resize(cycles, 0);
    traces.write(reinterpret_cast<const char*>(bench.trace.data()),
                 static_cast<std::streamsize>(cycles * sizeof bench.trace[0]));
  }
  return 0;
}
