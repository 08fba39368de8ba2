// Simulates a system on a chip: bytes of standard input go into its serial port, what it sends comes
// out of standard output.
//
// residua.systems.simulation puts in front of this file:
//   #include "Vtop.h", namespace tables with Core, divisor, ahead and patience;
//   if the coprocessors have a clock of their own, CORE_CLOCK, and core_ticks for ticks of the system
//
// usage: simulator            with firmware.hex in the current directory; noise comes of the
//                             operating system
//
// Time stands still while nothing is to be done: from the end of an answer, or `patience` cycles
// after the last byte in either direction, until more comes in. Ends with standard input, with 0, or
// when the processor stops, with 3.

#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>

namespace {

// One end of a serial line that is sampled once a cycle.
class Sender {
 public:
  bool idle() const { return left_ == 0; }
  void send(unsigned char byte) {
    bits_ = 0x200u | static_cast<unsigned>(byte) << 1;
    left_ = 10;
    wait_ = tables::divisor;
  }
  bool line() {
    if (left_ == 0) return true;
    const bool bit = bits_ & 1;
    if (--wait_ == 0) {
      bits_ >>= 1;
      --left_;
      wait_ = tables::divisor;
    }
    return bit;
  }

 private:
  unsigned bits_ = 0;
  int left_ = 0, wait_ = 0;
};

class Receiver {
 public:
  // The byte that ends with this sample; negative if none does.
  int take(bool line) {
    if (left_ == 0) {
      if (!line) {
        left_ = 10;
        wait_ = tables::divisor / 2;
      }
      return -1;
    }
    if (--wait_ > 0) return -1;
    wait_ = tables::divisor;
    bits_ = bits_ >> 1 | (line ? 0x200u : 0u);
    return --left_ == 0 ? static_cast<int>(bits_ >> 1 & 0xFF) : -1;
  }

 private:
  unsigned bits_ = 0;
  int left_ = 0, wait_ = 0;
};

// Tells the end of a frame: 0xA5, two bytes of size, so many bytes, two of a sum.
class Frame {
 public:
  bool ends_with(unsigned char byte) {
    switch (place_) {
      case 0:
        if (byte == 0xA5) place_ = 1;
        return false;
      case 1:
        left_ = byte;
        place_ = 2;
        return false;
      case 2:
        left_ += 256 * byte + 2;
        place_ = 3;
        return false;
      default:
        if (--left_ > 0) return false;
        place_ = 0;
        return true;
    }
  }

 private:
  int place_ = 0, left_ = 0;
};

class System {
 public:
  System() : core_(new tables::Core(&context_)) {
    core_->uart_receive = 1;
    reset(true);
    for (int i = 0; i < kReset; ++i) cycle();
    reset(false);
    for (int i = 0; i < tables::ahead; ++i) cycle();
  }

  int run() {
    for (;;) {
      if (sender_.idle() && !input()) return 0;
      cycle();
      if (core_->trap) return 3;
    }
  }

 private:
#ifdef CORE_CLOCK
  // Both resets, for a few cycles of either clock.
  static constexpr int kReset = 4 + static_cast<int>(4 * tables::ticks / tables::core_ticks);
  void reset(bool on) { core_->rst = core_->core_rst = on; }
  // Edges of the coprocessors' clock in half a cycle of the system's, at its own pace.
  void core_clock() {
    for (passed_ += tables::core_ticks; passed_ >= tables::ticks; passed_ -= tables::ticks) {
      core_->core_clk = !core_->core_clk;
      core_->eval();
    }
  }
#else
  static constexpr int kReset = 1;
  void reset(bool on) { core_->rst = on; }
  void core_clock() {}
#endif

  // Takes a byte if there is one; false at the end of the input.
  bool input() {
    if (looked_-- > 0 && working()) return true;
    looked_ = 1000;
    pollfd watched = {STDIN_FILENO, POLLIN, 0};
    if (poll(&watched, 1, working() ? 0 : -1) <= 0) return true;
    unsigned char byte = 0;
    if (read(STDIN_FILENO, &byte, 1) != 1) return false;
    sender_.send(byte);
    looked_ = 0;
    busy_ = tables::patience;
    return true;
  }

  bool working() const { return busy_ > 0; }

  void cycle() {
    if (noise_left_ == 0) {
      noise_ = random_();
      noise_left_ = 32;
    }
    core_->noise = noise_ & 1;
    noise_ >>= 1;
    --noise_left_;
    core_->uart_receive = sender_.line();
    core_->clk = 0;
    core_->eval();
    core_clock();
    core_->clk = 1;
    core_->eval();
    core_clock();
    if (busy_ > 0) --busy_;
    const int byte = receiver_.take(core_->uart_send);
    if (byte < 0) return;
    const unsigned char out = static_cast<unsigned char>(byte);
    if (write(STDOUT_FILENO, &out, 1) != 1) std::exit(1);
    busy_ = frame_.ends_with(out) ? 0 : tables::patience;
  }

  VerilatedContext context_;
  std::unique_ptr<tables::Core> core_;
  std::random_device random_;
  std::random_device::result_type noise_ = 0;
  int noise_left_ = 0;
  Sender sender_;
  Receiver receiver_;
  Frame frame_;
  std::int64_t busy_ = 0, passed_ = 0;
  int looked_ = 0;
};

}  // namespace

int main() { return System().run(); }
