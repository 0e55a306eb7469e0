// Shock hydrodynamics in Lagrangian coordinates on an unstructured mesh of hexahedra: the mesh, the geometry of one
// element, and the gas. For all programs of this sample.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_HYDRO_HYDRO_H
#define HSCHED_SAMPLES_HYDRO_HYDRO_H

#include "../common/Options.h"
#include "../common/Png.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace hydro {

struct Setup {
  int side, steps;
  std::string out;
  bool good;

  Setup(int argc, char **argv) {
    samples::Options options(argc, argv, {"side", "steps", "out"});
    side = options.number("side", 20);
    steps = options.number("steps", 100);
    out = options.text("out", "");
    if (side < 2 || side > 200)
      options.complain("--side is from 2 to 200");
    good = options.ok();
  }
};

constexpr double adiabatic = 1.4, linear = 0.5, quadratic = 1.2, hourglass = 0.05, cfl = 0.25, change = 0.05;

struct Vector {
  double x = 0, y = 0, z = 0;
};
inline Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector operator*(double s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Corners of an element: 0 to 3 around the bottom, 4 to 7 above them. Faces are seen from outside, counterclockwise.
constexpr int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
// How an element can deform without a change of its volume's gradient.
constexpr double shapes[4][8] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                 {1, -1, -1, 1, -1, 1, 1, -1},
                                 {1, -1, 1, -1, 1, -1, 1, -1},
                                 {-1, 1, -1, 1, 1, -1, 1, -1}};

// Each corner gets a quarter of the areas of its three faces: how the volume changes with its place.
inline void gradient(const Vector *x, Vector *b) {
  for (int i = 0; i < 8; ++i)
    b[i] = Vector();
  for (const auto &f : faces) {
    const Vector area = 0.125 * cross(x[f[2]] - x[f[0]], x[f[3]] - x[f[1]]);
    for (int corner : f)
      b[corner] = b[corner] + area;
  }
}

inline double volume(const Vector *x, const Vector *b) {
  double v = 0;
  for (int i = 0; i < 8; ++i)
    v += dot(x[i], b[i]);
  return v / 3;
}

// What resists the shapes that the pressure does not see.
inline void addHourglass(const Vector *x, const Vector *b, const Vector *u, double v, double strength, Vector *force) {
  for (const auto &shape : shapes) {
    Vector place, h;
    double g[8];
    for (int i = 0; i < 8; ++i)
      place = place + shape[i] * x[i];
    for (int i = 0; i < 8; ++i) {
      g[i] = shape[i] - dot(b[i], place) / v;
      h = h + g[i] * u[i];
    }
    for (int i = 0; i < 8; ++i)
      force[i] = force[i] - (strength * g[i]) * h;
  }
}

struct Mesh {
  int elements, nodes;
  std::vector<int> corner;                // 8 for each element.
  std::vector<int> first, corners;        // Corners of node n: corners[first[n]] to corners[first[n + 1] - 1].
  std::vector<Vector> x, u, mean;         // Nodes: place, velocity, and its mean over a step.
  std::vector<Vector> force;              // Force at each corner.
  std::vector<double> mass;               // Mass of each node.
  std::vector<unsigned char> wall;        // Nodes: planes of symmetry, one bit for each direction.
  std::vector<double> m, e, v, p, q, c, d; // Elements: mass, energy, volume, pressure, viscosity, speed of sound,
                                           // relative change of the volume in a time.

  // A cube that is cold but for the element at the origin.
  explicit Mesh(const Setup &s) : elements(s.side * s.side * s.side), nodes((s.side + 1) * (s.side + 1) * (s.side + 1)) {
    const int side = s.side, row = side + 1;
    const double edge = 1.125 / side;
    x.resize(nodes), u.resize(nodes), mean.resize(nodes), mass.resize(nodes), wall.resize(nodes);
    for (int k = 0, n = 0; k < row; ++k)
      for (int j = 0; j < row; ++j)
        for (int i = 0; i < row; ++i, ++n) {
          x[n] = {edge * i, edge * j, edge * k};
          wall[n] = static_cast<unsigned char>((i == 0) | (j == 0) << 1 | (k == 0) << 2);
        }
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
          const int n = (k * row + j) * row + i;
          for (int c : {n, n + 1, n + row + 1, n + row, n + row * row, n + row * row + 1, n + row * row + row + 1,
                        n + row * row + row})
            corner.push_back(c);
        }
    first.assign(nodes + 1, 0);
    for (int n : corner)
      ++first[n + 1];
    for (int n = 0; n < nodes; ++n)
      first[n + 1] += first[n];
    corners.resize(corner.size());
    std::vector<int> next(first);
    for (size_t c = 0; c < corner.size(); ++c)
      corners[next[corner[c]]++] = static_cast<int>(c);
    const double each = edge * edge * edge;
    m.assign(elements, each), v.assign(elements, each);
    e.assign(elements, 0), p.assign(elements, 0), q.assign(elements, 0), c.assign(elements, 0), d.assign(elements, 0);
    e[0] = 0.5; // An eighth of the blast: the rest lies behind the planes of symmetry.
    p[0] = (adiabatic - 1) * e[0] / each;
    c[0] = std::sqrt(adiabatic * p[0] / 1);
    force.resize(corner.size());
    for (size_t k = 0; k < corner.size(); ++k)
      mass[corner[k]] += each / 8;
  }

  void gather(int element, const std::vector<Vector> &of, Vector *to) const {
    for (int i = 0; i < 8; ++i)
      to[i] = of[corner[8 * element + i]];
  }
};

// Energy is conserved, and the shock is symmetric. The picture shows the pressure in the lowest layer of elements:
// white is the highest.
inline void save(const Setup &s, const Mesh &mesh) {
  const int scale = 1 + 255 / s.side, size = s.side * scale;
  double most = 1e-300;
  for (int i = 0; i < s.side * s.side; ++i)
    most = std::fmax(most, mesh.p[i]);
  std::vector<std::uint8_t> picture;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      const double p = mesh.p[(size - 1 - y) / scale * s.side + x / scale] / most;
      picture.push_back(static_cast<std::uint8_t>(255 * std::sqrt(std::fmax(0.0, p))));
    }
  if (!samples::Png::write(s.out, size, size, picture))
    std::fprintf(stderr, "hydro: cannot write '%s'\n", s.out.c_str());
}

inline int report(const Setup &s, const Mesh &mesh, double time) {
  if (!s.out.empty())
    save(s, mesh);
  double inner = 0, kinetic = 0, skew = 0;
  for (double e : mesh.e)
    inner += e;
  for (int n = 0; n < mesh.nodes; ++n)
    kinetic += 0.5 * mesh.mass[n] * dot(mesh.u[n], mesh.u[n]);
  for (int i = 0; i < s.side; ++i)
    skew = std::fmax(skew, std::fabs(mesh.p[i] - mesh.p[i * s.side]));
  const bool correct = std::fabs(inner + kinetic - 0.5) < 1e-10 && skew < 1e-8 && kinetic > 0.01;
  std::printf("hydro: %d elements, %d steps to time %.6e, energy at the origin %.12e: %s\n", mesh.elements, s.steps, time,
              mesh.e[0], correct ? "correct" : "WRONG");
  if (!correct)
    std::printf("inner %.15g kinetic %.15g skew %g\n", inner, kinetic, skew);
  return correct ? 0 : 1;
}

} // namespace hydro
#endif
