// SPDX-License-Identifier: Apache-2.0
// The table of the vector code that a source is compiled for: it includes the words of its
// instruction set, the residues, points and digits of its form, and then this.
#pragma once

#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/levels.hpp"
#include "accel/cpu/three_primes/limbs.hpp"

namespace fhe::cpu::three_primes {

namespace {

constexpr Kernels kKernels{
    .form = kForm,
    .split_limbs = split_limbs,
    .forward_block = forward_block,
    .inverse_block = inverse_block,
    .multiply_block = multiply_block,
    .add_product_block = add_product_block,
    .convolve_block = convolve_block,
    .convolve_with_points = convolve_with_points,
    .multiply_with_points = multiply_with_points,
    .add_product_with_points = add_product_with_points,
    .shorten_block = shorten_block,
    .join_limbs = join_limbs,
    .inverse_top = inverse_top,
    .recombine = recombine,
};

}  // namespace

}  // namespace fhe::cpu::three_primes
