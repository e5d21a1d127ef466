// SPDX-License-Identifier: Apache-2.0
// Opens and closes shared objects with libfhe in them, as a host of plug-ins does, and then uses
// GMP, which they had given functions: there and in another thread.
//
//   unload OBJECT...
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <dlfcn.h>
#include <gmp.h>

namespace {

void open_and_close(const char* path) {
  void* const object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  dlclose(object);
}

// 3^5000 modulo 1000003, which takes memory of GMP.
unsigned long power() {
  mpz_t x;
  mpz_init(x);
  mpz_ui_pow_ui(x, 3, 5000);
  const unsigned long rest = mpz_fdiv_ui(x, 1000003);
  mpz_clear(x);
  return rest;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long expected = power();
  for (int i = 1; i < argc; ++i) {
    for (int round = 0; round < 3; ++round) open_and_close(argv[i]);
    std::thread([&] { open_and_close(argv[i]); }).join();
    unsigned long elsewhere = 0;
    std::thread([&] { elsewhere = power(); }).join();
    if (power() != expected || elsewhere != expected) {
      std::fprintf(stderr, "%s: GMP computes wrongly when it is closed\n", argv[i]);
      return 1;
    }
  }
  return argc > 1 ? 0 : 2;
}
