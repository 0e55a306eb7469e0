// Environment variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Env.h"
#include "base/Log.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>

namespace hsched::rt {
namespace {

// True at the first complaint about Name.
bool firstComplaint(const char *Name) {
  static std::mutex Lock;
  static auto *Named = new std::set<std::string>;
  std::lock_guard Guard(Lock);
  return Named->insert(Name).second;
}

} // namespace

std::optional<std::string> envString(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? std::optional<std::string>(Value) : std::nullopt;
}

// Default: the text for the default value in the warning.
static std::optional<uint64_t> readUnsigned(const char *Name, const std::string &Default, uint64_t Min, uint64_t Max) {
  auto Text = envString(Name);
  if (!Text || Text->empty())
    return std::nullopt;
  uint64_t Value = 0;
  auto [End, Error] = std::from_chars(Text->data(), Text->data() + Text->size(), Value);
  if (Error == std::errc() && End == Text->data() + Text->size() && Value >= Min && Value <= Max)
    return Value;
  if (firstComplaint(Name))
    log(LogLevel::Warning, "%s=%s is not a number from %llu to %llu; using %s", Name, Text->c_str(),
        static_cast<unsigned long long>(Min), static_cast<unsigned long long>(Max), Default.c_str());
  return std::nullopt;
}

static std::optional<bool> readFlag(const char *Name, const char *Default) {
  auto Text = envString(Name);
  if (!Text || Text->empty())
    return std::nullopt;
  for (std::string_view Yes : {"1", "on", "yes", "true"})
    if (*Text == Yes)
      return true;
  for (std::string_view No : {"0", "off", "no", "false"})
    if (*Text == No)
      return false;
  if (firstComplaint(Name))
    log(LogLevel::Warning, "%s=%s is neither 0 nor 1; using %s", Name, Text->c_str(), Default);
  return std::nullopt;
}

uint64_t envUnsigned(const char *Name, uint64_t Default, uint64_t Min, uint64_t Max) {
  return readUnsigned(Name, std::to_string(Default), Min, Max).value_or(Default);
}

bool envFlag(const char *Name, bool Default) { return readFlag(Name, Default ? "1" : "0").value_or(Default); }

std::optional<uint64_t> envUnsigned(const char *Name, uint64_t Min, uint64_t Max) {
  return readUnsigned(Name, "the default", Min, Max);
}

std::optional<bool> envFlag(const char *Name) { return readFlag(Name, "the default"); }

std::optional<NamedNumbers> parseNumbers(const std::string &Text, unsigned Min, unsigned Max) {
  NamedNumbers All;
  for (size_t Begin = 0; Begin < Text.size();) {
    const size_t End = std::min(Text.find(',', Begin), Text.size());
    const std::string Item = Text.substr(Begin, End - Begin);
    const size_t Equals = Item.find('=');
    const char *Digits = Item.c_str() + (Equals == std::string::npos ? 0 : Equals + 1);
    const char *Last = Item.c_str() + Item.size();
    unsigned N = 0;
    auto [Rest, Error] = std::from_chars(Digits, Last, N);
    if (Error != std::errc() || Rest != Last || N < Min || N > Max || Equals == 0 || End + 1 == Text.size())
      return std::nullopt;
    All.push_back({Equals == std::string::npos ? "" : Item.substr(0, Equals), N});
    Begin = End + 1;
  }
  return All;
}

NamedNumbers envNumbers(const char *Name, unsigned Min, unsigned Max) {
  const std::string Text = envString(Name).value_or("");
  if (auto All = parseNumbers(Text, Min, Max))
    return *std::move(All);
  if (firstComplaint(Name))
    log(LogLevel::Warning, "%s=%s is not a number from %u to %u; using the default", Name, Text.c_str(), Min, Max);
  return {};
}

std::optional<MemoryLimit> parseMemoryLimit(const std::string &Text) {
  uint64_t Number = 0;
  auto [Rest, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  std::string Unit(Rest, Text.data() + Text.size());
  if (Error != std::errc())
    return std::nullopt;
  if (Unit == "%")
    return Number >= 1 && Number <= 100 ? std::optional(MemoryLimit{0, static_cast<unsigned>(Number)}) : std::nullopt;
  unsigned Shift = Unit.empty() ? 0 : Unit == "K" ? 10 : Unit == "M" ? 20 : Unit == "G" ? 30 : 64;
  if (Shift == 64 || Number == 0 || Number > (UINT64_MAX >> Shift))
    return std::nullopt;
  return MemoryLimit{Number << Shift, 0};
}

MemoryLimit envMemoryLimit(const char *Name) {
  std::string Text = envString(Name).value_or("");
  if (Text.empty())
    return {};
  if (auto Limit = parseMemoryLimit(Text))
    return *Limit;
  if (firstComplaint(Name))
    log(LogLevel::Warning, "%s=%s is neither a size (512M) nor a share (50%%); not limited", Name, Text.c_str());
  return {};
}

bool envChoice(const char *Name, const char *No, const char *Yes) {
  std::string Text = envString(Name).value_or("");
  if (!Text.empty() && Text != No && Text != Yes && firstComplaint(Name))
    log(LogLevel::Warning, "%s=%s is neither %s nor %s; using %s", Name, Text.c_str(), No, Yes, No);
  return Text == Yes;
}

} // namespace hsched::rt
