// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/export_backend.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/arith/ring.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/error.hpp"

// What the handles of the interface stand for.
struct fhe_backend {
  fhe::BackendPtr backend;
  std::string description;
  std::string native;
  std::size_t max_operand_bits;
};
struct fhe_ring {
  std::shared_ptr<const fhe::Ring> ring;
};
struct fhe_operand {
  fhe::Operand operand;
};

namespace fhe::plugin {

namespace {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::unknown_name:
      return FHE_BACKEND_INVALID_ARGUMENT;
    case ErrorCode::unsupported:
      return FHE_BACKEND_UNSUPPORTED;
    case ErrorCode::io:
      return FHE_BACKEND_IO;
    case ErrorCode::stopped:
      return FHE_BACKEND_STOPPED;
    case ErrorCode::out_of_memory:
      return FHE_BACKEND_OUT_OF_MEMORY;
    case ErrorCode::wrong_result:
      return FHE_BACKEND_WRONG_RESULT;
    default:
      return FHE_BACKEND_FAILED;
  }
}

void write_message(fhe_backend_error* error, std::string_view message) noexcept {
  const std::size_t size = std::min(message.size(), sizeof error->message - 1);
  std::memcpy(error->message, message.data(), size);
  error->message[size] = '\0';
}

// Runs one call of the host; what it throws becomes a status and a message.
template <class Call>
int answered(fhe_backend_error* error, const Call& call) noexcept {
  try {
    call();
    return FHE_BACKEND_OK;
  } catch (const Error& e) {
    write_message(error, e.what());
    return status_of(e.code());
  } catch (const std::bad_alloc&) {
    write_message(error, "there is not enough memory");
    return FHE_BACKEND_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    write_message(error, e.what());
    return FHE_BACKEND_FAILED;
  } catch (...) {
    write_message(error, "it threw something that is no exception");
    return FHE_BACKEND_FAILED;
  }
}

Integer integer(const fhe_number& x) {
  return from_limbs({x.limbs, x.count});
}

void write(const Integer& x, const fhe_result& result) {
  const std::span<const Limb> limbs = limbs_of(x);
  if (limbs.size() > result.count || x < 0) {
    throw Error(ErrorCode::wrong_result, "a result has no place in the room for it");
  }
  Limb* const end = std::ranges::copy(limbs, result.limbs).out;
  std::fill(end, result.limbs + result.count, 0);
}

// Operands for the host, all or none.
void give(std::vector<fhe::Operand> list, fhe_operand** results) {
  std::vector<std::unique_ptr<fhe_operand>> made;
  made.reserve(list.size());
  for (fhe::Operand& operand : list) {
    made.push_back(std::make_unique<fhe_operand>(fhe_operand{std::move(operand)}));
  }
  for (std::unique_ptr<fhe_operand>& operand : made) *results++ = operand.release();
}

void write(const std::vector<Integer>& list, fhe_result* results) {
  for (std::size_t i = 0; i < list.size(); ++i) write(list[i], results[i]);
}

// The same text, for as long as the process lives: there are few names, and a backend may keep
// them.
std::string_view lasting(const char* name) {
  static std::mutex guard;
  static auto* const names = new std::set<std::string>;  // used until the end
  const std::lock_guard lock(guard);
  return *names->insert(name).first;
}

// A stream that the host reads.
class HostStream final : public IntegerStream {
 public:
  explicit HostStream(const fhe_stream* stream) : stream_(*stream) {}

  [[nodiscard]] std::size_t count() const override { return stream_.elements; }
  [[nodiscard]] std::size_t bits() const override { return stream_.bits; }

  [[nodiscard]] std::unique_ptr<Reader> reader() const override {
    return std::make_unique<HostReader>(stream_);
  }

  [[nodiscard]] std::optional<StreamSource> source() const override {
    if (stream_.generator == nullptr) return std::nullopt;
    StreamSource source{.generator = lasting(stream_.generator),
                        .seed = {},
                        .purpose = stream_.purpose,
                        .first_index = stream_.first_index};
    std::memcpy(source.seed.data(), stream_.seed, source.seed.size());
    return source;
  }

 private:
  class HostReader final : public Reader {
   public:
    explicit HostReader(const fhe_stream& stream)
        : stream_(stream), reader_(stream.open_reader(stream.context)) {
      if (reader_ == nullptr) throw std::bad_alloc();
    }
    ~HostReader() override { stream_.close_reader(reader_); }
    HostReader(const HostReader&) = delete;
    HostReader& operator=(const HostReader&) = delete;

    void read(std::size_t element, std::size_t first_limb, std::span<Limb> out) override {
      if (stream_.read(reader_, element, first_limb, out.data(), out.size()) != 0) {
        throw Error(ErrorCode::io, "the host cannot read its stream");
      }
    }

   private:
    const fhe_stream& stream_;
    void* reader_;
  };

  const fhe_stream& stream_;
};

// The same with corrections, where there are any.
class CorrectedHostStream {
 public:
  CorrectedHostStream(const fhe_stream* stream, const fhe_number* corrections) : elements_(stream) {
    if (corrections == nullptr) return;
    std::transform(corrections, corrections + stream->elements, std::back_inserter(corrections_),
                   integer);
  }

  [[nodiscard]] CorrectedStream get() const { return {elements_, corrections_}; }

 private:
  HostStream elements_;
  std::vector<Integer> corrections_;
};

// A monitor of the host as one of libfhe.
class HostMonitor {
 public:
  explicit HostMonitor(const fhe_monitor* host) : host_(*host) {
    watch_ = host_.watch(
        host_.context, [](void* stop) { static_cast<std::stop_source*>(stop)->request_stop(); },
        &stop_);
    if (watch_ == nullptr) throw std::bad_alloc();
    monitor_.stop = stop_.get_token();
    monitor_.progress = [this](std::string_view phase, double fraction) {
      host_.progress(host_.context, std::string(phase).c_str(), fraction);
    };
  }
  ~HostMonitor() { host_.unwatch(watch_); }
  HostMonitor(const HostMonitor&) = delete;
  HostMonitor& operator=(const HostMonitor&) = delete;

  [[nodiscard]] const Monitor& get() const { return monitor_; }

 private:
  const fhe_monitor& host_;
  std::stop_source stop_;
  Monitor monitor_;
  void* watch_ = nullptr;
};

void close(fhe_backend* backend) noexcept {
  delete backend;
}

void facts(const fhe_backend* backend, fhe_backend_facts* facts) noexcept {
  facts->description = backend->description.c_str();
  facts->max_operand_bits = backend->max_operand_bits;
  facts->native = backend->native.c_str();
}

void counts(const fhe_backend* backend, fhe_backend_counts* counts) noexcept {
  const OperationCounts now = backend->backend->counts();
  counts->multiplications = now.multiplications;
  counts->limb_products = now.limb_products;
  counts->reductions = now.reductions;
  counts->stream_bytes = now.stream_bytes;
  counts->device_clocks = now.device_clocks;
}

int multiply(const fhe_backend* backend, const fhe_number* x, const fhe_number* y,
             fhe_result* product, fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    const Integer a = integer(*x);
    const bool is_square = x->limbs == y->limbs && x->count == y->count;
    write(is_square ? backend->backend->multiply(a, a) : backend->backend->multiply(a, integer(*y)),
          *product);
  });
}

std::vector<DenseWeights> batch_of(const fhe_number* weights, std::size_t sets,
                                   const fhe_stream& stream) {
  std::vector<DenseWeights> batch(sets);
  for (DenseWeights& set : batch) {
    set.reserve(stream.elements);
    for (std::size_t i = 0; i < stream.elements; ++i) set.push_back(integer(*weights++));
  }
  return batch;
}

std::vector<SparseWeights> batch_of(const fhe_sparse_weights& weights, std::size_t sets,
                                    const fhe_stream& stream) {
  const std::size_t positions = weights.ones * stream.elements;
  std::vector<SparseWeights> batch(sets);
  for (std::size_t s = 0; s < sets; ++s) {
    const std::uint32_t* const first = weights.positions + s * positions;
    batch[s] = {.ones_per_weight = weights.ones, .positions = {first, first + positions}};
  }
  return batch;
}

int weighted_sums(const fhe_backend* backend, const fhe_stream* stream, const fhe_number* weights,
                  std::size_t sets, fhe_result* sums, const fhe_monitor* monitor,
                  fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    write(backend->backend->weighted_sums(HostStream(stream), batch_of(weights, sets, *stream),
                                          HostMonitor(monitor).get()),
          sums);
  });
}

int sparse_sums(const fhe_backend* backend, const fhe_stream* stream,
                const fhe_sparse_weights* weights, std::size_t sets, fhe_result* sums,
                const fhe_monitor* monitor, fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    write(backend->backend->weighted_sums(HostStream(stream), batch_of(*weights, sets, *stream),
                                          HostMonitor(monitor).get()),
          sums);
  });
}

BlockSelection selection_of(const fhe_selection& selection, std::size_t elements) {
  return {.block_size = selection.block_size,
          .width = selection.width,
          .masks = {selection.masks, selection.masks + elements}};
}

int selected_sums(const fhe_backend* backend, const fhe_stream* stream,
                  const fhe_selection* selection, fhe_result* sums, const fhe_monitor* monitor,
                  fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    write(backend->backend->selected_sums(HostStream(stream),
                                          selection_of(*selection, stream->elements),
                                          HostMonitor(monitor).get()),
          sums);
  });
}

int product_windows(const fhe_backend* backend, const fhe_number* c, const fhe_stream* stream,
                    const fhe_window* window, std::uint32_t* windows, const fhe_monitor* monitor,
                    fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    const WindowSpec spec{window->modulus_bits, window->window_bits};
    std::ranges::copy(backend->backend->product_windows(integer(*c), HostStream(stream), spec,
                                                        HostMonitor(monitor).get()),
                      windows);
  });
}

int residues(const fhe_backend* backend, const fhe_stream* stream, const fhe_number* modulus,
             fhe_result* residues, const fhe_monitor* monitor, fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    write(backend->backend->residues(HostStream(stream), integer(*modulus),
                                     HostMonitor(monitor).get()),
          residues);
  });
}

int ring_open(const fhe_backend* backend, const fhe_number* modulus, fhe_ring** ring,
              fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    *ring =
        std::make_unique<fhe_ring>(fhe_ring{backend->backend->ring(integer(*modulus))}).release();
  });
}

void ring_close(fhe_ring* ring) noexcept {
  delete ring;
}

int ring_prepare(const fhe_ring* ring, const fhe_number* x, fhe_operand** operand,
                 fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    *operand =
        std::make_unique<fhe_operand>(fhe_operand{ring->ring->prepare(integer(*x))}).release();
  });
}

void operand_close(fhe_operand* operand) noexcept {
  delete operand;
}

int ring_reduce(const fhe_ring* ring, const fhe_number* x, fhe_result* residue,
                fhe_backend_error* error) noexcept {
  return answered(error, [&] { write(ring->ring->reduce(integer(*x)), *residue); });
}

Operand operand_of(const fhe_factor& factor) {
  return factor.prepared == nullptr ? Operand(integer(factor.value)) : factor.prepared->operand;
}

std::vector<Operand> operands_of(const fhe_factor* elements, std::size_t count) {
  std::vector<Operand> operands;
  operands.reserve(count);
  std::transform(elements, elements + count, std::back_inserter(operands), operand_of);
  return operands;
}

int ring_multiply(const fhe_ring* ring, const fhe_factor* a, const fhe_factor* b,
                  fhe_result* product, fhe_backend_error* error) noexcept {
  return answered(error,
                  [&] { write(ring->ring->multiply(operand_of(*a), operand_of(*b)), *product); });
}

std::vector<OperandPair> pairs_of(const fhe_factor* a, const fhe_factor* b, std::size_t terms) {
  std::vector<OperandPair> pairs;
  pairs.reserve(terms);
  for (std::size_t k = 0; k < terms; ++k) pairs.emplace_back(operand_of(a[k]), operand_of(b[k]));
  return pairs;
}

int ring_dot(const fhe_ring* ring, const fhe_factor* a, const fhe_factor* b, std::size_t terms,
             fhe_result* sum, fhe_backend_error* error) noexcept {
  return answered(error, [&] { write(ring->ring->dot(pairs_of(a, b, terms)), *sum); });
}

int operand_value(const fhe_ring* /*ring*/, const fhe_operand* operand, fhe_result* value,
                  fhe_backend_error* error) noexcept {
  return answered(error, [&] { write(operand->operand.value(), *value); });
}

int ring_prepare_all(const fhe_ring* ring, const fhe_factor* elements, std::size_t count,
                     fhe_operand** operands, fhe_backend_error* error) noexcept {
  return answered(error,
                  [&] { give(ring->ring->prepare_all(operands_of(elements, count)), operands); });
}

int ring_keep_all(const fhe_ring* ring, const fhe_factor* elements, std::size_t count,
                  fhe_operand** operands, fhe_backend_error* error) noexcept {
  return answered(error,
                  [&] { give(ring->ring->keep_all(operands_of(elements, count)), operands); });
}

int ring_selected_factors(const fhe_ring* ring, const fhe_factor* elements, std::size_t count,
                          const fhe_selection* selection, fhe_operand** results,
                          const fhe_monitor* monitor, fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    give(ring->ring->selected_elements(operands_of(elements, count),
                                       selection_of(*selection, count), HostMonitor(monitor).get()),
         results);
  });
}

RingOperationKind kind_of(std::uint32_t kind) {
  return kind == FHE_RING_MULTIPLY ? RingOperationKind::multiply : RingOperationKind::add;
}

int ring_compute_all(const fhe_ring* ring, const fhe_ring_operation* operations, std::size_t count,
                     fhe_operand** results, const fhe_monitor* monitor,
                     fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    std::vector<RingOperation> list;
    list.reserve(count);
    for (const fhe_ring_operation& o : std::span(operations, count)) {
      list.push_back({.kind = kind_of(o.kind),
                      .a = operand_of(o.a),
                      .b = operand_of(o.b),
                      .is_factor = o.is_factor != 0});
    }
    const HostMonitor watch(monitor);
    Progress progress(watch.get(), "operations", count);
    give(ring->ring->compute_all(list, progress), results);
  });
}

int ring_dot_all(const fhe_ring* ring, const fhe_factor* a, const fhe_factor* b,
                 const std::size_t* terms, std::size_t count, fhe_operand** results,
                 const fhe_monitor* monitor, fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    std::vector<std::vector<OperandPair>> sums(count);
    for (std::size_t s = 0; s < count; ++s) {
      sums[s] = pairs_of(a, b, terms[s]);
      a += terms[s];
      b += terms[s];
    }
    const HostMonitor watch(monitor);
    Progress progress(watch.get(), "sums of products", count);
    give(ring->ring->dot_all(sums, progress), results);
  });
}

int ring_selected_sums(const fhe_ring* ring, const fhe_stream* stream,
                       const fhe_number* corrections, const fhe_selection* selection,
                       fhe_operand** results, const fhe_monitor* monitor,
                       fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    const CorrectedHostStream elements(stream, corrections);
    give(ring->ring->selected_elements(elements.get(), selection_of(*selection, stream->elements),
                                       HostMonitor(monitor).get()),
         results);
  });
}

int ring_weighted_sums(const fhe_ring* ring, const fhe_stream* stream,
                       const fhe_number* corrections, const fhe_number* weights, std::size_t sets,
                       fhe_result* sums, const fhe_monitor* monitor,
                       fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    const CorrectedHostStream elements(stream, corrections);
    write(ring->ring->weighted_sums(elements.get(), batch_of(weights, sets, *stream),
                                    HostMonitor(monitor).get()),
          sums);
  });
}

int ring_sparse_sums(const fhe_ring* ring, const fhe_stream* stream, const fhe_number* corrections,
                     const fhe_sparse_weights* weights, std::size_t sets, fhe_result* sums,
                     const fhe_monitor* monitor, fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    const CorrectedHostStream elements(stream, corrections);
    write(ring->ring->weighted_sums(elements.get(), batch_of(*weights, sets, *stream),
                                    HostMonitor(monitor).get()),
          sums);
  });
}

// A recryption of the host as a task of libfhe.
class HostRecryption {
 public:
  explicit HostRecryption(const fhe_recryption& host)
      : host_(host),
        c_(integer(host.c)),
        residue_factors_(operands_of(host.residue_factors, host.residue_factor_count)),
        kept_(operands_of(host.kept, host.kept_count)),
        singles_(host.singles, host.single_count) {
    if (host.other_factors != nullptr) other_factors_.emplace(host.other_factors);
    std::transform(host.first_factors, host.first_factors + host.first_count,
                   std::back_inserter(first_factors_), integer);
    for (const auto& [elements, corrections] : std::span(host.streams, host.stream_count))
      elements_.push_back(streams_.emplace_back(elements, corrections).get());
    for (const auto& [first, count, window, step, plus] : std::span(host.groups, host.group_count))
      groups_.push_back({first, count, window, step, plus});
    for (const auto& [absolute, is_negative] : std::span(host.constants, host.constant_count)) {
      const Integer x = integer(absolute);
      constants_.push_back({.value = is_negative != 0 ? Integer(-x) : x});
    }
    for (const auto& [kind, left, right] : std::span(host.steps, host.step_count))
      steps_.push_back({kind_of(kind), left, right});
  }

  [[nodiscard]] const Integer& c() const { return c_; }
  [[nodiscard]] RingProgram get() const {
    return {.first_factors = first_factors_,
            .other_factors = other_factors_ ? &*other_factors_ : nullptr,
            .windows = {host_.window.modulus_bits, host_.window.window_bits},
            .residues = {.factors = residue_factors_,
                         .count = host_.residue_count,
                         .step = host_.residue_step},
            .elements = elements_,
            .kept = kept_,
            .groups = groups_,
            .singles = singles_,
            .constants = constants_,
            .steps = steps_,
            .output = host_.output};
  }

 private:
  const fhe_recryption& host_;
  Integer c_;
  std::vector<Integer> first_factors_;
  std::optional<HostStream> other_factors_;
  std::vector<Operand> residue_factors_;
  std::list<CorrectedHostStream> streams_;
  std::vector<CorrectedStream> elements_;
  std::vector<Operand> kept_;
  std::vector<WindowGroup> groups_;
  std::span<const std::size_t> singles_;
  std::vector<RingConstant> constants_;
  std::vector<RingStep> steps_;
};

int ring_recrypt(const fhe_ring* ring, const fhe_recryption* recryption, int* done,
                 fhe_result* result, const fhe_monitor* monitor,
                 fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    const HostRecryption task(*recryption);
    write(ring->ring->run(task.get(), {&task.c(), 1}, HostMonitor(monitor).get()).front(), *result);
    *done = 1;
  });
}

}  // namespace

int open_exported(OpenFunction open, const char* options, fhe_backend** backend,
                  fhe_backend_error* error) noexcept {
  return answered(error, [&] {
    BackendPtr opened = open(options);
    const BackendInfo info = opened->info();
    *backend = std::make_unique<fhe_backend>(
                   fhe_backend{.backend = std::move(opened),
                               .description = info.description,
                               .native = fmt::format("{}", fmt::join(info.native, ",")),
                               .max_operand_bits = info.max_operand_bits})
                   .release();
  });
}

fhe_backend_table exported_functions(const char* version, const char* summary) {
  return {.abi_version = FHE_BACKEND_ABI_VERSION,
          .size = sizeof(fhe_backend_table),
          .version = version,
          .summary = summary,
          .open = nullptr,
          .close = close,
          .facts = facts,
          .counts = counts,
          .multiply = multiply,
          .weighted_sums = weighted_sums,
          .sparse_sums = sparse_sums,
          .selected_sums = selected_sums,
          .product_windows = product_windows,
          .residues = residues,
          .ring_open = ring_open,
          .ring_close = ring_close,
          .ring_prepare = ring_prepare,
          .operand_close = operand_close,
          .ring_reduce = ring_reduce,
          .ring_multiply = ring_multiply,
          .ring_dot = ring_dot,
          .operand_value = operand_value,
          .ring_prepare_all = ring_prepare_all,
          .ring_compute_all = ring_compute_all,
          .ring_dot_all = ring_dot_all,
          .ring_selected_sums = ring_selected_sums,
          .ring_weighted_sums = ring_weighted_sums,
          .ring_sparse_sums = ring_sparse_sums,
          .ring_keep_all = ring_keep_all,
          .ring_selected_factors = ring_selected_factors,
          .ring_recrypt = ring_recrypt};
}

}  // namespace fhe::plugin
