// SPDX-License-Identifier: Apache-2.0
// The memory that GMP works in: wiped when it is given back, and an exception when there is none.
// Not installed.
//
// GMP ends the process when memory runs out, and leaves copies of secrets in what it frees. A host
// program, or a server of many clients, can afford neither. So libfhe replaces GMP's memory
// functions when it is loaded (mp_set_memory_functions), unless the program has functions of its
// own in place by then or sets them later: those stay, and with them what they do. They stay in
// place until the process ends, so that a shared object with libfhe in it is never unloaded (it is
// linked with -z nodelete; house.nodelete).
//
// - What GMP frees is overwritten first, so that its temporaries leave no secrets behind.
// - When there is no memory, the function throws std::bad_alloc through GMP, which is compiled with
//   unwind tables. GMP's functions are not written for that, and two things follow. Temporary
//   memory of the call leaks (and is not wiped). And some functions free the old limbs of a result
//   before they ask for new ones (mpz_mul, mpz_sqrt), so that the result would be freed again by
//   its owner: therefore each thread keeps the last block that it freed until the next one, and
//   an allocation that fails leaves that block allocated. What such a call was to change has no
//   defined value, but can be destroyed: everything that libfhe computes is dropped on its way.
//
// Reserving memory beforehand would need a bound for every call, and could be taken away by another
// thread before it is used.
#pragma once

namespace fhe {

// Whether GMP uses the functions above; installs them at the first call, which comes with the
// initialization of this library. Any thread may call it.
bool gmp_memory_is_ours();

}  // namespace fhe
