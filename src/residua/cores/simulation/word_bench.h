// A simulated core with streams of words, for single operations: what is loaded, operands, a result.
//
// residua.cores.simulation.word_bench puts in front of this file:
//   namespace tables                    the core's interface
//   harness.h, stream_ports.h, operation_bench.h
// and defines LOADS_MODULUS, TESTS_MODULUS and TAKES_RANDOM if it has such ports.

#include <sstream>
#include <string>

namespace {

// An operation. seed: of the random words; supply: -1 for fresh ones, or else what each of them is;
// loaded: the words that are loaded first.
struct Operation {
  std::uint64_t seed;
  long supply;
  std::vector<Word> loaded, operands;
};

Word word_of(const std::string& text) {
  Word word = 0;
  for (const char digit : text) word = word << 4 | static_cast<Word>(std::stoi(std::string(1, digit), nullptr, 16));
  return word;
}

// From a line: <seed> <supply> <words in hexadecimal, those that are loaded first ...>
Operation operation_of(const std::string& line) {
  std::istringstream text(line);
  Operation found{};
  text >> found.seed >> found.supply;
  std::string word;
  while (text >> word) {
    const bool loads = found.loaded.size() < static_cast<std::size_t>(tables::modulus_words);
    (loads ? found.loaded : found.operands).push_back(word_of(word));
  }
  return found;
}

// An operation begins with the first word that is taken, and ends with the last one of its result,
// whose bits above the words are `last`, and an error if the core tells of one. The status is 1 if
// in the end the core tells of a modulus that will not do.
class Bench : public ClockedBench {
 public:
  using ClockedBench::ClockedBench;

  Answer run(const Operation& request) {
    Random data{request.seed};
    Answer answer{End::done, false, 0, 0, 0, {}};
    std::size_t loaded = 0, given = 0;
    Word random = drawn(data, request);
    bool begun = false;
    for (long guard = 0; !answer.done; ++guard) {
      if (guard > patience_) {
        answer.end = End::hang;
        break;
      }
      const bool loads = loaded < request.loaded.size();
      offer_modulus(loads ? &request.loaded[loaded] : nullptr);
      top.operands_valid = !loads && given < request.operands.size();
      if (top.operands_valid) set_word(top.operands_payload, request.operands[given]);
      offer_random(random);
      top.result_ready = 1;
      if (begun) prepare(answer.cycles++);
      settle();
      const bool takes = top.operands_valid && top.operands_ready;
      given += takes;
      loaded += modulus_taken();
      begun = begun || takes || loaded > 0;
      if (random_taken()) {
        random = drawn(data, request);
        ++answer.taken;
      }
      if (top.result_valid) answer.done = take_result(answer.words);
      answer.status = modulus_error();
      tick();
    }
    return answer;
  }

 private:
  static constexpr int flags = 2;
  static constexpr int parts = (tables::width + flags + 31) / 32;

  static Word drawn(Random& data, const Operation& request) {
    const std::uint64_t fresh = data.next();
    return (request.supply < 0 ? static_cast<Word>(fresh) : static_cast<Word>(request.supply)) & word_mask;
  }

  // The parts of a word of the result, its flags above it; whether it is the last one.
  bool take_result(std::vector<std::uint32_t>& words) {
    for (int i = 0; i < parts; ++i) words.push_back(i < port_parts ? port_word(top.result_payload, i) : 0);
    return words[words.size() - parts + tables::width / 32] >> tables::width % 32 & 1;
  }

  // Those that the port has: without an error there is a bit less above the word.
  static constexpr int port_parts = (tables::width + tables::result_flags + 31) / 32;

#ifdef LOADS_MODULUS
  void offer_modulus(const Word* word) {
    top.modulus_valid = word != nullptr;
    if (word) set_word(top.modulus_payload, *word);
  }

  bool modulus_taken() { return top.modulus_valid && top.modulus_ready; }
#else
  void offer_modulus(const Word*) {}
  bool modulus_taken() { return false; }
#endif

#ifdef TESTS_MODULUS
  unsigned modulus_error() { return top.modulus_error; }
#else
  unsigned modulus_error() { return 0; }
#endif

#ifdef TAKES_RANDOM
  void offer_random(Word word) {
    top.random_valid = 1;
    set_word(top.random_payload, word);
  }

  bool random_taken() { return top.random_ready; }
#else
  void offer_random(Word) {}
  bool random_taken() { return false; }
#endif
};

}  // namespace
