// Particles, structures, members, parameters by value that carry pointers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

struct Vec3 {
  double x, y, z;
  double length2() const { return x * x + y * y + z * z; }
  Vec3 &operator+=(const Vec3 &o) {
    x += o.x;
    y += o.y;
    z += o.z;
    return *this;
  }
};

Vec3 operator*(double a, const Vec3 &v) { return {a * v.x, a * v.y, a * v.z}; }
Vec3 operator-(const Vec3 &a, const Vec3 &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

struct Particle {
  Vec3 position, velocity;
  double mass;
};

// expect: inout([n]p)
void drift(int n, double dt, Particle *p) {
  for (int i = 0; i < n; ++i)
    p[i].position += dt * p[i].velocity;
}

// expect: in([n]p) out([n]force)
void gravity(int n, const Particle *p, Vec3 *force) {
  for (int i = 0; i < n; ++i) {
    Vec3 f = {0, 0, 0};
    for (int j = 0; j < n; ++j) {
      const Vec3 d = p[j].position - p[i].position;
      const double r2 = d.length2() + 1e-9;
      f += (p[j].mass / (r2 * std::sqrt(r2))) * d;
    }
    force[i] = f;
  }
}

// expect: in([n]force) inout([n]p)
void kick(int n, double dt, const Vec3 *force, Particle *p) {
  for (int i = 0; i < n; ++i) {
    Particle &q = p[i];
    q.velocity += (dt / q.mass) * force[i];
  }
}

// expect: in([n]p) out([1]energy)
void kinetic(int n, const Particle *p, double *energy) {
  double e = 0;
  for (const Particle *q = p; q < p + n; ++q)
    e += 0.5 * q->mass * q->velocity.length2();
  *energy = e;
}

// All fields of every element.
// expect: out([n]p)
void atRest(int n, Particle *p) {
  for (int i = 0; i < n; ++i) {
    p[i].position = Vec3{0, 0, 0};
    p[i].velocity = Vec3{0, 0, 0};
    p[i].mass = 1;
  }
}

// expect: inout([n]p)
void stop(int n, Particle *p) {
  for (int i = 0; i < n; ++i)
    p[i].velocity.x = p[i].velocity.y = p[i].velocity.z = 0;
}

struct Cloud {
  int n;
  float *x, *y, *z;
};

// The structure is an argument; what its pointers lead to is the data.
// expect: inout(c.x[0:c.n]) inout(c.y[0:c.n]) none(c.z)
void shift(Cloud c, float dx, float dy) {
  for (int i = 0; i < c.n; ++i) {
    c.x[i] += dx;
    c.y[i] += dy;
  }
}

// expect: in(c) in(c.x[0:c.n]) in(c.y[0:c.n]) in(c.z[0:c.n]) out([3]centre)
void centre(const Cloud &c, float *centre) {
  float sx = 0, sy = 0, sz = 0;
  for (int i = 0; i < c.n; ++i) {
    sx += c.x[i];
    sy += c.y[i];
    sz += c.z[i];
  }
  centre[0] = sx / c.n;
  centre[1] = sy / c.n;
  centre[2] = sz / c.n;
}

struct Grid {
  int w, h;
  double *cells;
  double &at(int i, int j) { return cells[i * w + j]; }
  double at(int i, int j) const { return cells[i * w + j]; }
};

// expect: inout(g.cells[0:g.h*g.w])
void coolDown(Grid g, double by) {
  for (int i = 0; i < g.h; ++i)
    for (int j = 0; j < g.w; ++j)
      g.at(i, j) -= by;
}

// expect: in(from.cells[0:from.h*from.w]) out(to.cells<0; from.h x to.w, from.w>)
void copyGrid(Grid from, Grid to) {
  for (int i = 0; i < from.h; ++i)
    for (int j = 0; j < from.w; ++j)
      to.at(i, j) = from.at(i, j);
}

struct Stats {
  double sum, sumOfSquares;
  long count;
};

// expect: in([n]x) inout(s)
void accumulate(int n, const double *x, Stats &s) {
  for (int i = 0; i < n; ++i) {
    s.sum += x[i];
    s.sumOfSquares += x[i] * x[i];
  }
  s.count += n;
}

// expect: out(s)
void reset(Stats &s) { s = Stats{}; }

// Each field is set before anything reads it.
// expect: in([n]x) out(s)
void describe(int n, const double *x, Stats &s) {
  s.sum = 0;
  s.sumOfSquares = 0;
  s.count = n;
  for (int i = 0; i < n; ++i) {
    s.sum += x[i];
    s.sumOfSquares += x[i] * x[i];
  }
}

// expect: in(s) out([1]mean) out([1]variance)
void moments(const Stats &s, double *mean, double *variance) {
  *mean = s.sum / s.count;
  *variance = s.sumOfSquares / s.count - *mean * *mean;
}

struct Node {
  double value;
  Node *next;
};

// expect: in([1]list) inout(sum) opaque
void sumList(const Node *list, double &sum) {
  for (; list; list = list->next)
    sum += list->value;
}

// expect: in([cells+1]start) in(order[?]) in(x[?]) out([cells]mean)
void cellMeans(int cells, const int *start, const int *order, const float *x, float *mean) {
  for (int c = 0; c < cells; ++c) {
    float s = 0;
    int k = 0;
    for (int at = start[c]; at != start[c + 1]; ++at, ++k)
      s += x[order[at]];
    mean[c] = k ? s / k : 0;
  }
}

// Velocity Verlet in coordinates of their own.
// expect: inout([3*n]x) inout([3*n]v) in([3*n]f) in([n]m)
void verlet(int n, double dt, double *x, double *v, const double *f, const double *m) {
  for (int i = 0; i < n; ++i)
    for (int d = 0; d < 3; ++d) {
      v[3 * i + d] += dt * f[3 * i + d] / m[i];
      x[3 * i + d] += dt * v[3 * i + d];
    }
}
