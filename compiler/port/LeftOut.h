// What a conversion leaves out because hsched does without it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PORT_LEFTOUT_H
#define HSCHED_PORT_LEFTOUT_H

#include <string_view>

namespace hsched::port {

// Why the clause or the directive is needless; null: it is not.
const char *withoutClause(std::string_view Name);
const char *withoutDirective(std::string_view Name);

} // namespace hsched::port
#endif
