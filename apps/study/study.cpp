// SPDX-License-Identifier: Apache-2.0
#include "apps/study/study.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace fhe::bench {

namespace {

bool same_subject(const Run& a, const Run& b) {
  return a.group == b.group && a.backend == b.backend && a.threads == b.threads;
}

bool same_machine(const Machine& a, const Machine& b) {
  return a.processor == b.processor && a.cores == b.cores && a.compiler == b.compiler;
}

template <class Item, class Same>
void replace_or_add(std::vector<Item>& items, Item item, const Same& same) {
  const auto found = std::ranges::find_if(items, [&](const Item& i) { return same(i, item); });
  if (found == items.end()) {
    items.push_back(std::move(item));
  } else {
    *found = std::move(item);
  }
}

}  // namespace

void Study::add(Run run) {
  const auto older = std::ranges::find_if(runs, [&](const Run& r) { return same_subject(r, run); });
  if (older != runs.end() && same_machine(older->machine, run.machine)) {
    std::vector<Record> records = std::move(older->records);
    for (Record& record : run.records) {
      replace_or_add(records, std::move(record),
                     [](const Record& a, const Record& b) { return a.operation == b.operation; });
    }
    run.records = std::move(records);
  }
  replace_or_add(runs, std::move(run), same_subject);
}

void Study::add(GroupFacts more) {
  replace_or_add(facts, std::move(more),
                 [](const GroupFacts& a, const GroupFacts& b) { return a.group == b.group; });
}

void Study::add(Scaling scaling) {
  replace_or_add(scalings, std::move(scaling),
                 [](const Scaling& a, const Scaling& b) { return a.group == b.group; });
}

void Study::add(ComputedClocks clocks) {
  replace_or_add(computed, std::move(clocks), [](const ComputedClocks& a, const ComputedClocks& b) {
    return a.module == b.module && a.published == b.published && a.group == b.group &&
           a.operation == b.operation;
  });
}

void Study::add(Study more) {
  for (Run& run : more.runs) add(std::move(run));
  for (GroupFacts& of_group : more.facts) add(std::move(of_group));
  for (Scaling& of_group : more.scalings) add(std::move(of_group));
  for (ComputedClocks& clocks : more.computed) add(std::move(clocks));
}

std::string Study::label(const Run& run) const {
  std::set<std::size_t> threads;
  for (const Run& other : runs) threads.insert(other.threads);
  if (threads.size() == 1) return run.backend;
  return fmt::format("{}, {} thread{}", run.backend, run.threads, run.threads == 1 ? "" : "s");
}

const Run* Study::find(std::string_view group, std::string_view name) const {
  const auto found = std::ranges::find_if(
      runs, [&](const Run& run) { return run.group == group && label(run) == name; });
  return found == runs.end() ? nullptr : &*found;
}

const Record* Study::find(std::string_view group, std::string_view name,
                          std::string_view operation) const {
  const Run* const run = find(group, name);
  return run == nullptr ? nullptr : find_record(*run, operation);
}

}  // namespace fhe::bench
