// The steps of resolve(), which share their state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_RESOLVE_H
#define HSCHED_DAG_RESOLVE_H

#include "dag/Expression.h"
#include "dag/Graph.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace hsched::dag {

// Values of symbols. A kernel's own take precedence over the command line's and the file's.
class Scope {
public:
  Scope(const Document &D, const ResolveOptions &Options);

  // add() adds a kernel's own symbols; leave() drops them.
  void add(const Assignments &Own);
  void leave() { Local.clear(); }

  int64_t integer(const Text &T, const Part &Of = {}) const;
  // The same, in [Least, Most]. What: for the message.
  int64_t integer(const Text &T, int64_t Least, int64_t Most, const char *What, const Part &Of = {}) const;
  // A number with a fraction, or an integer expression.
  double number(const Text &T, const Part &Of = {}) const;
  // True if it is a number as it is written, such as 1.5 or 2e3f. Throws Error for one that is too large.
  static bool isLiteral(const Text &T, double &N);
  // The text for a macro: an expression's value, or T itself if it is no expression.
  std::string macro(const Text &T) const;
  bool usesPart(const Text &T) const;
  const std::map<std::string, int64_t> &known() const { return Known; }
  // Symbols from the command line that neither the file nor an expression read so far names, whatever its value needs.
  const std::set<std::string> &unused() const { return Unused; }

private:
  std::optional<int64_t> lookup(const std::string &Name) const;
  void define(const Assignments &All, std::map<std::string, int64_t> &To, bool OfCommandLine);
  // An expression's. Throws ExpressionError.
  int64_t value(const std::string &S, const Part &Of) const;
  const bool Python2;
  std::map<std::string, int64_t> Known, Local;
  mutable std::set<std::string> Unused;
  std::map<std::string, const Text *> Pending; // Symbols that have no value yet.
  std::string Defined;                         // The symbol that gets its value.
  mutable std::string Missing;                 // The last one of them that an expression needed.
};

// The steps, in this order. Each throws Error.
class Resolver {
public:
  Resolver(const Document &D, const ResolveOptions &Options);
  Graph run();

private:
  struct Ref { // A kernel's argument.
    uint32_t Kernel = None, Arg = None;
  };

  void nameKernels();
  void findPrograms();
  void linkEdges();
  void linkBuffers();
  void orderKernels();
  void makeData();
  void makeLaunches();
  void makeComponents();
  void rank();
  void results();
  // Names files for --output. A result replaces no source, no file that a source includes by its name, no expected
  // result and no other result.
  void placeOutputs();

  uint32_t kernelOf(const Text &Id) const;
  Ref refOf(const Text &Id, const Text &Pos) const;
  const ArgDoc &argOf(Ref R) const { return D.Kernels[R.Kernel].Args[R.Arg]; }
  void precede(uint32_t First, uint32_t Then, bool ByData);
  [[noreturn]] void reportCycle(const std::vector<uint32_t> &Left) const;
  uint32_t addDatum(const BufferDoc &B, std::string Name);
  void setInit(Datum &N, const BufferDoc &B);
  uint32_t addCopy(uint32_t From, uint32_t For);
  std::string path(const Text &Named) const { return confined(Named, D.Folder, Options.AllowPath); }

  Launch launch(uint32_t K, const Part &Of);
  int64_t splitAt(uint32_t K);
  void putValue(Launch &L, const ArgDoc &A, const Part &Of);
  void putElement(unsigned char *To, const Text &Type, const Text *Lanes, const Part &Of);
  std::string buildOptions(const KernelDoc &K, const std::string &Path, const Source &Text);

  const Document &D;
  const ResolveOptions &Options;
  Scope Symbols;
  Graph G;
  std::unordered_map<std::string, uint32_t> ByName, BufferByName;
  std::vector<std::vector<Ref>> From;               // By kernel and argument: the edge that ends there.
  std::vector<std::vector<std::vector<Ref>>> Edges; // By kernel and argument: the edges that begin there.
  std::vector<uint32_t> BufferDatum;                // Data of the file's buffers.
  uint64_t MostBytes;
};

} // namespace hsched::dag
#endif
