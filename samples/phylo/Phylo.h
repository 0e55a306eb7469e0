// Phylogeny: trees, Kimura's model of substitution, sequences that evolved along a tree, and the likelihood in double
// precision that phylo.cpp is compared with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_PHYLO_PHYLO_H
#define HSCHED_SAMPLES_PHYLO_PHYLO_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace phylo {

// The same numbers on every machine (SplitMix64: Steele, Lea, Flood).
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform() { // A number in [0, 1).
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return std::ldexp(static_cast<double>((z ^ (z >> 31)) >> 11), -53);
  }
  int below(int n) { return static_cast<int>(uniform() * n); }

private:
  std::uint64_t state_;
};

// Probabilities that base a has become base b along a branch of length t, row by row (Kimura 1980, transitions kappa
// times as frequent as transversions). Bases in the order A, G, C, T, so that two of a pair change by transitions.
template <class Number> void transition(double t, Number *p) {
  constexpr double kappa = 2;
  const double fast = std::exp(-4 * t / (kappa + 2)), slow = std::exp(-2 * t * (kappa + 1) / (kappa + 2));
  const double same = 0.25 + 0.25 * fast + 0.5 * slow, pair = 0.25 + 0.25 * fast - 0.5 * slow,
               other = 0.25 - 0.25 * fast;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      p[4 * a + b] = static_cast<Number>(a == b ? same : a / 2 == b / 2 ? pair : other);
}

// A rooted tree: leaves are nodes 0 to taxa - 1, then come inner nodes, the root last. Where a node is known, its
// children are not always before it: proposals exchange subtrees.
struct Tree {
  struct Node {
    int parent = -1;
    std::array<int, 2> child = {-1, -1};
    double length = 0; // Length of the branch to its parent.
  };
  int taxa;
  std::vector<Node> nodes;

  int root() const { return 2 * taxa - 2; }
  bool isLeaf(int node) const { return node < taxa; }

  // Two nodes drawn at random become children of the next inner node, until one is left.
  Tree(int taxa, Random &dice) : taxa(taxa), nodes(2 * static_cast<std::size_t>(taxa) - 1) {
    std::vector<int> free(taxa);
    for (int i = 0; i < taxa; ++i)
      free[i] = i;
    for (int inner = taxa; inner <= root(); ++inner) {
      for (int &child : nodes[inner].child) {
        const int at = dice.below(static_cast<int>(free.size()));
        child = free[at];
        free.erase(free.begin() + at);
        nodes[child].parent = inner;
        nodes[child].length = 0.02 + 0.15 * dice.uniform();
      }
      free.push_back(inner);
    }
  }

  // Inner nodes, children before parents.
  std::vector<int> upwards() const {
    std::vector<int> order{root()};
    for (std::size_t i = 0; i < order.size(); ++i)
      for (int child : nodes[order[i]].child)
        if (!isLeaf(child))
          order.push_back(child);
    std::reverse(order.begin(), order.end());
    return order;
  }
  // From a node to the root.
  std::vector<int> pathFrom(int node) const {
    std::vector<int> path;
    for (; node >= 0; node = nodes[node].parent)
      path.push_back(node);
    return path;
  }

  // Nearest neighbour interchange: a child of an inner node and that node's sibling change places.
  void interchange(int inner, int which) {
    const int parent = nodes[inner].parent;
    int &sibling = nodes[parent].child[nodes[parent].child[0] == inner];
    int &child = nodes[inner].child[which];
    std::swap(nodes[sibling].parent, nodes[child].parent);
    std::swap(sibling, child);
  }
};

// Bases of all taxa at all sites, as they evolve along a tree.
inline std::vector<std::vector<std::uint8_t>> evolve(const Tree &tree, int sites, Random &dice) {
  std::vector<std::vector<std::uint8_t>> bases(tree.nodes.size(), std::vector<std::uint8_t>(sites));
  for (std::uint8_t &b : bases[tree.root()])
    b = static_cast<std::uint8_t>(dice.below(4));
  std::vector<int> order = tree.upwards();
  std::reverse(order.begin(), order.end());
  for (int inner : order)
    for (int child : tree.nodes[inner].child) {
      double p[16];
      transition(tree.nodes[child].length, p);
      for (int s = 0; s < sites; ++s) {
        double left = dice.uniform();
        int b = 0;
        for (const double *row = p + 4 * bases[inner][s]; b < 3 && left >= row[b]; ++b)
          left -= row[b];
        bases[child][s] = static_cast<std::uint8_t>(b);
      }
    }
  bases.resize(tree.taxa);
  return bases;
}

// The logarithm of the likelihood of sites [from, from + n), by Felsenstein's pruning, site by site.
inline double reference(const Tree &tree, const std::vector<std::vector<std::uint8_t>> &bases, int from, int n) {
  const std::vector<int> order = tree.upwards();
  std::vector<std::array<double, 16>> p(tree.nodes.size());
  for (std::size_t i = 0; i + 1 < tree.nodes.size(); ++i)
    transition(tree.nodes[i].length, p[i].data());
  std::vector<std::array<double, 4>> at(tree.nodes.size());
  double sum = 0;
  for (int s = from; s < from + n; ++s) {
    for (int leaf = 0; leaf < tree.taxa; ++leaf) {
      at[leaf] = {};
      at[leaf][bases[leaf][s]] = 1;
    }
    for (int inner : order) {
      at[inner] = {1, 1, 1, 1};
      for (int child : tree.nodes[inner].child)
        for (int a = 0; a < 4; ++a) {
          double through = 0;
          for (int b = 0; b < 4; ++b)
            through += p[child][4 * a + b] * at[child][b];
          at[inner][a] *= through;
        }
      const double most = *std::max_element(at[inner].begin(), at[inner].end());
      for (double &v : at[inner])
        v /= most;
      sum += std::log(most);
    }
    const std::array<double, 4> &v = at[tree.root()];
    sum += std::log((v[0] + v[1] + v[2] + v[3]) / 4);
  }
  return sum;
}

} // namespace phylo
#endif
