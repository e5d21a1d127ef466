// SPDX-License-Identifier: Apache-2.0
// Written by write_register_map from regmap.toml; change that file instead.
// clang-format off
#include "accel/fpga/contract/command_rules.hpp"

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

// Each opcode has its case, even where two have the same rules.
// NOLINTBEGIN(bugprone-branch-clone)
CommandRules rules_of(const Command& command, const Equipment& equipment,
                      const BarrettShape& shape) {
  using Number = std::uint64_t;
  const Number len0 = command.source0.bits;
  const Number len1 = command.source1.bits;
  const Number lend = command.destination.bits;
  const Number aux = command.aux;
  const Number aux2 = command.aux2;
  const Number phi = shape.phi;
  const Number gamma = shape.gamma;
  const Number log2_coefficients = equipment.log2_coefficients();
  const Number coefficient_bits = equipment.coefficient_bits();
  const auto has_engine = [&](Number number) {
    return equipment.has(static_cast<Engine>(number));
  };
  switch (command.opcode) {
    case Opcode::nop:
      return {.procedure = Procedure::none,
              .is_known = true};
    case Opcode::fence:
      return {.procedure = Procedure::none,
              .is_known = true};
    case Opcode::set_ctx:
      return {.procedure = Procedure::context,
              .is_known = true,
              .names_context = true,
              .parameter_bits = Number{parameter::word_bits}};
    case Opcode::run:
      return {.procedure = Procedure::program,
              .is_known = equipment.has(feature::run),
              .parameter_bits = field::run::commands.of(aux2) * Number{parameter::word_bits}};
    case Opcode::mul:
      return {.procedure = Procedure::product,
              .is_known = has_engine(field::mul::engine.of(aux)) && (field::mul::four_step.of(aux) == Number{0} || equipment.has(feature::four_step)),
              .conditions = {lend >= len0 + len1,
                             field::mul::four_step.of(aux) <= Number{4},
                             field::mul::four_step.of(aux) == Number{0} || words_for_bits(len0) + words_for_bits(len1) <= Number{parameter::four_step_words} << (field::mul::four_step.of(aux) - Number{1})},
              .destination_bits = lend,
              .source0 = {len0, false},
              .source1 = {len1, false},
              .parameter_bits = field::mul::four_step.of(aux) == Number{0} ? Number{0} : Number{parameter::word_bits} << (Number{parameter::four_step_log2_scratch} + field::mul::four_step.of(aux) - Number{1})};
    case Opcode::sqr:
      return {.procedure = Procedure::product,
              .is_known = has_engine(field::sqr::engine.of(aux)) && (field::sqr::four_step.of(aux) == Number{0} || equipment.has(feature::four_step)),
              .conditions = {lend >= Number{2} * len0,
                             field::sqr::four_step.of(aux) <= Number{4},
                             field::sqr::four_step.of(aux) == Number{0} || Number{2} * words_for_bits(len0) <= Number{parameter::four_step_words} << (field::sqr::four_step.of(aux) - Number{1})},
              .destination_bits = lend,
              .source0 = {len0, false},
              .parameter_bits = field::sqr::four_step.of(aux) == Number{0} ? Number{0} : Number{parameter::word_bits} << (Number{parameter::four_step_log2_scratch} + field::sqr::four_step.of(aux) - Number{1})};
    case Opcode::lhwmul:
      return {.procedure = Procedure::sparse_product,
              .is_known = equipment.has(feature::lhw),
              .conditions = {aux <= Number{parameter::sparse_weight},
                             lend >= len0 + (Number{1} << Number{parameter::sparse_index_bits})},
              .destination_bits = lend,
              .source0 = {len0, false},
              .source1 = {aux == Number{0} ? Number{0} : Number{parameter::word_bits}, false}};
    case Opcode::modred:
      return {.procedure = Procedure::reduction,
              .is_known = equipment.has(feature::modred) && (field::modred::four_step.of(aux) == Number{0} || equipment.has(feature::four_step)),
              .needs_context = true,
              .conditions = {len0 <= phi + gamma,
                             lend >= phi,
                             field::modred::four_step.of(aux) <= Number{3},
                             field::modred::four_step.of(aux) == Number{0} || phi + Number{1} <= Number{parameter::four_step_words} * Number{parameter::word_bits} << (field::modred::four_step.of(aux) - Number{1}),
                             field::modred::four_step.of(aux) == Number{0} || gamma + Number{2} <= Number{parameter::four_step_words} * Number{parameter::word_bits} << (field::modred::four_step.of(aux) - Number{1}),
                             !field::modred::keeps.is_set_in(aux) || field::modred::four_step.of(aux) != Number{0},
                             !field::modred::kept.is_set_in(aux) || field::modred::keeps.is_set_in(aux)},
              .destination_bits = lend,
              .source0 = {len0, true},
              .source1 = {field::modred::keeps.is_set_in(aux) ? Number{3} * Number{parameter::word_bits} << (Number{parameter::four_step_log2_scratch} + field::modred::four_step.of(aux) - Number{2}) : Number{0}, false},
              .parameter_bits = field::modred::four_step.of(aux) == Number{0} ? Number{0} : Number{parameter::word_bits} << (Number{parameter::four_step_log2_scratch} + field::modred::four_step.of(aux) - (field::modred::keeps.is_set_in(aux) ? Number{0} : Number{1}))};
    case Opcode::acc:
      return {.procedure = Procedure::sum,
              .is_known = true,
              .conditions = {lend >= len0,
                             lend >= len1},
              .destination_bits = lend,
              .source0 = {len0, true},
              .source1 = {len1, true}};
    case Opcode::sub:
      return {.procedure = Procedure::sum,
              .is_known = true,
              .conditions = {lend >= len0,
                             lend >= len1},
              .destination_bits = lend,
              .source0 = {len0, true},
              .source1 = {len1, true}};
    case Opcode::csub:
      return {.procedure = Procedure::choice,
              .is_known = true,
              .conditions = {lend >= len0,
                             lend >= len1},
              .destination_bits = lend,
              .source0 = {len0, true},
              .source1 = {len1, true}};
    case Opcode::affine:
      return {.procedure = Procedure::sum,
              .is_known = true,
              .conditions = {lend >= len0},
              .destination_bits = lend,
              .source0 = {len0, true},
              .source1 = {Number{parameter::word_bits}, false}};
    case Opcode::product_sum:
      return {.procedure = Procedure::terms,
              .is_known = field::product_sum::sparse.is_set_in(aux) ? equipment.has(feature::lhw) && (!field::product_sum::reduce.is_set_in(aux) || equipment.has(feature::modred)) && (!field::product_sum::generated.is_set_in(aux) || equipment.has(feature::elements)) : has_engine(field::product_sum::engine.of(aux)) && !field::product_sum::generated.is_set_in(aux),
              .needs_context = field::product_sum::reduce.is_set_in(aux),
              .conditions = {field::product_sum::reduce.is_set_in(aux) || lend >= len0 + (field::product_sum::sparse.is_set_in(aux) ? Number{1} << Number{parameter::sparse_index_bits} : len1) + Number{parameter::sum_margin},
                             !field::product_sum::reduce.is_set_in(aux) || len0 <= phi + gamma,
                             !field::product_sum::reduce.is_set_in(aux) || lend >= phi,
                             !field::product_sum::generated.is_set_in(aux) || len0 != Number{0}},
              .destination_bits = lend,
              .source0 = {field::product_sum::generated.is_set_in(aux) ? Number{parameter::word_bits} : Number{0}, false},
              .source1 = {field::product_sum::affine.is_set_in(aux) ? Number{parameter::word_bits} : Number{0}, false},
              .parameter_bits = field::product_sum::terms.of(aux2) * Number{parameter::entry_bits}};
    case Opcode::nested_sum:
      return {.procedure = Procedure::rows,
              .is_known = equipment.has(feature::nested_sum),
              .needs_context = true,
              .conditions = {field::nested_sum::rows.of(aux2) <= Number{parameter::most_rows},
                             len0 + len1 + Number{parameter::sum_margin} <= phi + gamma,
                             lend >= phi},
              .destination_bits = lend,
              .source1 = {field::nested_sum::affine.is_set_in(aux) ? Number{parameter::word_bits} : Number{0}, false},
              .parameter_bits = field::nested_sum::rows.of(aux2) * (field::nested_sum::rows.of(aux2) + Number{1}) * Number{parameter::entry_bits}};
    case Opcode::selection:
      return {.procedure = Procedure::selection,
              .is_known = equipment.has(feature::elements),
              .conditions = {len0 != Number{0},
                             field::selection::sums.of(aux) != Number{0},
                             field::selection::sums.of(aux) <= Number{parameter::selection_sums},
                             field::selection::elements.of(aux2) != Number{0},
                             len1 == field::selection::elements.of(aux2) * Number{parameter::selection_sums},
                             field::selection::sum_words.of(aux2) * Number{parameter::word_bits} >= len0 + Number{parameter::sum_margin},
                             lend == field::selection::sums.of(aux) * field::selection::sum_words.of(aux2) * Number{parameter::word_bits},
                             !field::selection::stored.is_set_in(aux) || field::selection::elements.of(aux2) * words_for_bits(len0) <= Number{parameter::most_stored_words}},
              .destination_bits = lend,
              .source0 = {field::selection::stored.is_set_in(aux) ? Number{0} : Number{parameter::word_bits}, false},
              .source1 = {len1, false},
              .parameter_bits = field::selection::stored.is_set_in(aux) ? field::selection::elements.of(aux2) * words_for_bits(len0) * Number{parameter::word_bits} : Number{0}};
    case Opcode::windows:
      return {.procedure = Procedure::windows,
              .is_known = equipment.has(feature::elements),
              .conditions = {len0 != Number{0},
                             len1 >= len0,
                             field::windows::elements.of(aux2) != Number{0},
                             lend == field::windows::elements.of(aux2) * (field::windows::masks.is_set_in(aux) ? Number{parameter::selection_sums} : Number{parameter::window_entry_bits}),
                             !field::windows::masks.is_set_in(aux) || field::windows::width.of(aux) != Number{0},
                             !field::windows::masks.is_set_in(aux) || field::windows::width.of(aux) <= Number{parameter::selection_sums},
                             !field::windows::stored.is_set_in(aux) || field::windows::elements.of(aux2) * words_for_bits(len0) <= Number{parameter::most_stored_words},
                             !field::windows::stored.is_set_in(aux) || field::windows::skip.of(aux) == Number{0}},
              .destination_bits = lend,
              .source0 = {field::windows::stored.is_set_in(aux) ? Number{0} : Number{parameter::word_bits}, false},
              .source1 = {len1, false},
              .parameter_bits = field::windows::stored.is_set_in(aux) ? field::windows::elements.of(aux2) * words_for_bits(len0) * Number{parameter::word_bits} : Number{0}};
    case Opcode::weighted:
      return {.procedure = Procedure::weighted,
              .is_known = equipment.has(feature::elements) && equipment.has(feature::throughput),
              .conditions = {len0 != Number{0},
                             len1 <= Number{parameter::weighted_bits},
                             field::weighted::elements.of(aux2) != Number{0},
                             lend >= len0 + len1 + Number{parameter::sum_margin}},
              .destination_bits = lend,
              .source0 = {Number{parameter::word_bits}, false},
              .source1 = {field::weighted::elements.of(aux2) * words_for_bits(len1) * Number{parameter::word_bits}, false}};
    case Opcode::karat:
      return {.procedure = Procedure::polynomials,
              .is_known = equipment.has(feature::karat),
              .conditions = {field::karat::log2_size.of(aux) >= Number{3},
                             field::karat::log2_size.of(aux) <= log2_coefficients,
                             len0 != Number{0},
                             len0 == aux2 * coefficient_bits << field::karat::log2_size.of(aux),
                             len1 == len0,
                             lend == Number{2} * len0},
              .destination_bits = lend,
              .source0 = {len0, false},
              .source1 = {len1, false},
              .parameter_bits = Number{2} * Number{parameter::word_bits}};
    case Opcode::clear:
      return {.procedure = Procedure::sum,
              .is_known = true,
              .destination_bits = lend};
    case Opcode::copy:
      return {.procedure = Procedure::sum,
              .is_known = true,
              .conditions = {lend >= len0},
              .destination_bits = lend,
              .source0 = {len0, false}};
  }
  return {};
}
// NOLINTEND(bugprone-branch-clone)

}  // namespace fhe::fpga
