// What destructors do: those of base classes, of parts of an object whose constructor throws, and virtual ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++17 --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
struct Last {
  int *p;
  ~Last() { *p = 1; }
};
struct More : Last {};
// CHECK-DAG: task 'base': inout(*ofBase) is inferred
#pragma hsched task
void base(int *ofBase) { More m{{ofBase}}; }

struct Own : Last {
  int *q;
  Own(int *a) : Last{a}, q(a) {}
  ~Own() {}
};
// CHECK-DAG: task 'behindOwn': inout(*behindOwn) is inferred
#pragma hsched task
void behindOwn(int *behindOwn) { Own m(behindOwn); }

// CHECK-DAG: task 'explicitly': inout(*explicitly) is inferred
#pragma hsched task
void explicitly(int *explicitly) {
  Own *m = new Own(explicitly);
  m->~Own();
}

struct Virtual : virtual Last {
  Virtual(int *a) { p = a; }
};
// CHECK-DAG: task 'ofVirtual': inout(*ofVirtual) is inferred
#pragma hsched task
void ofVirtual(int *ofVirtual) { Virtual m(ofVirtual); }

// --- Constructors that throw ---
struct Body {
  Last l;
  Body(int *a, bool t) : l{a} {
    if (t)
      throw 1;
  }
};
// CHECK-DAG: task 'inBody': inout(*inBody) is inferred
#pragma hsched task
void inBody(int *inBody) {
  try {
    new Body(inBody, true);
  } catch (...) {
  }
}
int fails() { throw 1; }
struct Later {
  Last l;
  int k;
  Later(int *a) : l{a}, k(fails()) {}
};
// CHECK-DAG: task 'inLater': inout(*inLater) is inferred
#pragma hsched task
void inLater(int *inLater) {
  try {
    Later t(inLater);
  } catch (...) {
  }
}
struct Delegates {
  Last l;
  Delegates(int *a) : l{a} {}
  Delegates(int *a, int) : Delegates(a) { throw 1; }
};
// CHECK-DAG: task 'inOther': inout(*inOther) is inferred
#pragma hsched task
void inOther(int *inOther) {
  try {
    new Delegates(inOther, 1);
  } catch (...) {
  }
}
struct Two {
  Last l;
  int k;
};
// CHECK-DAG: task 'inList': inout(*inList) is inferred
#pragma hsched task
void inList(int *inList) {
  try {
    new Two{{inList}, fails()};
  } catch (...) {
  }
}
int takes(const Last &, int k) { return k; }
// CHECK-DAG: task 'temporary': inout(*temporary) is inferred
#pragma hsched task
void temporary(int *temporary) {
  try {
    takes(Last{temporary}, fails());
  } catch (...) {
  }
}
// A constructor that returns does not destroy.
struct Returns {
  Last l;
  Returns(int *a, int *b, bool t) : l{a} {
    if (t)
      return;
    *b = 1;
  }
};
// CHECK-DAG: task 'returned': out(*returned) is inferred
// CHECK-NOT: (*unused) is inferred
#pragma hsched task
void returned(int *unused, int *returned) { new Returns(unused, returned, false); }

// --- Virtual destructors ---
struct Base {
  virtual ~Base() {}
};
struct Derived : Base {
  int *p;
  Derived(int *q) : p(q) {}
  ~Derived() { *p = 1; }
};
// CHECK-DAG: task 'remove': inout(*removed) is inferred
#pragma hsched task
void remove(int *removed) {
  Base *b = new Derived(removed);
  delete b;
}
// CHECK-DAG: task 'call': inout(*called) is inferred
#pragma hsched task
void call(int *called) {
  Base *b = new Derived(called);
  b->~Base();
}
struct Early {
  Early(int *q) {
    Base *b = new Derived(q);
    delete b;
  }
};
// CHECK-DAG: error: the extent of 'inEarly' cannot be inferred: its destructor is virtual
#pragma hsched task
void inEarly(int *inEarly) { Early e(inEarly); }
Base *other(Base *);
// CHECK-DAG: error: the extent of 'unknown' cannot be inferred
#pragma hsched task
void any(int *unknown) { delete other(new Derived(unknown)); }
// A destructor that throws is not run again.
struct Throws {
  int *p;
  ~Throws() noexcept(false) {
    if (*p)
      throw 1;
  }
};
// CHECK-DAG: task 'throws': inout(thrown[1:1]) is inferred
// CHECK-DAG: task 'throws': in(*read) is inferred
#pragma hsched task
void throws(const int *read, int *thrown) {
  try {
    Derived below(thrown + 1);
    Throws t{const_cast<int *>(read)};
  } catch (int) {
  }
}
