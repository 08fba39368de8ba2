// A simulated core behind its bus, as a library: what a driver's functions of access need.
// They have the types of the members of `residua_ecc_device`, so that the C driver can take them as
// they are. In front of this text stand Top, the bus (AXI or else Wishbone), STREAMS, RANDOM, PACKETS
// (results may follow one another), ZEROISE and its key, and PREFIX, which the names of the functions begin with, so that a program can have several cores.
//
// The host at the other side offers and takes words with random stalls on every channel, and lets
// the clock run for some cycles before each access. Offers stay until they are taken.

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define JOINED(prefix, name) prefix##_##name
#define WITH(prefix, name) JOINED(prefix, name)
#define NAME(name) WITH(PREFIX, name)

namespace {

constexpr long patience = 100'000;  // cycles, for one access
// From the last handshake of an access to its answer, and least from one answer to the next.
constexpr unsigned read_cycles = 2, read_gap = 1, write_cycles = 3, write_gap = 2;
constexpr int pending = 1;
constexpr unsigned stall_steps = 256;
constexpr std::size_t most_taken = 4096;  // random words that are remembered

enum Failure {
  none = 0,
  refused = 1,
  hangs = 2,
  wrong_last = 4,
  surplus = 8,
  disarmed = 16,
  untimely = 32,
  survives = 64,
  lingers = 128,
  ambiguous = 256
};

struct Word {
  std::uint32_t value;
  bool last;
};

struct Access {
  std::uint32_t writes, offset, word, strobe, refused;
};

// The answers of one channel: each comes as soon as it may, which is after the one before it.
class Answers {
 public:
  Answers(unsigned cycles, unsigned gap) : cycles_(cycles), gap_(gap) {}

  // Its access is complete in this cycle.
  void asked(std::uint64_t cycle) { due_.push_back(cycle + cycles_); }

  // Whether an answer that is there in this cycle should have been there before, or not yet.
  bool untimely(std::uint64_t cycle) {
    if (seen_) return false;
    seen_ = true;
    return due_.empty() || cycle != std::max(due_.front(), taken_ + gap_);
  }

  void taken(std::uint64_t cycle) {
    seen_ = false;
    taken_ = cycle;
    if (!due_.empty()) due_.pop_front();
  }

 private:
  const unsigned cycles_, gap_;
  std::deque<std::uint64_t> due_;
  std::uint64_t taken_ = 0;
  bool seen_ = false;
};

class Bench {
 public:
  Bench(std::uint64_t seed, unsigned stalls, unsigned pause)
      : stalls_(stalls), pause_(pause), words_(seed), pauses_(seed ^ 0x5555) {
    top.rst = 1;
    for (int i = 0; i < 4; ++i) step();
    top.rst = 0;
  }

  std::uint32_t read(std::uint32_t offset) {
    rest();
    return read_access(offset);
  }

  void write(std::uint32_t offset, std::uint32_t value) {
    rest();
    // A sender that goes on would leave words of the old operation to the next one.
    const bool zeroises = offset == ZEROISE && value == ZEROISE_KEY;
    if (zeroises) forget();
    zeroises_ = zeroises;
    write_access(offset, value);
    zeroises_ = false;
    if (zeroises) forget();
  }

  // Accesses that do not wait for the answers before them; writes and reads each in their order.
  // Words of reads, and whether an access was refused, are put in.
  void traffic(Access *accesses, std::size_t count) {
    rest();
    exchange(accesses, count);
  }

  void run(std::uint64_t count) {
    for (; count > 0; --count) step();
  }

  // Whether the interrupt came within so many cycles.
  bool interrupted(std::uint64_t most) {
    for (; most > 0 && !top.irq; --most) step();
    return top.irq;
  }

  // Begins to write a register, and resets core and host after some cycles, before the answer.
  void reset(std::uint32_t offset, std::uint32_t value, unsigned after, unsigned count) {
    begin_write(offset, value);
    run(after);
    failure = none;  // that write may have been refused
    top.rst = 1;
    forget();
    end_access();
    run(count);
    top.rst = 0;
  }

  // Without words, what was not offered yet is forgotten.
  void send(const std::uint32_t *words, std::size_t count) {
    if (words == nullptr) operands_.resize(offered() ? 1 : 0);
    operands_.insert(operands_.end(), words, words + count);
  }

  int receive(std::uint32_t *words, std::size_t count) {
    target_ = words;
    count_ = count;
    return 0;
  }

  // The result that `receive` prepared for: 0, pending, or negative if something went wrong.
  int received() {
    if (target_ == nullptr) return -fail(disarmed);
    if (results_.size() < count_) {
      step();
      rest();
      return pending;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      target_[i] = results_.front().value;
      if (results_.front().last != (i + 1 == count_)) fail(wrong_last);
      results_.pop_front();
    }
#if !PACKETS
    if (!results_.empty()) fail(surplus);
#endif
    target_ = nullptr;
    return -failure;
  }

  std::size_t waiting() const { return results_.size(); }
  std::uint32_t random_word() { return static_cast<std::uint32_t>(words_.next()); }

  // Whether there was another random word that the core's stream took; each is told once.
  bool next_taken(std::uint32_t *word) {
    if (taken_.empty()) return false;
    *word = taken_.front();
    taken_.pop_front();
    return true;
  }

  // The bytes that writes are of from now on.
  void strobe(unsigned bytes) { strobe_ = bytes; }

  std::uint64_t cycles = 0;
  int failure = none;

 private:
  bool goes() { return pauses_.below(stall_steps) >= stalls_; }

  int fail(Failure kind) { return failure |= kind; }

  void rest() { run(pause_); }

  void forget() {
    operands_.clear();
    results_.clear();
#if STREAMS
    top.s_axis_operand_tvalid = 0;
#if RANDOM
    if (top.rst) top.s_axis_random_tvalid = 0;
#endif
#endif
  }

  // One cycle; what is taken in it is known after it.
  void step() {
    offer_streams();
    top.clk = 0;
    top.eval();
    take_streams();
    sample();
    top.clk = 1;
    top.eval();
    withdraw();
    ++cycles;
  }

#if STREAMS
  bool offered() { return top.s_axis_operand_tvalid; }

  void offer_streams() {
    if (top.rst) return;
    if (!top.s_axis_operand_tvalid && !operands_.empty() && goes()) {
      top.s_axis_operand_tvalid = 1;
      top.s_axis_operand_tdata = operands_.front();
    }
#if RANDOM
    if (!top.s_axis_random_tvalid && goes()) {
      top.s_axis_random_tvalid = 1;
      top.s_axis_random_tdata = random_word();
    }
#endif
    top.m_axis_result_tready = goes();
  }

  void take_streams() {
    operand_taken_ = top.s_axis_operand_tvalid && top.s_axis_operand_tready && !top.rst;
#if RANDOM
    random_taken_ = top.s_axis_random_tvalid && top.s_axis_random_tready && !top.rst;
#endif
    if (top.m_axis_result_tvalid && top.m_axis_result_tready && !top.rst) {
      results_.push_back({top.m_axis_result_tdata, top.m_axis_result_tlast != 0});
    }
  }

  void withdraw_streams() {
    if (operand_taken_) {
      operands_.pop_front();
      top.s_axis_operand_tvalid = 0;
    }
#if RANDOM
    if (random_taken_) {
      top.s_axis_random_tvalid = 0;
      taken_.push_back(top.s_axis_random_tdata);
      if (taken_.size() > most_taken) taken_.pop_front();
    }
#endif
  }
#else
  bool offered() { return false; }
  void offer_streams() {}
  void take_streams() {}
  void withdraw_streams() {}
#endif

#if AXI
  void sample() {
    aw_ = top.s_axi_awvalid && top.s_axi_awready;
    w_ = top.s_axi_wvalid && top.s_axi_wready;
    b_ = top.s_axi_bvalid && top.s_axi_bready;
    ar_ = top.s_axi_arvalid && top.s_axi_arready;
    r_ = top.s_axi_rvalid && top.s_axi_rready;
    written_ = top.s_axi_bvalid;
    read_ = top.s_axi_rvalid;
    write_refused_ = top.s_axi_bresp != 0;
    read_refused_ = top.s_axi_rresp != 0;
    if (b_ && write_refused_) fail(refused);
    if (r_ && read_refused_) fail(refused);
    read_data_ = top.s_axi_rdata;
    if ((!read_ || read_refused_) && !top.rst && read_data_ != 0) fail(lingers);
#if STREAMS
    // With the answer to a zeroisation nothing of the result is left.
    if (zeroises_ && written_ && top.m_axis_result_tvalid) fail(survives);
#endif
  }

  void withdraw() {
    withdraw_streams();
    if (aw_) top.s_axi_awvalid = 0;
    if (w_) top.s_axi_wvalid = 0;
    if (ar_) top.s_axi_arvalid = 0;
    if (b_) top.s_axi_bready = 0;
    if (r_) top.s_axi_rready = 0;
  }

  void write_access(std::uint32_t offset, std::uint32_t value) {
    bool addressed = false, supplied = false;
    top.s_axi_awaddr = offset;
    top.s_axi_wdata = value;
    top.s_axi_wstrb = strobe_;
    for (long waited = 0; waited < patience; ++waited) {
      if (!addressed && goes()) top.s_axi_awvalid = 1;
      if (!supplied && goes()) top.s_axi_wvalid = 1;
      top.s_axi_bready = addressed && supplied && goes();
      step();
      addressed |= aw_;
      supplied |= w_;
      if (b_) return;
    }
    fail(hangs);
  }

  void begin_write(std::uint32_t offset, std::uint32_t value) {
    top.s_axi_awaddr = offset;
    top.s_axi_wdata = value;
    top.s_axi_wstrb = strobe_;
    top.s_axi_awvalid = goes();
    top.s_axi_wvalid = goes();
  }

  void end_access() {
    top.s_axi_awvalid = top.s_axi_wvalid = top.s_axi_arvalid = 0;
    top.s_axi_bready = top.s_axi_rready = 0;
  }

  std::uint32_t read_access(std::uint32_t offset) {
    bool addressed = false;
    top.s_axi_araddr = offset;
    for (long waited = 0; waited < patience; ++waited) {
      if (!addressed && goes()) top.s_axi_arvalid = 1;
      top.s_axi_rready = addressed && goes();
      step();
      addressed |= ar_;
      if (r_) return read_data_;
    }
    fail(hangs);
    return 0;
  }

  void exchange(Access *accesses, std::size_t count) {
    std::deque<Access *> writes, reads;  // those without an answer
    for (std::size_t i = 0; i < count; ++i) {
      (accesses[i].writes ? writes : reads).push_back(accesses + i);
    }
    std::size_t addressed = 0, supplied = 0, asked = 0;  // of them
    Answers write_answers(write_cycles, write_gap), read_answers(read_cycles, read_gap);
    for (long waited = 0; !writes.empty() || !reads.empty(); ++waited) {
      if (waited > patience) return void(fail(hangs));
      if (!top.s_axi_awvalid && addressed < writes.size() && goes()) {
        top.s_axi_awaddr = writes[addressed]->offset;
        top.s_axi_awvalid = 1;
      }
      if (!top.s_axi_wvalid && supplied < writes.size() && goes()) {
        top.s_axi_wdata = writes[supplied]->word;
        top.s_axi_wstrb = writes[supplied]->strobe;
        top.s_axi_wvalid = 1;
      }
      if (!top.s_axi_arvalid && asked < reads.size() && goes()) {
        top.s_axi_araddr = reads[asked]->offset;
        top.s_axi_arvalid = 1;
      }
      if (goes()) top.s_axi_bready = 1;
      if (goes()) top.s_axi_rready = 1;
      const std::uint64_t cycle = cycles;
      const std::size_t complete = std::min(addressed, supplied);
      step();
      addressed += aw_;
      supplied += w_;
      if (std::min(addressed, supplied) > complete) write_answers.asked(cycle);
      asked += ar_;
      if (ar_) read_answers.asked(cycle);
      if (written_ && write_answers.untimely(cycle)) fail(untimely);
      if (read_ && read_answers.untimely(cycle)) fail(untimely);
      failure &= ~refused;
      if (b_ && addressed > 0 && supplied > 0) {
        writes.front()->refused = write_refused_;
        writes.pop_front();
        write_answers.taken(cycle);
        --addressed;
        --supplied;
      }
      if (r_ && asked > 0) {
        reads.front()->refused = read_refused_;
        reads.front()->word = read_data_;
        reads.pop_front();
        read_answers.taken(cycle);
        --asked;
      }
    }
  }

  bool aw_ = false, w_ = false, b_ = false, ar_ = false, r_ = false;
  bool written_ = false, read_ = false, write_refused_ = false, read_refused_ = false;
#else
  void sample() {
    const bool answer = top.wb_ack_o || top.wb_err_o;
    answered_ = top.wb_stb_i && answer;
    if (answer && !top.wb_stb_i) fail(untimely);
    if (top.wb_ack_o && top.wb_err_o) fail(ambiguous);
    if (top.wb_stb_i && top.wb_err_o) fail(refused);
    // A master in pipelined mode goes on with the answer.
    if (top.wb_stb_i && (top.wb_stall_o != 0) == answered_) fail(untimely);
    read_data_ = top.wb_dat_o;
    const bool reads = answered_ && top.wb_ack_o;
    if (!reads && !top.rst && read_data_ != 0) fail(lingers);
  }

  void withdraw() {
    withdraw_streams();
    if (answered_) top.wb_cyc_i = top.wb_stb_i = 0;
  }

  void begin_access(bool writes, std::uint32_t offset, std::uint32_t value) {
    top.wb_we_i = writes;
    top.wb_adr_i = offset / 4;
    if (writes) top.wb_dat_i = value;  // what was written last stays beside reads
    top.wb_sel_i = writes ? strobe_ : 0b1111;
    top.wb_cyc_i = top.wb_stb_i = 1;
  }

  void begin_write(std::uint32_t offset, std::uint32_t value) { begin_access(true, offset, value); }
  void end_access() { top.wb_cyc_i = top.wb_stb_i = 0; }

  std::uint32_t access(bool writes, std::uint32_t offset, std::uint32_t value) {
    while (!goes()) step();
    begin_access(writes, offset, value);
    for (long waited = 0; waited < patience; ++waited) {
      step();
      if (answered_) return read_data_;
    }
    fail(hangs);
    return 0;
  }

  void write_access(std::uint32_t offset, std::uint32_t value) { access(true, offset, value); }
  std::uint32_t read_access(std::uint32_t offset) { return access(false, offset, 0); }

  void exchange(Access *accesses, std::size_t count) {
    for (Access *each = accesses; each < accesses + count; ++each) {
      while (!goes()) step();
      strobe_ = each->strobe;
      begin_access(each->writes, each->offset, each->word);
      const std::uint64_t begun = cycles;
      do {
        if (cycles - begun > patience) return void(fail(hangs));
        step();
      } while (!answered_);
      if (cycles - begun != (each->writes ? write_cycles : read_cycles)) fail(untimely);
      each->refused = (failure & refused) != 0;
      failure &= ~refused;
      if (!each->writes) each->word = read_data_;
    }
  }

  bool answered_ = false;
#endif

  VerilatedContext context;
  Top top{&context};
  unsigned stalls_, pause_;
  Random words_, pauses_;
  std::deque<std::uint32_t> operands_;
  std::deque<Word> results_;
  std::uint32_t *target_ = nullptr;
  std::size_t count_ = 0;
  std::deque<std::uint32_t> taken_;
  unsigned strobe_ = 0b1111;
  std::uint32_t read_data_ = 0;
  bool operand_taken_ = false, random_taken_ = false;
  bool zeroises_ = false;
};

Bench &bench(void *context) { return *static_cast<Bench *>(context); }

}  // namespace

EXPORTED void *NAME(open)(std::uint64_t seed, std::uint32_t stalls, std::uint32_t pause) {
  return new Bench(seed, stalls, pause);
}

EXPORTED void NAME(close)(void *context) { delete &bench(context); }

EXPORTED std::uint32_t NAME(read32)(void *context, std::uint32_t offset) {
  return bench(context).read(offset);
}

EXPORTED void NAME(write32)(void *context, std::uint32_t offset, std::uint32_t value) {
  bench(context).write(offset, value);
}

EXPORTED void NAME(traffic)(void *context, Access *accesses, std::size_t count) {
  bench(context).traffic(accesses, count);
}

EXPORTED int NAME(random)(void *context, std::uint32_t *word) {
  *word = bench(context).random_word();
  return 0;
}

EXPORTED int NAME(next_taken)(void *context, std::uint32_t *word) {
  return bench(context).next_taken(word);
}

EXPORTED void NAME(strobe)(void *context, std::uint32_t bytes) { bench(context).strobe(bytes); }

EXPORTED int NAME(send)(void *context, const std::uint32_t *words, std::size_t count) {
  bench(context).send(words, count);
  return 0;
}

EXPORTED int NAME(receive)(void *context, std::uint32_t *words, std::size_t count) {
  return bench(context).receive(words, count);
}

EXPORTED int NAME(received)(void *context) { return bench(context).received(); }

// Result words that came and were not asked for.
EXPORTED std::size_t NAME(waiting)(void *context) { return bench(context).waiting(); }

EXPORTED void NAME(run)(void *context, std::uint64_t cycles) { bench(context).run(cycles); }

EXPORTED int NAME(interrupted)(void *context, std::uint64_t most) {
  return bench(context).interrupted(most);
}

EXPORTED void NAME(reset)(void *context, std::uint32_t offset, std::uint32_t value,
                                std::uint32_t after, std::uint32_t count) {
  bench(context).reset(offset, value, after, count);
}

EXPORTED std::uint64_t NAME(cycles)(void *context) { return bench(context).cycles; }

// What went wrong since the last call, as bits: see Failure.
EXPORTED int NAME(failure)(void *context) {
  const int found = bench(context).failure;
  bench(context).failure = none;
  return found;
}
