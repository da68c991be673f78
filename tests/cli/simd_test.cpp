// MERCER_SIMD: one machine stands for CPUs of other instruction sets, and what is fitted does not tell them apart.
#include <cmath>

#include "cli/command.hpp"
#include "mercer/machines.hpp"
#include "paths.hpp"

namespace mercer::simd_test {
namespace {

using namespace cli_test;

class SimdTest : public CommandTest {
 protected:
  // The vector loops and the kernels of BLAS as on such a CPU.
  struct Cpu {
    std::string simd, blas;
  };
  std::vector<Cpu> cpus() {
    std::vector<Cpu> out;
    for (const Cpu& cpu : {Cpu{"scalar", "Prescott"}, Cpu{"avx2", "Haswell"}, Cpu{"avx512", "SkylakeX"}}) {
      if (on(cpu, "--version").code == 0) out.push_back(cpu);
    }
    return out;
  }
  Outcome on(const Cpu& cpu, const std::string& words) {
    return shell("MERCER_SIMD=" + cpu.simd + " OPENBLAS_CORETYPE=" + cpu.blas + " " MERCER_TEST_COMMAND " " + words);
  }
  // x1, x2 and what a machine of the task learns.
  std::string data_for(Task task) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      const double a = std::sin(1.7 * i) * 2, b = std::cos(0.9 * i) + i / 40.0;
      text += std::to_string(a) + "," + std::to_string(b);
      if (task == Task::regression) text += "," + std::to_string(std::sin(a) + b * b / 2 + 0.1 * std::cos(37.0 * i));
      if (task == Task::classification) text += a + 0.4 * std::cos(37.0 * i) > b ? ",yes" : ",no";
      text += "\n";
    }
    return files_.file("data.csv", text);
  }
};

TEST_F(SimdTest, IsShownAndNeverIgnored) {
  EXPECT_TRUE(has(shell("unset MERCER_SIMD; " MERCER_TEST_COMMAND " --version").out, "\ninstruction set: "));
  EXPECT_FALSE(has(shell("unset MERCER_SIMD; " MERCER_TEST_COMMAND " --version").out, "forced"));
  for (const Cpu& cpu : cpus()) {
    EXPECT_TRUE(has(on(cpu, "--version").out, ", forced by MERCER_SIMD\n")) << on(cpu, "--version");
  }
  EXPECT_TRUE(has(on({"scalar", ""}, "--version").out, "instruction set: scalar,"));
  for (const std::string wrong : {"avx", "AVX2", "none"}) {
    expect_error(on({wrong, ""}, "--version"), 2, "MERCER_SIMD is \"" + wrong + "\"; set it to one of ");
    expect_error(on({wrong, ""}, "kernels rbf"), 2, "MERCER_SIMD is \"" + wrong + "\"; set it to one of ");
  }
}

TEST_F(SimdTest, EveryMachineAgreesOnEveryCpu) {
  const std::vector<Cpu> all = cpus();
  for (const Machine& machine : machines()) {
    const std::string data = data_for(machine.task), model = results_.path("m.mercer");
    std::string options = " --kernel 'rbf(ell=fixed(1.1))' -o " + model;
    for (const MachineOption& option : machine.options) {
      if (option.name == "tolerance") options += " --tolerance 1e-9";
    }
    if (machine.name == "gp") options += " --noise 'fixed(0.05)'";
    const bool scored = machine.task == Task::classification || machine.task == Task::novelty;
    Matrix expected;
    for (const Cpu& cpu : all) {
      SCOPED_TRACE(machine.name + " with " + cpu.simd);
      const Outcome fitted = on(cpu, "fit " + machine.name + " " + data + options);
      ASSERT_TRUE(fitted.code == 0 || has(fitted.err, "not converged")) << fitted;
      const std::string out = results_.path("f.csv");
      const Outcome predicted = on(cpu, "predict " + model + " " + data + (scored ? " --scores" : "") + " -o " + out);
      ASSERT_EQ(predicted.code, 0) << predicted;
      const Matrix got = matrix_in(out);
      ASSERT_EQ(got.rows(), 40);
      if (expected.rows() == 0) expected = got;
      for (Index i = 0; i < got.rows(); ++i) {
        for (Index j = 0; j < got.cols(); ++j) {
          EXPECT_NEAR(got(i, j), expected(i, j), 1e-6 * std::max(1.0, std::abs(expected(i, j)))) << i << ", " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mercer::simd_test
