// The instances of templates, and of functions and classes within templates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INSTANCES_H
#define HSCHED_ANALYSIS_INSTANCES_H

#include "clang/AST/DeclCXX.h"

#include <vector>

namespace hsched::cc {

// The classes that are instantiated from Pattern, a class that depends on template parameters. Pattern may be a
// template, a partial specialization, a member of such a class, or local to a function. Explicit specializations are
// left out.
std::vector<const clang::CXXRecordDecl *> instancesOf(const clang::CXXRecordDecl &Pattern);

// The functions that are instantiated from F. F itself if it depends on no template parameter.
std::vector<const clang::FunctionDecl *> instancesOf(const clang::FunctionDecl &F);

} // namespace hsched::cc
#endif
