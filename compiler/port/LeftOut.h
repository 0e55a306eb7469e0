// What a conversion leaves out because hsched does without it, and what means something else here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PORT_LEFTOUT_H
#define HSCHED_PORT_LEFTOUT_H

#include <string_view>

namespace hsched::port {

// Why the clause or the directive is needless; null: it is not.
const char *withoutClause(std::string_view Name);
const char *withoutDirective(std::string_view Name);

// The note on each 'taskgroup', which waits for more here than in OpenMP.
inline constexpr char OfGroup[] =
    "'taskgroup' also waits for the tasks of this function that were submitted before the block";

} // namespace hsched::port
#endif
