"""Seeds of randomised tests, from the command line: --seed N, as often as wanted, and --random-seed, which HSCHED_TEST_SEED
names.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import random


def add_options(parser):
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--random-seed", action="store_true")


def chosen(options):
    if not options.random_seed:
        return options.seed
    given = os.environ.get("HSCHED_TEST_SEED")
    return options.seed + [int(given) if given else random.SystemRandom().randrange(1 << 31)]
