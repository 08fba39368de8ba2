// All cores of one design at work at the same time: a simulation of `system`, whose ports are those
// of the cores after `engine_`, `montgomery_`, `digits_` and `rsa_`. The test gives the header in
// front of this with the operations and their words; the results are printed.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <vector>

namespace {

Top top;

// A stream into the design; without words of its own it sends a count.
struct Source {
  std::function<void(bool, std::uint32_t)> drive;
  std::function<bool()> ready;
  bool endless;
  std::deque<std::uint32_t> words{};
  std::uint32_t count = 0;
  bool valid() const { return endless || !words.empty(); }
  std::uint32_t front() const { return endless ? count * 0x9E3779B9u : words.front(); }
  void take() {
    ++count;
    if (!endless) words.pop_front();
  }
};

struct Sink {
  std::function<bool()> valid;
  std::function<std::uint32_t()> word;
  std::vector<std::uint32_t> words{};
};

std::vector<Source *> sources;
std::vector<Sink *> sinks;
std::vector<std::function<void()>> probes;

void step() {
  std::vector<Source *> taken;
  for (Source *source : sources) source->drive(source->valid(), source->valid() ? source->front() : 0);
  top.eval();
  for (Source *source : sources)
    if (source->valid() && source->ready()) taken.push_back(source);
  for (Sink *sink : sinks)
    if (sink->valid()) sink->words.push_back(sink->word());
  for (auto &probe : probes) probe();
  top.clk = 1;
  top.eval();
  top.clk = 0;
  top.eval();
  for (Source *source : taken) source->take();
}

[[noreturn]] void fail(const char *what) {
  std::printf("%s\n", what);
  std::exit(1);
}

void wait(const std::function<bool()> &done, const char *what) {
  for (long cycles = 0; !done(); ++cycles) {
    if (cycles == 3'000'000) fail(what);
    step();
  }
}

#define AXI(core)                                                                               \
  struct core##_registers {                                                                     \
    bool aw = false, w = false, b = false, ar = false, r = false;                               \
    std::uint32_t data = 0;                                                                     \
    core##_registers() {                                                                        \
      probes.push_back([this] {                                                                 \
        aw = top.core##_s_axi_awvalid && top.core##_s_axi_awready;                              \
        w = top.core##_s_axi_wvalid && top.core##_s_axi_wready;                                 \
        b = top.core##_s_axi_bvalid && top.core##_s_axi_bready;                                 \
        ar = top.core##_s_axi_arvalid && top.core##_s_axi_arready;                              \
        r = top.core##_s_axi_rvalid && top.core##_s_axi_rready;                                 \
        if ((b && top.core##_s_axi_bresp) || (r && top.core##_s_axi_rresp)) fail(#core " refused"); \
        data = top.core##_s_axi_rdata;                                                          \
      });                                                                                       \
    }                                                                                           \
    void write(std::uint32_t offset, std::uint32_t value) {                                     \
      top.core##_s_axi_awaddr = offset;                                                         \
      top.core##_s_axi_wdata = value;                                                           \
      top.core##_s_axi_wstrb = 15;                                                              \
      top.core##_s_axi_awvalid = top.core##_s_axi_wvalid = top.core##_s_axi_bready = 1;         \
      wait([this] {                                                                             \
        if (aw) top.core##_s_axi_awvalid = 0;                                                   \
        if (w) top.core##_s_axi_wvalid = 0;                                                     \
        return b;                                                                               \
      }, #core " does not answer");                                                             \
      top.core##_s_axi_bready = b = 0;                                                          \
    }                                                                                           \
    std::uint32_t read(std::uint32_t offset) {                                                  \
      top.core##_s_axi_araddr = offset;                                                         \
      top.core##_s_axi_arvalid = top.core##_s_axi_rready = 1;                                   \
      wait([this] {                                                                             \
        if (ar) top.core##_s_axi_arvalid = 0;                                                   \
        return r;                                                                               \
      }, #core " does not answer");                                                             \
      top.core##_s_axi_rready = r = 0;                                                          \
      return data;                                                                              \
    }                                                                                           \
  } core##_bus;                                                                                 \
  Source core##_operands{[](bool valid, std::uint32_t word) {                                   \
                           top.core##_s_axis_operand_tvalid = valid;                            \
                           top.core##_s_axis_operand_tdata = word;                              \
                         },                                                                     \
                         [] { return bool(top.core##_s_axis_operand_tready); }, false};         \
  Source core##_random{[](bool valid, std::uint32_t word) {                                     \
                         top.core##_s_axis_random_tvalid = valid;                               \
                         top.core##_s_axis_random_tdata = word;                                 \
                       },                                                                       \
                       [] { return bool(top.core##_s_axis_random_tready); }, true};             \
  Sink core##_result{[] { return bool(top.core##_m_axis_result_tvalid); },                      \
                     [] { return std::uint32_t(top.core##_m_axis_result_tdata); }};

AXI(engine)
AXI(digits)

struct Wishbone {
  bool answered = false;
  std::uint32_t data = 0;
  Wishbone() {
    probes.push_back([this] {
      answered = top.montgomery_wb_stb_i && (top.montgomery_wb_ack_o || top.montgomery_wb_err_o);
      if (top.montgomery_wb_stb_i && top.montgomery_wb_err_o) fail("montgomery refused");
      data = top.montgomery_wb_dat_o;
    });
  }
  std::uint32_t access(bool writes, std::uint32_t offset, std::uint32_t value) {
    top.montgomery_wb_we_i = writes;
    top.montgomery_wb_adr_i = offset / 4;
    top.montgomery_wb_dat_i = value;
    top.montgomery_wb_sel_i = 15;
    top.montgomery_wb_cyc_i = top.montgomery_wb_stb_i = 1;
    wait([this] { return answered; }, "montgomery does not answer");
    top.montgomery_wb_cyc_i = top.montgomery_wb_stb_i = answered = 0;
    const std::uint32_t found = data;
    step();
    return found;
  }
  void write(std::uint32_t offset, std::uint32_t value) { access(true, offset, value); }
  std::uint32_t read(std::uint32_t offset) { return access(false, offset, 0); }
} montgomery_bus;

Source rsa_key{[](bool valid, std::uint32_t word) {
                 top.rsa_modulus_valid = valid;
                 top.rsa_modulus_payload = word;
               },
               [] { return bool(top.rsa_modulus_ready); }, false};
Source rsa_operands{[](bool valid, std::uint32_t word) {
                      top.rsa_operands_valid = valid;
                      top.rsa_operands_payload = word;
                    },
                    [] { return bool(top.rsa_operands_ready); }, false};
Sink rsa_result{[] { return bool(top.rsa_result_valid); },
                [] { return std::uint32_t(top.rsa_result_payload); }};

void print(const char *name, const std::vector<std::uint32_t> &words) {
  std::printf("%s", name);
  for (std::uint32_t word : words) std::printf(" %x", word);
  std::printf("\n");
}

}  // namespace

int main() {
  sources = {&engine_operands, &engine_random, &digits_operands, &digits_random,
             &rsa_key, &rsa_operands};
  sinks = {&engine_result, &digits_result, &rsa_result};
  top.engine_m_axis_result_tready = top.digits_m_axis_result_tready = top.rsa_result_ready = 1;
  top.rst = 1;
  for (Source *source : sources) source->drive(false, 0);
  for (int i = 0; i < 4; ++i) step();
  for (Sink *sink : sinks) sink->words.clear();
  top.rst = 0;
  wait([] { return !(engine_bus.read(STATUS) & BUSY); }, "the engine wipes");
  wait([] { return !(digits_bus.read(STATUS) & BUSY); }, "the digits wipe");
  wait([] { return !(montgomery_bus.read(STATUS) & BUSY); }, "the ladder wipes");

  rsa_key.words = RSA_KEY;
  rsa_operands.words = RSA_OPERANDS;
  engine_operands.words = ENGINE_OPERANDS;
  digits_operands.words = DIGITS_OPERANDS;
  engine_bus.write(CONTROL, ENGINE_START);
  digits_bus.write(CONTROL, DIGITS_START);
  montgomery_bus.write(CONTROL, MONTGOMERY_START);
  for (std::uint32_t word : MONTGOMERY_OPERANDS) {
    wait([] { return (montgomery_bus.read(STATUS) & OPERAND_READY) != 0; }, "no operands");
    montgomery_bus.write(OPERAND, word);
  }
  std::vector<std::uint32_t> found;
  while (found.size() < MONTGOMERY_WORDS) {
    const std::uint32_t state = montgomery_bus.read(STATUS);
    if (state & RANDOM_READY) montgomery_bus.write(RANDOM, 0x1234567);
    if (state & RESULT_VALID) found.push_back(montgomery_bus.read(RESULT));
  }
  wait([] { return engine_result.words.size() >= ENGINE_WORDS; }, "no result of the engine");
  wait([] { return digits_result.words.size() >= DIGITS_WORDS; }, "no result of the digits");
  wait([] { return rsa_result.words.size() >= RSA_WORDS; }, "no result of RSA");
  print("engine", engine_result.words);
  print("digits", digits_result.words);
  print("montgomery", found);
  print("rsa", rsa_result.words);
  return 0;
}
