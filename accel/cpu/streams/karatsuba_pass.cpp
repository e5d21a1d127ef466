// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/karatsuba_pass.hpp"

#include <algorithm>
#include <array>

namespace fhe::cpu {

std::size_t slots_for_sums(std::size_t sums) {
  constexpr std::size_t kSlots = 8;
  return sums > 1 ? kSlots : 1;
}

WeightTable::WeightTable(const KaratsubaKernel& kernel, std::size_t slots, std::size_t count)
    : kernel_(&kernel),
      slots_(slots),
      words_((count + slots - 1) / slots * slots * kernel.piece_rows) {}

void WeightTable::set(std::size_t first, std::span<const Integer> weights) {
  std::array<std::span<const Limb>, kLanes> limbs;
  std::ranges::transform(weights, limbs.begin(), limbs_of);
  set(first, std::span(limbs).first(weights.size()));
}

void WeightTable::set(std::size_t first, std::span<const std::span<const Limb>> weights) {
  LaneBuffer words(kernel_->chunk_rows * kLanes);
  LaneBuffer pieces(kernel_->piece_rows * kLanes);
  for (std::size_t lane = 0; lane < weights.size(); ++lane) {
    for (std::size_t row = 0; row < weights[lane].size(); ++row) {
      words.data()[row * kLanes + lane] = weights[lane][row];
    }
  }
  kernel_->evaluate(words.data(), pieces.data());
  const std::size_t n = kernel_->digits;
  for (std::size_t lane = 0; lane < weights.size(); ++lane) {
    const std::size_t slot = (first + lane) % slots_;
    std::uint64_t* weight = words_.data() + (first + lane - slot) * kernel_->piece_rows + slot * n;
    for (std::size_t t = 0; t < kernel_->products; ++t) {
      for (std::size_t j = 0; j < n; ++j) {
        weight[t * slots_ * n + j] = pieces.data()[(t * n + j) * kLanes + lane];
      }
    }
  }
}

void gather_chunks(std::span<const Limb> x, std::size_t stride, std::size_t rows,
                   LaneBuffer& words) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::size_t first = std::min(lane * stride, x.size());
    const auto chunk = x.subspan(first, std::min(rows, x.size() - first));
    for (std::size_t row = 0; row < chunk.size(); ++row) words[row * kLanes + lane] = chunk[row];
    for (std::size_t row = chunk.size(); row < rows; ++row) words[row * kLanes + lane] = 0;
  }
}

KaratsubaPass::KaratsubaPass(const KaratsubaKernel& kernel, std::span<const WeightTable> tables)
    : kernel_(kernel),
      tables_(tables),
      slots_(slots_for_sums(tables.size())),
      chunk_(kernel.piece_rows * kLanes),
      pieces_(slots_ > 1 ? slots_ * kernel.piece_rows * kLanes : 0),
      sums_(tables.size() * kernel.sum_rows * kLanes),
      result_(kernel.result_rows * kLanes) {}

void KaratsubaPass::make_room(std::size_t terms) {
  if (terms_since_carries_ + terms > kernel_.terms_between_carries) {
    for (std::size_t s = 0; s < tables_.size(); ++s) kernel_.normalise(kernel_, sum(s));
    terms_since_carries_ = 0;
  }
  terms_since_carries_ += terms;
}

void KaratsubaPass::add(const AesKey& key, const ChunkWalk& walk, std::size_t first,
                        std::size_t terms) {
  const bool is_single = tables_.size() == 1;
  const std::size_t at_once = is_single ? kernel_.terms_between_carries : slots_;
  for (std::size_t done = 0; done < terms; done += at_once) {
    const std::size_t count = std::min(at_once, terms - done);
    make_room(count);
    ChunkWalk rest = walk;
    rest.start.high += done * walk.high_advance;
    rest.start.block += done * walk.block_advance;
    if (is_single) {
      kernel_.add_terms(key, rest, tables_[0].at(first + done), count, chunk_.data(), sum(0));
      continue;
    }
    const auto generate = [&](std::size_t i) {
      LaneStart start = rest.start;
      start.high += i * walk.high_advance;
      start.block += i * walk.block_advance;
      kernel_.generate(key, start, walk.mask, chunk_.data());
    };
    add_slots(generate, first + done, count);
  }
}

void KaratsubaPass::add(std::span<const Integer* const> terms, std::size_t first_limb,
                        std::size_t first) {
  LaneBuffer words(kernel_.chunk_rows * kLanes);
  for (std::size_t done = 0; done < terms.size(); done += slots_) {
    const auto some = terms.subspan(done, std::min(slots_, terms.size() - done));
    make_room(some.size());
    const auto read = [&](std::size_t i) {
      const auto limbs = limbs_of(*some[i]);
      const std::size_t rows = kernel_.chunk_rows;
      gather_chunks(limbs.subspan(std::min(first_limb, limbs.size())), rows, rows, words);
      kernel_.evaluate(words.data(), chunk_.data());
    };
    add_slots(read, first + done, some.size());
  }
}

template <class Put>
void KaratsubaPass::add_slots(const Put& put, std::size_t first, std::size_t terms) {
  const std::size_t words = kernel_.digits * kLanes;  // of one E_t
  for (std::size_t slot = 0; slot < terms; ++slot) {
    put(slot);
    if (slots_ == 1) continue;
    for (std::size_t t = 0; t < kernel_.products; ++t) {
      std::copy_n(chunk_.data() + t * words, words, pieces_.data() + (t * slots_ + slot) * words);
    }
  }
  std::vector<const std::uint64_t*> weights;
  weights.reserve(tables_.size());
  for (const WeightTable& table : tables_) weights.push_back(table.at(first));
  kernel_.accumulate(sums_.data(), slots_ == 1 ? chunk_.data() : pieces_.data(), weights.data(),
                     weights.size(), slots_, terms);
}

const std::uint64_t* KaratsubaPass::finish(std::size_t sum) {
  kernel_.interpolate(kernel_, this->sum(sum), result_.data());
  return result_.data();
}

std::uint64_t* KaratsubaPass::sum(std::size_t s) {
  return sums_.data() + s * kernel_.sum_rows * kLanes;
}

}  // namespace fhe::cpu
