// Runs an operation of a core whose registers and memories are open to inputs, without a fault, and
// once with each of many faults. A fault begins as a copy of the process in its first cycle, so that
// nothing is simulated twice.
//
// Arguments: a file, the cycles after which an operation hangs, and copies at once. The first line
// of the file is the operation, see operation_of. Each other line is a fault, those with earlier
// first cycles first: its number, and then its effects, each of <kind> <cycle> <a> <b> <c>:
//
//   flip   b bits from a on are inverted as they come into their registers at the end of the cycle
//   skip   b bits from a on stay as they are at the end of the cycle
//   hold   bit a stays as it is from the cycle on, inverted first if c is 1
//   word   bit c of word b of memory a is inverted
//
// The answers are lines: the number of the fault, or 0 without one; hang or done; and what print says.

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace {

struct Effect {
  std::string kind;
  long cycle;
  unsigned a, b, c;
};

struct Fault {
  unsigned long number;
  std::vector<Effect> effects;
};

Fault fault_of(const std::string& line) {
  std::istringstream text(line);
  Fault fault{};
  text >> fault.number;
  Effect effect{};
  while (text >> effect.kind >> effect.cycle >> effect.a >> effect.b >> effect.c) {
    fault.effects.push_back(effect);
  }
  return fault;
}

template <class Port> void set_bit(Port& port, unsigned bit) {
  const int word = static_cast<int>(bit / 32);
  set_port_word(port, word, port_word(port, word) | std::uint32_t{1} << bit % 32);
}

class FaultyBench : public Bench {
 public:
  FaultyBench(long patience, int most, const std::vector<Fault>& faults)
      : Bench(patience), most_(most), faults_(faults) {
    clear();
  }

  // That of this process, if it is a copy.
  const Fault* own() const { return own_; }

  void await(int left) {
    for (; running_ > left; --running_) ::wait(nullptr);
  }

 protected:
  void prepare(long cycle) override {
    for (; !own_ && next_ < faults_.size() && faults_[next_].effects.front().cycle <= cycle; ++next_) {
      begin(faults_[next_]);
    }
    if (own_) apply(cycle);
  }

 private:
  void begin(const Fault& fault) {
    await(most_ - 1);
    ++running_;
    std::fflush(stdout);
    const pid_t copy = ::fork();
    if (copy < 0) {
      std::perror("fork");
      std::exit(1);
    }
    if (copy == 0) own_ = &fault;
  }

  void apply(long cycle) {
    if (set_) clear();
    for (const Effect& effect : own_->effects) {
      const bool now = effect.cycle == cycle;
      if (effect.kind == "word") {
        if (!now) continue;
        set_bit(top.fault_memory, effect.a);
        top.fault_address = effect.b;
        set_bit(top.fault_mask, effect.c);
      } else if (effect.kind == "hold") {
        if (effect.cycle > cycle) continue;
        set_bit(top.fault_keep, effect.a);
        if (now && effect.c) set_bit(top.fault_flip, effect.a);
      } else {
        if (!now) continue;
        for (unsigned bit = effect.a; bit < effect.a + effect.b; ++bit) {
          if (effect.kind == "flip") set_bit(top.fault_flip, bit);
          else set_bit(top.fault_keep, bit);
        }
      }
      set_ = true;
    }
  }

  void clear() {
    set_ = false;
    clear(top.fault_flip);
    clear(top.fault_keep);
    clear(top.fault_memory);
    clear(top.fault_mask);
    top.fault_address = 0;
  }

  template <class Port> static void clear(Port& port) { std::memset(&port, 0, sizeof port); }

  int most_, running_ = 0;
  const std::vector<Fault>& faults_;
  std::size_t next_ = 0;
  const Fault* own_ = nullptr;
  bool set_ = false;
};

}  // namespace

int main(int, char** arguments) {
  std::ifstream script(arguments[1]);
  std::string line;
  std::getline(script, line);
  const Operation operation = operation_of(line);
  std::vector<Fault> faults;
  while (std::getline(script, line)) faults.push_back(fault_of(line));
  FaultyBench bench(std::stol(arguments[2]), std::stoi(arguments[3]), faults);
  const Answer answer = bench.run(operation);
  std::printf("%lu %s ", bench.own() ? bench.own()->number : 0,
              answer.end == End::hang ? "hang" : "done");
  print(answer);
  if (bench.own()) ::_exit(0);
  bench.await(0);
  return 0;
}
