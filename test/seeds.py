"""Seeds of randomised tests, from the command line: --seed N, as often as wanted, and --random-seed, which HSCHED_TEST_SEED
names. Seeds that found something are kept in seeds.txt.

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


def try_all(test, options, try_seed):
    """The exit code of a test that tries all chosen seeds; says how a seed that fails is kept."""
    failed = [seed for seed in chosen(options) if not try_seed(seed, options)]
    for seed in failed:
        print(f"to try this seed in every run, add to test/seeds.txt: {test} {seed} what it found")
    return 1 if failed else 0
