// SPDX-License-Identifier: Apache-2.0
// Runs one AVX2 instruction without asking whether the processor has it: on one that lacks it, the
// signal SIGILL ends the program. So run.sh knows that its emulator keeps to the processor named.
#include <immintrin.h>

int main(int argc, char**) {
  const __m256i twice = _mm256_add_epi64(_mm256_set1_epi64x(argc), _mm256_set1_epi64x(argc));
  return _mm256_extract_epi64(twice, 3) == 2LL * argc ? 0 : 1;
}
