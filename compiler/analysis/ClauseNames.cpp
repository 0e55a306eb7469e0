// The names in the text of clauses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Names.h"

#include "model/NameCharacters.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace hsched::cc {

// "a::n" at the start of Text, "::n" and "a<t>::n" too.
llvm::StringRef Names::qualifiedId(llvm::StringRef Text) const {
  const auto blanks = [&](size_t At) { return At + Text.substr(At).take_while(llvm::isSpace).size(); };
  const auto begins = [&](size_t At, llvm::StringRef What) { return Text.substr(At).starts_with(What); };
  size_t End = 0, Next = 0;
  do {
    if (begins(Next, "::"))
      End = blanks(Next + 2);
    if (begins(End, "template "))
      End = blanks(End + 9);
    while (End < Text.size() && inName(Text[End]))
      ++End;
    if (begins(blanks(End), "<") && isTemplate(Text.take_front(End))) {
      int Depth = 0;
      size_t Close = blanks(End);
      do
        Depth += (Text[Close] == '<') - (Text[Close] == '>');
      while (++Close < Text.size() && Depth != 0);
      End = Depth == 0 ? Close : End;
    }
    Next = blanks(End);
  } while (End != 0 && begins(Next, "::") && blanks(Next + 2) < Text.size() && inName(Text[blanks(Next + 2)]));
  return Text.take_front(End);
}

// The static member of Object that Text begins with, ".count" or "->count", and where its name ends. Null: none.
std::pair<const VarDecl *, size_t> Names::staticMember(const ValueDecl &Object, llvm::StringRef Text) const {
  llvm::StringRef Rest = Text.ltrim();
  QualType T = Object.getType();
  if (const auto *P = dyn_cast<ParmVarDecl>(&Object); // An instance has members of its own.
      P && P->getDeclContext() == &F && P->getFunctionScopeIndex() < Body.getNumParams())
    T = Body.getParamDecl(P->getFunctionScopeIndex())->getType();
  T = T.getNonReferenceType();
  if (Rest.consume_front("->"))
    T = T->getPointeeType();
  else if (!Rest.consume_front("."))
    return {};
  const CXXRecordDecl *Class = T.isNull() ? nullptr : T->getAsCXXRecordDecl();
  const llvm::StringRef Member = qualifiedId(Rest = Rest.ltrim());
  if (!Class || !Class->hasDefinition() || Member.empty() || Member.contains(':'))
    return {};
  return {dyn_cast_or_null<VarDecl>(in(Class->getDefinition(), Member, false).D),
          Text.size() - Rest.size() + Member.size()};
}

std::string Names::inOneSpelling(llvm::StringRef Text, const Section &Of, std::vector<NameUse> *Uses) {
  std::string Out;
  for (size_t I = 0; I < Text.size();) {
    llvm::StringRef Rest = Text.substr(I);
    if (Rest.front() == '"' || Rest.front() == '\'') {
      size_t End = 1;
      while (End < Rest.size() && Rest[End] != Rest.front())
        End += Rest[End] == '\\' ? 2 : 1;
      End = std::min(End + 1, Rest.size());
      Out += Rest.take_front(End);
      I += End;
      continue;
    }
    if (llvm::isDigit(Rest.front())) { // And its suffix.
      const llvm::StringRef Number = Rest.take_while([](char C) { return inName(C) || C == '.' || C == '\''; });
      Out += Number;
      I += Number.size();
      continue;
    }
    const bool Scope = Rest.starts_with("::") && Rest.size() > 2 && inName(Rest[2]);
    if (!inName(Rest.front()) && !Scope) {
      Out += Rest.front();
      ++I;
      continue;
    }
    llvm::StringRef Name = qualifiedId(Rest);
    const llvm::StringRef Before = llvm::StringRef(Out).rtrim();
    const bool Member = Before.ends_with(".") || Before.ends_with("->") ||
                        (Scope && !Before.empty() && (inName(Before.back()) || Before.ends_with(">")));
    size_t Length = Name.size();
    if (Name == "this" && Rest.substr(4).starts_with("->")) {
      const llvm::StringRef Last = qualifiedId(Rest.substr(6));
      Length = 6 + Last.size();
      Name = Rest.take_front(Length);
    }
    const NamedDecl *D = Member || Of.generates(Name.str()) ? nullptr : find(Name);
    std::string Better;
    // A static member is no part of the object that it is named by.
    if (const auto *Object = dyn_cast_or_null<ValueDecl>(D))
      if (const auto [Static, End] = staticMember(*Object, Rest.substr(Length)); Static) {
        D = Static;
        Length += End;
        Name = Rest.take_front(Length);
      }
    if (const auto *V = dyn_cast_or_null<VarDecl>(D); V && !isa<ParmVarDecl>(V))
      Better = of(*V);
    else if (const auto *Field = dyn_cast_or_null<FieldDecl>(D))
      Better = of(*Field);
    if (Better.empty() || Better.find('?') != std::string::npos)
      Better = Name.str();
    else if (Uses && Name.find_first_of(":>") != llvm::StringRef::npos)
      Uses->push_back({Better, {}});
    Out += Better;
    I += Length;
  }
  return Out;
}

AccessCode Names::inOneSpelling(AccessCode A) {
  Section &S = A.What;
  const Section Written = S;
  for (const Expr *Each : S.expressions()) {
    Expr &E = const_cast<Expr &>(*Each); // An expression of A, which is this function's own copy.
    std::string Text = E.Text;
    for (size_t At; (At = Text.find("(*this).")) != std::string::npos;)
      Text.replace(At, 8, "this->");
    for (NameUse &N : E.Names)
      N.Name = inOneSpelling(N.Name, Written, nullptr);
    E.Text = inOneSpelling(Text, Written, &E.Names);
  }
  for (std::string *Name : {&S.BaseName, &S.RootName})
    if (!Name->empty())
      *Name = inOneSpelling(*Name, Written, nullptr);
  return A;
}

} // namespace hsched::cc
