/* PySchedCL's select as a shared object for hsched-run.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   cc -shared -fPIC select.c -o select.so     (with -I for hsched's headers, where they are not installed)
 *   hsched-run --select=./select.so dag.json
 *
 * The component of the greatest rank goes to the first device, which is the fastest one here. Another device gets the
 * component of the least rank, and only while more than ten are ready. The paper finds that the CPU should run one head
 * if there are more than ten attention heads, and none otherwise. */
#include <hsched/select.h>

static int may_go(const hsched_select_component *c, uint32_t device) {
  for (uint32_t i = 0; i < c->n_devices; ++i)
    if (c->devices[i] == device)
      return 1;
  return 0;
}

int hsched_select_1(const hsched_select_state *s, uint32_t *component, uint32_t *device) {
  for (uint32_t d = 0; d < s->n_devices; ++d) {
    if (!s->devices[d].available)
      continue;
    for (uint32_t i = 0; i < s->n_ready; ++i) {
      const uint32_t at = d == 0 ? i : s->n_ready - 1 - i;
      const hsched_select_component *c = &s->ready[at];
      /* A component that may not go to the first device does not wait for it. */
      if (!may_go(c, d) || (d > 0 && may_go(c, 0) && s->n_ready <= 10))
        continue;
      *component = at;
      *device = d;
      return 1;
    }
  }
  return 0; /* Until a component has ended. */
}
