// Bayesian phylogenetic inference, after PBPI of the OmpSs paper: a Markov chain over trees of DNA sequences. Three loops
// over sites take the time. The first two have versions for the CPU and for OpenCL devices, the third is the CPU's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: phylo [--taxa t] [--sites n] [--block b] [--generations g].
// Standard output is the same for every build of this program and every device; times go to standard error. Exit code 1
// tells that a result was wrong, 3 that a task could not be run.
#include "../common/Options.h"
#include "Phylo.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

using phylo::Random;
using phylo::Tree;

// What is smaller than `small` is multiplied by a power of two, which is exact.
constexpr float small = 1.0f / (1u << 30), factor = 1u << 30;

// Probabilities of substitution along the branches to two children. A task, because earlier tasks may still read p.
#pragma hsched task
void branches(double left, double right, float *p) {
  phylo::transition(left, p);
  phylo::transition(right, p + 16);
}

// Loop 1: the likelihood of what is below an inner node, given its base, at n sites: Felsenstein's pruning.
#pragma hsched task in([32]p, [4 * n]left, [4 * n]right) out([4 * n]out)
void combine(int n, const float *p, const float *left, const float *right, float *out) {
  const float *q = p + 16;
  for (int s = 0; s < 4 * n; s += 4) {
    const float *l = left + s, *r = right + s;
    for (int a = 0; a < 16; a += 4)
      out[s + a / 4] = ((p[a] * l[0] + p[a + 1] * l[1]) + (p[a + 2] * l[2] + p[a + 3] * l[3])) *
                       ((q[a] * r[0] + q[a + 1] * r[1]) + (q[a + 2] * r[2] + q[a + 3] * r[3]));
  }
}

#pragma hsched implements(combine) device(opencl) kernel("phylo.cl") ndrange(n)
void combine_cl(int n, const float *p, const float *left, const float *right, float *out);

// Loop 2: small likelihoods are multiplied by `factor`, and it is counted how often, below the node and here.
#pragma hsched task
void rescale(int n, const int *left, const int *right, float *v, int *scaled) {
  for (int s = 0; s < n; ++s) {
    float *at = v + 4 * s;
    const bool low = std::max(std::max(at[0], at[1]), std::max(at[2], at[3])) < small;
    for (int a = 0; a < 4; ++a)
      at[a] = low ? at[a] * factor : at[a];
    scaled[s] = left[s] + right[s] + low;
  }
}

#pragma hsched implements(rescale) device(opencl) kernel("phylo.cl") ndrange(n) \
    args(n, small, factor, left, right, v, scaled)
void rescale_cl(int n, const int *left, const int *right, float *v, int *scaled);

// Loop 3: the logarithm of the likelihood of n sites, from that of their root.
#pragma hsched task
void sumUp(int n, const float *v, const int *scaled, double *sum) {
  double all = 0;
  for (int s = 0; s < n; ++s)
    all += std::log(0.25 * (double(v[4 * s]) + v[4 * s + 1] + v[4 * s + 2] + v[4 * s + 3])) -
           scaled[s] * std::log(double(factor));
  *sum = all;
}

namespace {

// Likelihoods of all nodes at all sites. An inner node has them twice: as they are, and as a proposal has them.
struct Likelihoods {
  struct Side {
    std::vector<float> v, p; // Four a site; probabilities of substitution along the branches to its children.
    std::vector<int> scaled;
  };
  int sites, block;
  std::vector<std::array<Side, 2>> nodes;
  std::vector<int> side; // That counts.
  std::vector<double> sums;

  Likelihoods(const std::vector<std::vector<std::uint8_t>> &bases, int block)
      : sites(static_cast<int>(bases[0].size())), block(block), nodes(2 * bases.size() - 1), side(nodes.size()),
        sums((sites + block - 1) / block) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (Side &s : nodes[i]) {
        s.v.resize(4 * static_cast<std::size_t>(sites));
        s.scaled.resize(sites);
        s.p.resize(32);
        if (i >= bases.size())
          continue;
        for (int at = 0; at < sites; ++at)
          s.v[4 * static_cast<std::size_t>(at) + bases[i][at]] = 1;
      }
  }

  // Computes these nodes of a tree on their other sides, children before parents, the root last. The other sides count
  // from now on. Then computes the root's sums.
  void compute(const Tree &tree, const std::vector<int> &inner) {
    for (int i : inner) {
      side[i] ^= 1;
      Side &to = nodes[i][side[i]];
      const auto [l, r] = tree.nodes[i].child;
      const Side &left = nodes[l][side[l]], &right = nodes[r][side[r]];
      branches(tree.nodes[l].length, tree.nodes[r].length, to.p.data());
      for (int at = 0; at < sites; at += block) {
        const int n = std::min(block, sites - at);
        combine(n, to.p.data(), &left.v[4 * std::size_t(at)], &right.v[4 * std::size_t(at)], &to.v[4 * std::size_t(at)]);
        rescale(n, &left.scaled[at], &right.scaled[at], &to.v[4 * std::size_t(at)], &to.scaled[at]);
      }
    }
    const Side &root = nodes[tree.root()][side[tree.root()]];
    for (int at = 0; at < sites; at += block)
      sumUp(std::min(block, sites - at), &root.v[4 * std::size_t(at)], &root.scaled[at], &sums[at / block]);
  }
  void undo(const std::vector<int> &inner) {
    for (int i : inner)
      side[i] ^= 1;
  }
};

// What one generation computed.
struct Generation {
  Tree tree;
  std::vector<double> sums;
};

// Tolerance: a likelihood in single precision has a factor for each node below, a sum of four products. Its relative
// error is at most 10 * 2^-24 times the number of factors. Its logarithm has the same absolute error.
bool isRight(const Generation &g, const std::vector<std::vector<std::uint8_t>> &bases, int block) {
  const int sites = static_cast<int>(bases[0].size());
  for (int at = 0; at < sites; at += block) {
    const int n = std::min(block, sites - at);
    if (!(std::fabs(g.sums[at / block] - phylo::reference(g.tree, bases, at, n)) <=
          std::ldexp(10.0 * n * static_cast<double>(g.tree.nodes.size()), -24)))
      return false;
  }
  return true;
}

double sum(const std::vector<double> &of) {
  double all = 0;
  for (double v : of)
    all += v;
  return all;
}

} // namespace

int main(int argc, char **argv) {
  samples::Options options(argc, argv, {"taxa", "sites", "block", "generations"});
  const int taxa = options.number("taxa", 24);
  const int sites = options.number("sites", 8192);
  const int block = std::min(options.number("block", 2048), sites);
  const int generations = options.number("generations", 100);
  if (taxa < 3)
    options.complain("--taxa is 3 or more");
  if (!options.ok())
    return 2;

  Random dice(2011);
  const Tree truth(taxa, dice);
  const auto bases = phylo::evolve(truth, sites, dice);
  Tree tree(taxa, dice); // The chain begins elsewhere.
  Likelihoods all(bases, block);
  std::vector<Generation> history;
  int accepted = 0;
  double now = 0, first = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int g = 0; g <= generations; ++g) {
    // Generation 0 computes all of the first tree. Then a branch's length or a subtree's place is proposed.
    Tree proposal = tree;
    std::vector<int> inner = tree.upwards();
    double odds = 0; // The logarithm of the ratio of priors and of proposals' densities.
    if (g > 0 && dice.uniform() < 0.5) {
      const int node = dice.below(tree.root());
      Tree::Node &changed = proposal.nodes[node];
      const double stretch = std::exp(1.5 * (dice.uniform() - 0.5)), was = changed.length;
      changed.length = std::min(std::max(was * stretch, 1e-4), 5.0);
      odds = (was - changed.length) / 0.1 + std::log(changed.length / was); // Lengths have the mean 0.1.
      inner = proposal.pathFrom(changed.parent);
    } else if (g > 0) {
      const int node = taxa + dice.below(taxa - 2);
      proposal.interchange(node, dice.below(2));
      inner = proposal.pathFrom(node);
    }
    all.compute(proposal, inner);
    std::vector<double> &sums = all.sums;
    try {
#pragma hsched taskwait on([sums.size()](sums.data()))
    } catch (const std::exception &error) {
      std::printf("phylo: %s\n", error.what());
      return 3;
    }
    history.push_back({proposal, sums});
    const double next = sum(sums);
    if (g == 0 || std::log(dice.uniform()) < next - now + odds) {
      tree = proposal;
      now = next;
      accepted += g > 0;
    } else {
      all.undo(inner);
    }
    if (g == 0)
      first = now;
  }
#pragma hsched taskwait
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "phylo: %d generations: %.1f ms\n", generations, took.count() * 1e3);
  for (const Generation &g : history)
    if (!isRight(g, bases, block)) {
      std::printf("phylo: WRONG: a likelihood of generation %d\n", static_cast<int>(&g - history.data()));
      return 1;
    }
  std::printf("phylo: %d taxa, %d sites, %d generations, %d accepted, log-likelihood %.6f, then %.6f: correct\n", taxa,
              sites, generations, accepted, first, now);
  return 0;
}
