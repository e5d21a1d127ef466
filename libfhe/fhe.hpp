// SPDX-License-Identifier: Apache-2.0
// Everything that a program needs to encrypt bits and compute on them:
//
//   const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate();
//   const fhe::Encryptor encryptor(keys.public_key);
//   const fhe::Evaluator evaluator(keys.public_key);
//   const fhe::Ciphertext one = encryptor.encrypt(true);
//   const fhe::Ciphertext both = evaluator.and_gate(one, encryptor.encrypt(true));
//   const bool bit = fhe::Decryptor(keys.secret_key).decrypt(both);
#pragma once

#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/thread_rehearsal.hpp"
#include "libfhe/circuit/bits.hpp"
#include "libfhe/circuit/compute.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/circuit/run_clocked.hpp"
#include "libfhe/circuit/word.hpp"
#include "libfhe/circuit/word_operations.hpp"
#include "libfhe/error.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/check.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/scheme/she/check.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/randomizer.hpp"
#include "libfhe/scheme/sizes.hpp"
