// The C++ library's classes and their members.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Library.h"

#include <functional>
#include <map>
#include <optional>

namespace hsched::cc {
namespace {

template <class What> struct Row {
  std::string_view Names; // Separated by spaces.
  What Is;
};

constexpr Row<unsigned> Classes[] = {
    {"vector", ClassContainer | ClassOwner | ClassCopiesElements | ClassBits},
    {"basic_string valarray", ClassContainer | ClassOwner},
    {"deque list forward_list set multiset map multimap unordered_set unordered_multiset unordered_map "
     "unordered_multimap",
     ClassOwner | ClassCopiesElements},
    {"stack queue priority_queue", ClassOwner},
    {"array", ClassArray | ClassAnalysed | ClassPlain | ClassCounted},
    {"pair", ClassOwner | ClassAnalysed | ClassPlain},
    {"tuple optional", ClassOwner | ClassAnalysed},
    {"variant", ClassOwner | ClassInside},
    {"complex", ClassAnalysed | ClassPlain},
    {"span", ClassView | ClassCounted},
    {"basic_string_view", ClassView | ClassConstView},
    {"initializer_list", ClassView | ClassConstView | ClassAnalysed},
    {"unique_ptr", ClassPointer | ClassDeletes},
    {"shared_ptr __shared_ptr __shared_ptr_access", ClassPointer},
    {"default_delete", ClassDeleter},
    {"__normal_iterator __wrap_iter", ClassIterator},
    {"atomic __atomic_base __atomic_float", ClassAtomic},
    {"atomic_ref __atomic_ref", ClassAtomicRef},
    {"allocator char_traits hash", ClassPolicy},
    {"less greater equal_to", ClassPolicy | ClassAnalysed},
    {"identity plus minus multiplies divides negate integral_constant numeric_limits ratio reverse_iterator "
     "reference_wrapper "
     "_Iter_pred _Iter_negate _Tuple_impl _Head_base _Optional_base _Optional_payload _Optional_payload_base "
     "_Optional_base_impl _Storage",
     ClassAnalysed},
    {"_Rb_tree_iterator _Rb_tree_const_iterator _List_iterator _List_const_iterator _Fwd_list_iterator "
     "_Fwd_list_const_iterator _Deque_iterator _Node_iterator _Node_const_iterator _Node_iterator_base",
     ClassPosition},
    {"move_iterator", ClassAnalysed | ClassMoves},
    {"mutex timed_mutex recursive_mutex recursive_timed_mutex shared_mutex shared_timed_mutex condition_variable "
     "condition_variable_any",
     ClassSynchronizes},
    {"thread jthread", ClassThread},
    {"function", ClassFunction},
    {"basic_ostream basic_istream basic_iostream", ClassStream},
};

constexpr Row<LibraryMember> Members[] = {
    {"begin cbegin data c_str front", LibraryMember::First},
    {"back", LibraryMember::Last},
    {"end cend", LibraryMember::End},
    {"at", LibraryMember::At},
    {"size ssize length", LibraryMember::Count},
    {"size_bytes", LibraryMember::Bytes},
    {"empty capacity max_size", LibraryMember::Query},
    {"rbegin rend find lower_bound upper_bound equal_range get get_if value", LibraryMember::Look},
    {"first", LibraryMember::Leading},
    {"last", LibraryMember::Trailing},
    {"subspan substr", LibraryMember::Part},
    {"fill", LibraryMember::Fill},
    {"assign", LibraryMember::Assign},
    {"base", LibraryMember::Base},
    {"reset", LibraryMember::Reset},
    {"release", LibraryMember::Release},
    {"swap", LibraryMember::Swap},
    {"exchange", LibraryMember::Exchange},
    {"load wait", LibraryMember::Load},
    {"store", LibraryMember::Store},
    {"is_lock_free notify_one notify_all", LibraryMember::Nothing},
    {"move forward as_const to_address __to_address launder assume_aligned move_if_noexcept __niter_base __miter_base "
     "__base",
     LibraryMember::Same},
    {"addressof __addressof", LibraryMember::Address},
    {"next", LibraryMember::Next},
    {"prev", LibraryMember::Previous},
    {"distance", LibraryMember::Distance},
    {"min", LibraryMember::Least},
    {"max", LibraryMember::Greatest},
    {"clamp", LibraryMember::Clamp},
    {"make_unique make_shared make_unique_for_overwrite", LibraryMember::Make},
    {"make_pair make_tuple make_optional make_any make_move_iterator make_reverse_iterator", LibraryMember::MakeValue},
    {"thread async", LibraryMember::Thread},
};

// True: calls of the function are followed in its body where that is visible, which says more than the table. False:
// the body is only needed by those.
constexpr Row<std::optional<bool>> Bodies[] = {
    {"for_each for_each_n transform accumulate generate generate_n all_of any_of none_of count_if replace_if copy_if "
     "partial_sum adjacent_difference",
     true},
    {"find_if find_if_not __find_if __find_if_not __count_if __pred_iter __iter_negate ref cref tie invoke __invoke "
     "__invoke_impl",
     false},
};

template <class What, std::size_t N> What find(const Row<What> (&Rows)[N], std::string_view Name) {
  static const auto Table = [&] {
    std::map<std::string_view, What, std::less<>> M;
    for (const Row<What> &R : Rows)
      for (std::string_view Rest = R.Names; !Rest.empty();) {
        const std::size_t End = std::min(Rest.find(' '), Rest.size());
        M.emplace(Rest.substr(0, End), R.Is);
        Rest.remove_prefix(std::min(End + 1, Rest.size()));
      }
    return M;
  }();
  const auto It = Table.find(Name);
  return It == Table.end() ? What() : It->second;
}

} // namespace

unsigned libraryClass(std::string_view Name) { return find(Classes, Name); }

LibraryMember libraryMember(std::string_view Name) { return find(Members, Name); }

std::optional<bool> libraryBody(std::string_view Name) { return find(Bodies, Name); }

} // namespace hsched::cc
