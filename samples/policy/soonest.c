/* A scheduling policy as a plug-in: each task goes where it is predicted to end first.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   cc -shared -fPIC soonest.c -o soonest.so     (with -I for hsched's headers, where they are not installed)
 *   HSCHED_SCHED=./soonest.so ./app
 *
 * Each worker has a list of its own, first in, first out. A version that was measured fewer than HSCHED_LAMBDA times is
 * tried before others are compared with it. A worker without work takes from the others, the nearest first. */
#include <hsched/policy.h>

#include <pthread.h>
#include <stdlib.h>

typedef struct List {
  hsched_task *first, *last; /* Each task's data is the one behind it. */
} List;

typedef struct Soonest {
  const hsched_policy_host *host;
  pthread_mutex_t lock; /* Guards the lists. */
  uint32_t workers;
  List list[];
} Soonest;

static void *start(const hsched_policy_host *host) {
  uint32_t workers = host->workers(host->self);
  Soonest *p = calloc(1, sizeof *p + workers * sizeof(List));
  if (!p)
    return NULL;
  p->host = host;
  p->workers = workers;
  pthread_mutex_init(&p->lock, NULL);
  return p;
}

static void stop(void *self) {
  Soonest *p = self;
  pthread_mutex_destroy(&p->lock);
  free(p);
}

static void push(void *self, hsched_task *task, uint32_t from, int activated) {
  Soonest *p = self;
  const hsched_policy_host *h = p->host;
  hsched_candidate all[256];
  uint32_t n = h->predict(h->self, task, all, 256), best = 0;
  const char *why = "it is predicted to end first there";
  (void)from;
  (void)activated;
  n = n < 256 ? n : 256;
  for (uint32_t i = 1; i < n; ++i)
    if (all[i].end < all[best].end)
      best = i;
  for (uint32_t i = 0; i < n; ++i)
    if (all[i].runs < h->lambda(h->self) && all[i].runs < all[best].runs) {
      best = i;
      why = "this version is to be measured";
    }
  uint32_t worker = n ? all[best].worker : 0;
  if (n)
    h->because(h->self, task, all[best].version, worker, why);
  h->queued(h->self, task, worker, n ? all[best].run : 0);
  h->set_data(task, NULL);
  pthread_mutex_lock(&p->lock);
  List *l = &p->list[worker];
  if (l->last)
    h->set_data(l->last, task);
  else
    l->first = task;
  l->last = task;
  pthread_mutex_unlock(&p->lock);
  for (uint32_t w = 0; w < p->workers; ++w) /* An idle worker may take it. */
    h->wake(h->self, w);
}

/* The fastest version of the first task of a list, if the worker can run that task. */
static int take(Soonest *p, List *l, uint32_t worker, hsched_task **task, uint32_t *version) {
  const hsched_policy_host *h = p->host;
  int found = 0;
  pthread_mutex_lock(&p->lock);
  if (l->first) {
    hsched_candidate all[256];
    uint32_t n = h->predict(h->self, l->first, all, 256);
    double run = 0;
    for (uint32_t i = 0; i < n && i < 256; ++i)
      if (all[i].worker == worker && (!found || all[i].run < run)) {
        *version = all[i].version;
        run = all[i].run;
        found = 1;
      }
    if (n == 0) { /* Nothing can run it any more: its worker will say so. */
      *version = 0;
      found = 1;
    }
  }
  if (found) {
    *task = l->first;
    l->first = h->data(l->first);
    if (!l->first)
      l->last = NULL;
  }
  pthread_mutex_unlock(&p->lock);
  return found;
}

static int pop(void *self, uint32_t worker, hsched_task **task, uint32_t *version) {
  Soonest *p = self;
  return take(p, &p->list[worker], worker, task, version);
}

static int steal(void *self, uint32_t worker, uint32_t victim, hsched_task **task, uint32_t *version) {
  Soonest *p = self;
  return take(p, &p->list[victim], worker, task, version);
}

HSCHED_EXPORT const hsched_policy *hsched_policy_entry(void) {
  static const hsched_policy policy = {.struct_bytes = sizeof policy,
                                       .interface = HSCHED_POLICY_INTERFACE,
                                       .name = "soonest",
                                       .capabilities = HSCHED_POLICY_STEALS | HSCHED_POLICY_CALLS | HSCHED_POLICY_BUNDLES,
                                       .start = start,
                                       .stop = stop,
                                       .push = push,
                                       .pop = pop,
                                       .steal = steal};
  return &policy;
}
