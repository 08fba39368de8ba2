// What the harnesses of cores with streams of words have in common, after harness.h.

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

using tables::Word;

constexpr Word word_mask = ~Word{0} >> (8 * sizeof(Word) - tables::width);
constexpr int port_words = (tables::width + 31) / 32;

// One word of the number that starts at a byte.
Word word_of(const unsigned char* number, int index) {
  const int first = index * tables::width;
  Word word = 0;
  for (int bit = 0; bit < tables::width;) {
    const int place = first + bit, offset = place % 8;
    word |= static_cast<Word>(number[place / 8] >> offset) << bit;
    bit += 8 - offset;
  }
  return word & word_mask;
}

template <class Port> Word low_bits(const Port& port) {
  Word bits = 0;
  for (int i = 0; i < port_words; ++i) bits |= static_cast<Word>(port_word(port, i)) << (32 * i);
  return bits & word_mask;
}

template <class Port> void set_word(Port& port, Word word) {
  for (int i = 0; i < port_words; ++i) set_port_word(port, i, static_cast<std::uint32_t>(word >> (32 * i)));
}

std::string decimal(Word word) {
  std::string digits;
  do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(word % 10)));
  while ((word /= 10) != 0);
  return digits;
}

// Fills ``values`` from a file; whether it has as many.
template <class Value> bool read_values(const char* path, std::vector<Value>& values) {
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(Value)));
  if (!file) std::fprintf(stderr, "%s is too short\n", path);
  return static_cast<bool>(file);
}

template <class Value> bool write_values(const char* path, const std::vector<Value>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Value)));
  return file.good();
}

}  // namespace
