// What the vector loops need of Highway's library, on an ARM CPU with NEON: it is not packaged for a cross compiler.
#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>

namespace hwy {

std::int64_t SupportedTargets() { return HWY_NEON; }
void DisableTargets(std::int64_t) {}
ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}
HWY_NORETURN void Abort(const char* file, int line, const char*, ...) {
  std::fprintf(stderr, "%s:%d: Highway gives up\n", file, line);
  std::abort();
}

}  // namespace hwy
