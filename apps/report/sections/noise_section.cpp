// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "apps/report/sections/sections.hpp"
#include "apps/report/sections/vocabulary.hpp"
#include "apps/study/format.hpp"

namespace fhe::bench {

namespace {

std::optional<PublishedSize> published_size(std::string_view group) {
  const auto& sizes = published().sizes;
  const auto found =
      std::ranges::find(sizes, published_group(group),
                        [](const PublishedSize& size) { return std::string_view(size.group); });
  return found == sizes.end() ? std::nullopt : std::optional(*found);
}

std::string published_text(const PublishedSize& size) {
  return published_text(size.origin, data_size(size.bytes));
}

Bar size_bar(const GroupFacts& facts, std::string_view what, double bytes) {
  const std::string size = data_size(bytes);
  return {bytes, size, fmt::format("{} of {}: {}", what, facts.group, size)};
}

Figure size_chart(const Study& study) {
  BarSeries ciphertexts{"ciphertext", 0, {}};
  BarSeries secret_keys{"secret key", 3, {}};
  BarSeries public_keys{"public key", 1, {}};
  BarSeries published_keys{"public key, published", platform_style(Platform::software), {}};
  BarChart chart{.text = {"Sizes of ciphertexts and keys",
                          "Bytes of one ciphertext and of the files of the keys by group, beside "
                          "the published public keys; logarithmic axis"},
                 .axis = {"size, logarithmic", Scale::logarithmic, data_size},
                 .groups = {},
                 .series = {}};
  for (const GroupFacts& facts : study.facts) {
    chart.groups.push_back(facts.group);
    ciphertexts.bars.emplace_back(size_bar(facts, "ciphertext", facts.ciphertext_bytes()));
    secret_keys.bars.emplace_back(
        size_bar(facts, "secret key", static_cast<double>(facts.secret_key_bytes)));
    public_keys.bars.emplace_back(
        size_bar(facts, "public key", static_cast<double>(facts.public_key_bytes)));
    published_keys.bars.emplace_back();
    if (const auto size = published_size(facts.group)) {
      published_keys.bars.back() =
          Bar{size->bytes, published_text(*size),
              fmt::format("public key of {}: {} ({})", facts.group, published_text(*size),
                          source_text(size->origin))};
    }
  }
  chart.series = {std::move(ciphertexts), std::move(secret_keys), std::move(public_keys),
                  std::move(published_keys)};
  return {draw(chart)};
}

// What is left of the noise budget at a step; nothing past the limit.
double budget(const GroupFacts& facts, const NoiseStep& step) {
  return std::max(0.0, facts.decrypt_limit_bits - step.bound_bits);
}

std::string step_tooltip(const GroupFacts& facts, const NoiseChain& chain, const NoiseStep& step) {
  std::string text =
      fmt::format("{}, {}, after {} product{}: noise up to {:.0f} bits", facts.group, chain.start,
                  step.depth, step.depth == 1 ? "" : "s", step.bound_bits);
  if (step.measured_bits) text += fmt::format(", measured {:.0f}", *step.measured_bits);
  return text + fmt::format(", of {:.0f} that decrypt", facts.decrypt_limit_bits);
}

PointSeries chain_series(const GroupFacts& facts, const NoiseChain& chain, std::size_t style) {
  PointSeries series{fmt::format("{}, {}", facts.group, chain.start), style, true, {}};
  for (const NoiseStep& step : chain.steps) {
    series.points.push_back(
        {static_cast<double>(step.depth), budget(facts, step), step_tooltip(facts, chain, step)});
  }
  return series;
}

std::string upper_case(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string whole(double value) {
  return fmt::format("{:.0f}", value);
}

Figure budget_chart(const Study& study, const std::string& scheme) {
  constexpr std::array<std::size_t, 6> kStylesOfChains{0, 5, 1, 7, 2, 3};
  LineChart chart{
      .text = {fmt::format("Noise budget of {} by depth", upper_case(scheme)),
               "Bits of noise that a ciphertext can still take after it was squared so many "
               "times, by the bounds that the library keeps; at 0 the gate is refused"},
      .x = {"products one on another", Scale::whole, whole},
      .y = {"noise budget left, bits", Scale::linear, whole},
      .series = {}};
  for (const GroupFacts& facts : study.facts) {
    if (facts.scheme != scheme) continue;
    for (const NoiseChain& chain : facts.chains) {
      const std::size_t style = kStylesOfChains[chart.series.size() % kStylesOfChains.size()];
      chart.series.push_back(chain_series(facts, chain, style));
    }
  }
  return {draw(chart)};
}

Table size_table(const Study& study) {
  Table table{.caption = "Sizes",
              .columns = {"group", "bits of a ciphertext", "ciphertext", "secret key", "public key",
                          "public key, published"},
              .rows = {}};
  for (const GroupFacts& facts : study.facts) {
    const auto size = published_size(facts.group);
    table.rows.push_back({facts.group, grouped(facts.modulus_bits),
                          data_size(facts.ciphertext_bytes()),
                          data_size(static_cast<double>(facts.secret_key_bytes)),
                          data_size(static_cast<double>(facts.public_key_bytes)),
                          size ? published_text(*size) : ""});
  }
  return table;
}

// One row for each kind of ciphertext of a group.
Table noise_table(const Study& study) {
  Table table{.caption = "Noise in bits: bound (measured)",
              .columns = {"group", "ciphertext", "noise", "after one product", "decrypts up to",
                          "recrypts up to", "products one on another"},
              .rows = {},
              .text_columns = 2};
  const auto text = [](const NoiseStep& step) {
    return step.measured_bits ? fmt::format("{:.0f} ({:.0f})", step.bound_bits, *step.measured_bits)
                              : fmt::format("{:.0f}: refused", step.bound_bits);
  };
  for (const GroupFacts& facts : study.facts) {
    for (const NoiseChain& chain : facts.chains) {
      if (chain.steps.size() < 2) continue;
      table.rows.push_back({facts.group, chain.start, text(chain.steps[0]), text(chain.steps[1]),
                            whole(facts.decrypt_limit_bits), whole(facts.refresh_limit_bits),
                            std::to_string(chain.steps.size() - 2)});
    }
  }
  return table;
}

}  // namespace

Section noise_section(const Study& study) {
  Section section{"Sizes and noise", {}};
  if (study.facts.empty()) return section;
  Gallery gallery{{size_chart(study)}};
  std::vector<std::string> schemes;
  for (const GroupFacts& facts : study.facts) {
    if (std::ranges::find(schemes, facts.scheme) == schemes.end()) schemes.push_back(facts.scheme);
  }
  for (const std::string& scheme : schemes) gallery.figures.push_back(budget_chart(study, scheme));
  section.parts.emplace_back(std::move(gallery));
  section.parts.emplace_back(size_table(study));
  section.parts.emplace_back(noise_table(study));
  return section;
}

}  // namespace fhe::bench
