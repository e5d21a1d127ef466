// SPDX-License-Identifier: Apache-2.0
// What stands around an engine of the datapath: the readers a, b and old at one read port, that of
// lines of elements at another, the writer, and memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gmpxx.h>

#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

inline constexpr std::uint64_t kMemoryLatency = 24;
inline constexpr std::uint64_t kElementLatency = 12;

struct EngineSegment {
  std::uint64_t address = 0;
  std::uint32_t words = 0, zeros = 0, tail = 0;
};

// rtl/memory/memory_reader.sv
template <class Word, std::size_t kDepth, std::uint64_t kLatency>
class EngineReader {
 public:
  [[nodiscard]] bool idle() const { return segments_.empty(); }
  [[nodiscard]] bool has_room() const { return segments_.size() < kDepth; }
  [[nodiscard]] bool pad_error() const { return pad_error_; }

  void add(const EngineSegment& segment) { segments_.push_back(segment); }

  // The address of the next request.
  [[nodiscard]] std::optional<std::uint64_t> wanted() {
    while (asking_ < segments_.size() && asked_ == segments_[asking_].words) ++asking_, asked_ = 0;
    if (asking_ == segments_.size() || asked_words_.size() + words_.size() == kDepth) return {};
    return segments_[asking_].address + sizeof(Word) * asked_;
  }

  void ask(std::uint64_t address, const Word& word, Words* stalls) {
    ++asked_;
    asked_words_.push_back(word);
    answers_.ask(address, stalls);
  }

  // The address that is answered in this clock.
  std::optional<std::uint64_t> answer() {
    const auto address = answers_.next();
    if (address) {
      words_.push_back(asked_words_.front());
      asked_words_.pop_front();
    }
    return address;
  }

  // An offer stands until it is taken.
  bool offers(Words* stalls) {
    const bool here = !segments_.empty() && (in_zeros() || !words_.empty());
    offered_ = here && (offered_ || takes_part(stalls));
    return offered_;
  }

  [[nodiscard]] Word word() const { return in_zeros() ? Word{} : words_.front(); }

  void leave() {
    const EngineSegment& segment = segments_.front();
    if (!in_zeros()) {
      if (left_ + 1 == segment.words && segment.tail != 0)
        pad_error_ = pad_error_ || (integer_of(words_.front()) >> segment.tail) != 0;
      words_.pop_front();
    }
    offered_ = false;
    if (++left_ != segment.words + segment.zeros) return;
    segments_.pop_front();
    left_ = 0;
    if (asking_ != 0) --asking_;  // a segment of zeros may leave before it is looked at
  }

 private:
  [[nodiscard]] bool in_zeros() const { return left_ >= segments_.front().words; }

  std::deque<EngineSegment> segments_;
  std::size_t asking_ = 0;   // segment of the next request
  std::uint32_t asked_ = 0;  // requests of this segment
  std::uint32_t left_ = 0;   // words of the first segment that left
  std::deque<Word> asked_words_, words_;
  Answers answers_{kLatency};
  bool offered_ = false;
  bool pad_error_ = false;
};

// An engine may keep reader old from asking for words whose writes are not acknowledged.
template <class Model>
inline constexpr bool kHoldsOld = requires(Model& model) { model.old_hold; };

// An engine may take elements that are generated, in lines.
template <class Model>
inline constexpr bool kTakesLines = requires(Model& model) { model.line_ready; };

// And how long these are.
template <class Model>
struct LinePort {
  using Type = WidePort;
};
template <class Model>
  requires kTakesLines<Model>
struct LinePort<Model> {
  using Type = std::remove_cvref_t<decltype(std::declval<Model&>().line_data)>;
};
template <class Model>
using LineOf = WordOf<typename LinePort<Model>::Type>;
template <class Model>
inline constexpr std::size_t kLineWords = sizeof(LineOf<Model>) / sizeof(Word512);

// Memory reads a word some time between its request and the answer, and writes one some time
// between the write and its acknowledgement. Of one address these times must be apart.
template <class Model>
class EngineMemory {
 public:
  explicit EngineMemory(Model& model)
      : model_(&model), out_(model.out_valid, model.out_ready, model.out_data) {
    drive(nullptr);
  }

  void store(std::uint64_t address, const mpz_class& x, std::size_t words) {
    for (const Word512& word : words_of_integer(x, words)) {
      memory_.write(address, word);
      address += kWordBytes;
    }
  }

  [[nodiscard]] mpz_class load(std::uint64_t address, std::size_t words) const {
    std::vector<Word512> result;
    for (std::size_t i = 0; i < words; ++i) result.push_back(memory_.at(address + kWordBytes * i));
    return integer_of_words(result);
  }

  // Of any reader, since the last `forget`.
  [[nodiscard]] bool pad_error() const {
    return readers_[0].pad_error() || readers_[1].pad_error() || readers_[2].pad_error();
  }

  // Every word that was asked for is read, and all that were given are written.
  [[nodiscard]] bool idle() const {
    return writer_idle() && readers_[0].idle() && readers_[1].idle() && readers_[2].idle() &&
           lines_.idle();
  }

  // Readers and writer are reset; what was written stays.
  void forget() {
    readers_ = {};
    lines_ = {};
    writes_.clear();
    acknowledgements_ = Answers(kMemoryLatency);
    under_way_.clear();
    out_.forget();
    drive(nullptr);
  }

  void drive(Words* stalls) {
    model_->in_valid = 0;
    model_->segment_ready = 0;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      if (const auto answered = readers_[i].answer()) --under_way_[*answered].reads;
      if (readers_[i].offers(stalls)) offer(i, readers_[i].word());
      if (readers_[i].has_room() && takes_segment(stalls)) model_->segment_ready |= 1U << i;
    }
    if constexpr (kTakesLines<Model>) drive_lines(stalls);
    const auto written = acknowledgements_.next();
    if (written) --under_way_[*written].writes;
    if constexpr (kHoldsOld<Model>) model_->written = written.has_value();
    if (writes_.size() < kWrites && takes_segment(stalls)) model_->segment_ready |= 1U << kWriter;
    out_.drive(stalls);
    model_->out_ready = model_->out_ready && !writes_.empty();
    model_->writer_idle = writer_idle();
  }

  void look(Words* stalls) {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      if ((model_->in_valid & model_->in_ready) >> i & 1) readers_[i].leave();
    }
    look_at_write(stalls);
    const std::uint32_t taken = model_->segment_valid & model_->segment_ready;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      if (taken >> i & 1) add_segment(readers_[i], i);
    }
    if (taken >> kWriter & 1) add_write();
    look_at_read(stalls);
    if constexpr (kTakesLines<Model>) look_at_lines(stalls);
  }

 private:
  static constexpr std::uint64_t kWordBytes = 64;
  static constexpr std::size_t kOld = 2;
  static constexpr std::size_t kWriter = 3;
  static constexpr std::size_t kWrites = 2;  // segments of the writer
  using Reader = EngineReader<Word512, 32, kMemoryLatency>;
  using Line = LineOf<Model>;
  using LineReader = EngineReader<Line, 16, kElementLatency>;

  struct UnderWay {
    int reads = 0, writes = 0;
  };

  // Segments are few, so they are often kept waiting.
  static bool takes_segment(Words* stalls) { return stalls == nullptr || stalls->below(8) == 0; }

  [[nodiscard]] bool writer_idle() const {
    return writes_.empty() && acknowledgements_.under_way() == 0;
  }

  void offer(std::size_t reader, const Word512& word) {
    model_->in_valid |= 1U << reader;
    for (std::size_t i = 0; i < kWordLimbs; ++i)
      set_limb(model_->in_data, kWordLimbs * reader + i, word[i]);
  }

  void add_segment(Reader& reader, std::size_t i) {
    const EngineSegment segment{.address = limb(model_->segment_address, i),
                                .words = model_->segment_words[i],
                                .zeros = model_->segment_zeros[i],
                                .tail = model_->segment_tail >> 9 * i & 0x1ff};
    REQUIRE(segment.words + segment.zeros != 0);
    reader.add(segment);
  }

  void add_write() {
    REQUIRE(model_->segment_words[kWriter] != 0);
    writes_.push_back({.address = limb(model_->segment_address, kWriter),
                       .words = model_->segment_words[kWriter]});
  }

  void look_at_write(Words* stalls) {
    const std::size_t before = out_.words().size();
    out_.look();
    if (out_.words().size() == before) return;
    EngineSegment& segment = writes_.front();
    REQUIRE(under_way_[segment.address].reads == 0);
    memory_.write(segment.address, out_.words().back());
    acknowledgements_.ask(segment.address, stalls);
    ++under_way_[segment.address].writes;
    segment.address += kWordBytes;
    if (--segment.words == 0) writes_.pop_front();
  }

  // One request a clock, of the readers in turn.
  void look_at_read(Words* stalls) {
    set_old_asked(false);
    if (!takes_part(stalls)) return;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const std::size_t number = (turn_ + i) % readers_.size();
      Reader& reader = readers_[number];
      const auto address = reader.wanted();
      if (!address || (number == kOld && old_held())) continue;
      REQUIRE(under_way_[*address].writes == 0);
      ++under_way_[*address].reads;
      reader.ask(*address, memory_.at(*address), stalls);
      set_old_asked(number == kOld);
      turn_ = (number + 1) % readers_.size();
      return;
    }
  }

  void drive_lines(Words* stalls) {
    lines_.answer();
    model_->line_valid = lines_.offers(stalls);
    if (model_->line_valid) set_limbs(model_->line_data, lines_.word());
    model_->line_segment_ready = lines_.has_room() && takes_segment(stalls);
  }

  void look_at_lines(Words* stalls) {
    if (model_->line_valid && model_->line_ready) lines_.leave();
    if (model_->line_segment_valid && model_->line_segment_ready) {
      const EngineSegment segment{.address = model_->line_segment_address,
                                  .words = model_->line_segment_lines,
                                  .zeros = model_->line_segment_zeros};
      REQUIRE(segment.words + segment.zeros != 0);
      REQUIRE(segment.address % sizeof(Line) == 0);
      lines_.add(segment);
    }
    const auto address = takes_part(stalls) ? lines_.wanted() : std::nullopt;
    if (address) lines_.ask(*address, line_at(*address), stalls);
  }

  [[nodiscard]] Line line_at(std::uint64_t address) const {
    Line line;
    for (std::size_t i = 0; i < line.size(); i += kWordLimbs)
      std::ranges::copy(memory_.at(address + sizeof(std::uint64_t) * i), line.begin() + i);
    return line;
  }

  [[nodiscard]] bool old_held() const {
    if constexpr (kHoldsOld<Model>)
      return model_->old_hold;
    else
      return false;
  }

  void set_old_asked(bool asked) {
    if constexpr (kHoldsOld<Model>) model_->old_asked = asked;
  }

  Model* model_;
  Memory memory_;
  std::array<Reader, 3> readers_;
  LineReader lines_;
  std::size_t turn_ = 0;
  std::deque<EngineSegment> writes_;
  Answers acknowledgements_{kMemoryLatency};
  std::unordered_map<std::uint64_t, UnderWay> under_way_;
  Sink<WidePort> out_;
};

}  // namespace fhe::test
