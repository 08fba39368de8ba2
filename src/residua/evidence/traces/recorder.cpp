// Runs an operation of a core whose registers are shown, and writes what they hold in each
// cycle of a span.
//
// Arguments: a file with the operation, see operation_of; the cycles after which it hangs; the first
// cycle and the one after the last; of the words of 32 bits of all registers the first one that is
// written, and how many; a file that takes them, cycle by cycle, the lowest first. The answer is a
// line, see print, after the word hang or done.

#include <fstream>

namespace {

class RecordingBench : public Bench {
 public:
  RecordingBench(long patience, long first, long end, int word, int words, std::ostream& states)
      : Bench(patience), first_(first), end_(end), word_(word), words_(words), states_(states) {}

 protected:
  void prepare(long cycle) override {
    if (cycle < first_ || cycle >= end_) return;
    for (int i = 0; i < words_; ++i) {
      const std::uint32_t word = port_word(top.state_bits, word_ + i);
      states_.write(reinterpret_cast<const char*>(&word), sizeof word);
    }
  }

 private:
  long first_, end_;
  int word_, words_;
  std::ostream& states_;
};

}  // namespace

int main(int, char** arguments) {
  std::ifstream script(arguments[1]);
  std::ofstream states(arguments[7], std::ios::binary);
  std::string line;
  std::getline(script, line);
  RecordingBench bench(std::stol(arguments[2]), std::stol(arguments[3]), std::stol(arguments[4]),
                       std::stoi(arguments[5]), std::stoi(arguments[6]), states);
  const Answer answer = bench.run(operation_of(line));
  std::printf("%s ", answer.end == End::hang ? "hang" : "done");
  print(answer);
  return 0;
}
