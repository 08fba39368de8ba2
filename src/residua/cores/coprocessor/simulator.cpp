// Runs the operations of a file, one a line, see operation_of, on a simulated coprocessor. It
// answers each with a line, see print, or with the word reset where that ended the operation. An
// operation that takes more cycles than the second argument hangs, which ends it.

#include <fstream>

int main(int, char** arguments) {
  std::ifstream script(arguments[1]);
  Bench bench(std::stol(arguments[2]));
  std::string line;
  while (std::getline(script, line)) {
    const Answer answer = bench.run(operation_of(line));
    if (answer.end == End::hang) {
      std::puts("hang");
      return 1;
    }
    if (answer.end == End::reset) {
      std::puts("reset");
    } else {
      print(answer);
    }
  }
  return 0;
}
