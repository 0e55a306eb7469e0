#!/usr/bin/env python3
# A source of a length that programs have, 3,000 lines, with one directive: what compile_time.py measures.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: bench/long_source.py [--lines N] >long.cpp.
# The code is what surrounds a kernel in engineering programs: records read from text, tables, sparse and dense linear
# algebra, time steps, statistics, reports. The modules differ in names and numbers only. Each has about 250 lines.
# Nothing is there to make either compiler fast or slow.
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--lines", type=int, default=3000)
lines = parser.parse_args().lines

HEAD = """// A simulation of coupled fields, as bench/long_source.py makes it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#pragma hsched task in([n]x) inout([n]y)
void axpy(int n, double a, const double *x, double *y) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

void waitForAll();
"""

MODULE = """
namespace @name@ {

constexpr double Reference = @reference@;
constexpr int Components = @components@;

struct Sample {
  int Id = 0;
  double Time = 0, Value = 0, Weight = 1;
  std::string Station;
  std::array<double, Components> Parts{};

  bool operator<(const Sample &Other) const {
    return Time != Other.Time ? Time < Other.Time : Id < Other.Id;
  }
};

class Table {
public:
  void add(double X, double Y) {
    if (!Xs.empty() && X <= Xs.back())
      throw std::invalid_argument("@name@: abscissas must increase");
    Xs.push_back(X);
    Ys.push_back(Y);
  }

  double at(double X) const {
    if (Xs.empty())
      return Reference;
    if (X <= Xs.front())
      return Ys.front();
    if (X >= Xs.back())
      return Ys.back();
    auto Upper = std::upper_bound(Xs.begin(), Xs.end(), X);
    std::size_t I = static_cast<std::size_t>(Upper - Xs.begin());
    double T = (X - Xs[I - 1]) / (Xs[I] - Xs[I - 1]);
    return Ys[I - 1] + T * (Ys[I] - Ys[I - 1]);
  }

  double integral() const {
    double Sum = 0;
    for (std::size_t I = 1; I < Xs.size(); ++I)
      Sum += (Xs[I] - Xs[I - 1]) * (Ys[I] + Ys[I - 1]) / 2;
    return Sum;
  }

  std::size_t size() const { return Xs.size(); }

private:
  std::vector<double> Xs, Ys;
};

std::vector<std::string> split(const std::string &Line, char Separator) {
  std::vector<std::string> Fields;
  std::string Field;
  std::istringstream In(Line);
  while (std::getline(In, Field, Separator)) {
    std::size_t Begin = Field.find_first_not_of(" \\t");
    std::size_t End = Field.find_last_not_of(" \\t\\r");
    Fields.push_back(Begin == std::string::npos ? "" : Field.substr(Begin, End - Begin + 1));
  }
  return Fields;
}

Sample parse(const std::string &Line, int Number) {
  std::vector<std::string> Fields = split(Line, ';');
  if (Fields.size() < 4)
    throw std::runtime_error("line " + std::to_string(Number) + ": too few fields");
  Sample S;
  S.Id = std::stoi(Fields[0]);
  S.Time = std::stod(Fields[1]);
  S.Value = std::stod(Fields[2]);
  S.Station = Fields[3];
  if (Fields.size() > 4)
    S.Weight = std::stod(Fields[4]);
  for (std::size_t I = 0; I < S.Parts.size() && I + 5 < Fields.size(); ++I)
    S.Parts[I] = std::stod(Fields[I + 5]);
  if (S.Weight < 0 || !std::isfinite(S.Value))
    throw std::runtime_error("line " + std::to_string(Number) + ": value out of range");
  return S;
}

std::vector<Sample> read(const std::string &Text) {
  std::vector<Sample> Samples;
  std::istringstream In(Text);
  std::string Line;
  int Number = 0;
  while (std::getline(In, Line)) {
    ++Number;
    if (Line.empty() || Line[0] == '#')
      continue;
    Samples.push_back(parse(Line, Number));
  }
  std::sort(Samples.begin(), Samples.end());
  return Samples;
}

std::map<std::string, std::vector<Sample>> byStation(const std::vector<Sample> &Samples) {
  std::map<std::string, std::vector<Sample>> Groups;
  for (const Sample &S : Samples)
    Groups[S.Station].push_back(S);
  for (auto &[Station, Group] : Groups)
    std::stable_sort(Group.begin(), Group.end(),
                     [](const Sample &A, const Sample &B) { return A.Weight > B.Weight; });
  return Groups;
}

struct Moments {
  double Mean = 0, Variance = 0, Least = 0, Greatest = 0;
};

Moments moments(const std::vector<Sample> &Samples) {
  Moments M;
  if (Samples.empty())
    return M;
  double Weight = 0;
  for (const Sample &S : Samples) {
    Weight += S.Weight;
    M.Mean += S.Weight * S.Value;
  }
  M.Mean /= Weight;
  for (const Sample &S : Samples)
    M.Variance += S.Weight * (S.Value - M.Mean) * (S.Value - M.Mean);
  M.Variance /= Weight;
  auto [Low, High] = std::minmax_element(Samples.begin(), Samples.end(), [](const Sample &A, const Sample &B) {
    return A.Value < B.Value;
  });
  M.Least = Low->Value;
  M.Greatest = High->Value;
  return M;
}

struct Sparse {
  int Rows = 0;
  std::vector<int> Begin{0}, Column;
  std::vector<double> Value;

  void row(const std::map<int, double> &Entries) {
    for (const auto &[J, V] : Entries) {
      Column.push_back(J);
      Value.push_back(V);
    }
    Begin.push_back(static_cast<int>(Column.size()));
    ++Rows;
  }
};

Sparse laplacian(int Width, int Height, double Conductance) {
  Sparse A;
  for (int Y = 0; Y < Height; ++Y)
    for (int X = 0; X < Width; ++X) {
      std::map<int, double> Row;
      int Here = Y * Width + X;
      Row[Here] = 4 * Conductance + @shift@;
      if (X > 0)
        Row[Here - 1] = -Conductance;
      if (X + 1 < Width)
        Row[Here + 1] = -Conductance;
      if (Y > 0)
        Row[Here - Width] = -Conductance;
      if (Y + 1 < Height)
        Row[Here + Width] = -Conductance;
      A.row(Row);
    }
  return A;
}

void multiply(const Sparse &A, const std::vector<double> &X, std::vector<double> &Y) {
  Y.assign(static_cast<std::size_t>(A.Rows), 0.0);
  for (int I = 0; I < A.Rows; ++I)
    for (int K = A.Begin[I]; K < A.Begin[I + 1]; ++K)
      Y[I] += A.Value[K] * X[A.Column[K]];
}

double dot(const std::vector<double> &X, const std::vector<double> &Y) {
  return std::inner_product(X.begin(), X.end(), Y.begin(), 0.0);
}

int conjugateGradients(const Sparse &A, const std::vector<double> &B, std::vector<double> &X, double Tolerance) {
  std::vector<double> R = B, P, AP;
  multiply(A, X, AP);
  for (std::size_t I = 0; I < R.size(); ++I)
    R[I] -= AP[I];
  P = R;
  double Old = dot(R, R);
  int Steps = 0;
  while (std::sqrt(Old) > Tolerance && Steps < 10 * A.Rows) {
    multiply(A, P, AP);
    double Alpha = Old / dot(P, AP);
    axpy(static_cast<int>(X.size()), Alpha, P.data(), X.data());
    axpy(static_cast<int>(R.size()), -Alpha, AP.data(), R.data());
    waitForAll();
    double New = dot(R, R);
    for (std::size_t I = 0; I < P.size(); ++I)
      P[I] = R[I] + New / Old * P[I];
    Old = New;
    ++Steps;
  }
  return Steps;
}

std::vector<double> runge(const Table &Forcing, double From, double To, int Steps) {
  std::vector<double> Path{Reference};
  double H = (To - From) / Steps;
  auto slope = [&](double T, double Y) { return Forcing.at(T) - @decay@ * Y + std::sin(T) * std::exp(-T / @scale@); };
  for (int I = 0; I < Steps; ++I) {
    double T = From + I * H, Y = Path.back();
    double K1 = slope(T, Y);
    double K2 = slope(T + H / 2, Y + H / 2 * K1);
    double K3 = slope(T + H / 2, Y + H / 2 * K2);
    double K4 = slope(T + H, Y + H * K3);
    Path.push_back(Y + H / 6 * (K1 + 2 * K2 + 2 * K3 + K4));
  }
  return Path;
}

template <class T> T percentile(std::vector<T> Values, double P) {
  if (Values.empty())
    return T();
  std::size_t At = static_cast<std::size_t>(P * static_cast<double>(Values.size() - 1));
  std::nth_element(Values.begin(), Values.begin() + static_cast<std::ptrdiff_t>(At), Values.end());
  return Values[At];
}

std::string report(const std::string &Title, const std::vector<Sample> &Samples) {
  std::ostringstream Out;
  Out << "== " << Title << " (@name@)\\n";
  for (const auto &[Station, Group] : byStation(Samples)) {
    Moments M = moments(Group);
    Out << Station << ": " << Group.size() << " samples, mean " << M.Mean << ", variance " << M.Variance << ", from "
        << M.Least << " to " << M.Greatest << "\\n";
  }
  std::vector<double> Values;
  std::transform(Samples.begin(), Samples.end(), std::back_inserter(Values), [](const Sample &S) { return S.Value; });
  Out << "median " << percentile(Values, 0.5) << ", nine tenths " << percentile(Values, 0.9) << "\\n";
  return Out.str();
}

double run(const std::string &Text) {
  std::vector<Sample> Samples = read(Text);
  Table Forcing;
  for (const Sample &S : Samples)
    if (Forcing.size() == 0 || S.Time > 0)
      Forcing.add(S.Time + static_cast<double>(Forcing.size()) * 1e-9, S.Value);
  std::vector<double> Path = runge(Forcing, 0, @span@, 100 * Components);
  Sparse A = laplacian(@width@, @height@, 1 + std::abs(Path.back()));
  std::vector<double> B(static_cast<std::size_t>(A.Rows), Forcing.integral()), X(B.size());
  int Steps = conjugateGradients(A, B, X, 1e-8);
  std::printf("%s%d steps\\n", report("run", Samples).c_str(), Steps);
  return std::accumulate(X.begin(), X.end(), 0.0);
}

} // namespace @name@
"""

NAMES = ["heat", "flow", "strain", "charge", "salinity", "moisture", "pressure", "soot", "load", "traffic", "price", "dose",
         "tide", "wind", "growth", "wear", "noise", "glare", "drift", "decline"]

text = HEAD
used = []
for i, name in enumerate(NAMES):
    if text.count("\n") + MODULE.count("\n") > lines:
        break
    values = {"name": name, "reference": f"{273.15 + 7.5 * i}", "components": str(3 + i % 4), "shift": f"{0.01 * (i + 1):.2f}",
              "decay": f"{0.1 + 0.05 * i:.2f}", "scale": str(10 + i), "span": str(5 + i), "width": str(40 + 3 * i),
              "height": str(30 + 2 * i)}
    module = MODULE
    for key, value in values.items():
        module = module.replace(f"@{key}@", value)
    text += module
    used.append(name)
text += "\nint main() {\n  const std::string Text = \"1;0.5;3;north\\n2;1.5;4;south;2\\n3;2.5;5;north\\n\";\n  double Sum = 0;\n"
text += "".join(f"  Sum += {name}::run(Text);\n" for name in used)
text += "  std::printf(\"%g\\n\", Sum);\n}\n"
print(text, end="")
