// Modules of two forms side by side: the same numbers for both, and which outputs differ.
//
// Generated before this: the ports that take numbers, as {first bit, bits}.
#include "Vforms.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

namespace {

constexpr int word_bits = 32;
/// Cycles after which registers that take their values from others hold nothing of before.
constexpr int settling = 64;

class Bench {
  public:
    explicit Bench(std::uint32_t seed)
        : context(new VerilatedContext), top(new Vforms(context.get())), random(seed) {}

    void cycle(int number) {
        for (const auto &[first, bits] : ports) put(first, bits);
        top->rst = number < 4 || random() % 16 == 0;
        top->clk = 0;
        look(number);
        top->clk = 1;
        look(number);
    }

    /// Modules whose outputs differed, by their number.
    std::vector<int> differing() const {
        std::vector<int> found;
        for (int n = 0; n < modules; n++)
            if (differ[n]) found.push_back(n);
        return found;
    }

  private:
    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<Vforms> top;
    std::mt19937 random;
    std::vector<bool> differ = std::vector<bool>(modules);

    /// Any number, one at an edge of its range, or one of few ones or few zeros.
    void put(int first, int bits) {
        const std::uint32_t kind = random() % 8, place = random() % bits;
        std::uint32_t word = 0;
        for (int n = 0; n < bits; n++) {
            if (n % word_bits == 0) word = random();
            bool bit = word >> n % word_bits & 1;
            if (kind == 0) bit = false;
            if (kind == 1) bit = true;
            if (kind == 2) bit = n == bits - 1;
            if (kind == 3) bit = n != bits - 1;
            if (kind == 4) bit = n == int(place);
            if (kind == 5) bit = n != int(place);
            set(first + n, bit);
        }
    }

    void set(int place, bool bit) {
        const std::uint32_t mask = 1u << place % word_bits;
        auto &word = top->data[place / word_bits];
        word = bit ? word | mask : word & ~mask;
    }

    void look(int number) {
        top->eval();
        if (number < settling) return;
        for (int n = 0; n < modules; n++)
            if (top->differ[n / word_bits] >> n % word_bits & 1) differ[n] = true;
    }
};

}  // namespace

int main(int, char **arguments) {
    Bench bench(std::strtoul(arguments[1], nullptr, 10));
    const int cycles = std::atoi(arguments[2]);
    for (int n = 0; n < cycles; n++) bench.cycle(n);
    for (int n : bench.differing()) std::printf("differs %d\n", n);
    std::puts("compared");
}
