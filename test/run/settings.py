"""Cases of cases.py: settings from the environment that are wrong or misspelt.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import shutil

import cases
from cases import expect, run, sample, warnings


def case_settings():
    saxpy = sample("saxpy")
    result = run(saxpy, HSCHED_SCHED="help")
    expect("versioning" in result.err and "eager" in result.err, "HSCHED_SCHED=help lists no policies", result)
    result = run(saxpy, HSCHED_SCHED="nonsense")
    expect(result.code == 0 and len(warnings(result)) == 1 and "nonsense" in result.err,
           "an unknown policy is not told of in one warning", result)
    result = run(saxpy, HSCHED_WINDOW="many")
    expect(result.code == 0 and len(warnings(result)) == 1 and "HSCHED_WINDOW" in result.err,
           "a malformed number is not told of in one warning", result)
    for variable in ("HSCHED_TRACE", "HSCHED_GRAPH"):
        result = run(saxpy, **{variable: "/nonexistent/folder/file.dot"})
        expect(result.code == 0 and "correct" in result.out and len(warnings(result)) == 1
               and "/nonexistent/folder" in result.err, f"an unwritable {variable} is not told of in one warning", result)
    result = run(saxpy, HSCHED_LOG="silent", OCL_ICD_VENDORS="/nonexistent")
    expect(result.code == 0 and result.err == "", "HSCHED_LOG=silent is not silent", result)


def case_opened_early():
    """OpenCL devices that are opened when the program starts."""
    saxpy = [sample("saxpy"), "--chunk", "262144"]
    wanted = run(*saxpy, HSCHED_OPENCL="0").out
    if not cases.has_opencl():
        return
    folder = cases.OPTIONS.work / "early-cache"
    shutil.rmtree(folder, ignore_errors=True)
    needs = {"HSCHED_VERSIONS": "saxpy:saxpy_cl", "HSCHED_LOG": "debug", "HSCHED_CACHE": str(folder)}
    early = "1 devices were opened early"
    for round in range(3):
        for copy in ("0", "1"):
            result = run(*saxpy, HSCHED_OPENCL_COPY=copy, **needs)
            expect(result.code == 0 and result.out == wanted, "wrong", result)
            expect((early in result.err) == (round + int(copy) > 0), "not opened early in later runs alone", result)
    expect("building saxpy.cl" not in result.err, "the kernel is not taken from the cache", result)
    for when in ("auto", "beside", "first"):
        for selection in ("", "all", "cpu/2"):
            result = run(*saxpy, HSCHED_EARLY="1", **needs, HSCHED_DEVICES=when, HSCHED_OPENCL=selection)
            expect(result.code == 0 and result.out == wanted, "wrong", result)
            expect("devices were opened early" in result.err, "not opened early", result)
    for setting in ({"HSCHED_SIM": "1"}, {"HSCHED_STATS": "1"}, {"HSCHED_NCPU": "1", "HSCHED_PIN": "1"}):
        result = run(*saxpy, HSCHED_EARLY="1", **setting)
        expect(result.code == 0 and result.out == wanted, f"wrong with {setting}", result)
    # An unknown option: the program ends while the driver is being loaded.
    for _ in range(3):
        result = run(saxpy[0], "--nonsense", HSCHED_EARLY="1", HSCHED_CACHE=str(folder))
        expect(result.code == 2, "ends otherwise", result)
    result = run(*saxpy, **needs, HSCHED_EARLY="1", HSCHED_OPENCL="nosuchdevice")
    expect("nosuchdevice" in result.err, "an unknown device is not told of", result)


def case_misspelt_settings():
    saxpy = [sample("saxpy"), "--size", "4096", "--chunk", "1024"]
    hint = "HSCHED_SCHD is not a setting of hsched; did you mean HSCHED_SCHED?"
    result = run(*saxpy, HSCHED_SCHD="eager")
    expect(result.code == 0 and warnings(result) == ["hsched: warning: " + hint], "HSCHED_SCHD gives no warning", result)
    result = run(*saxpy, HSCHED_SCHD="eager", HSCHED_THREADS="2")
    expect(len(warnings(result)) == 2 and "HSCHED_THREADS is not a setting of hsched; see man" in result.err,
           "two names give other than two warnings", result)
    for level in ("error", "silent"):
        result = run(*saxpy, HSCHED_SCHD="eager", HSCHED_LOG=level)
        expect(result.code == 0 and result.err == "", f"HSCHED_LOG={level} does not suppress the warning", result)
    result = run(*saxpy, HSCHED_SCHED="eager", HSCHED_TEST_SEED="1", HSCHED_FUZZ_SECONDS="1", HSCHED_CXX="g++")
    expect(result.code == 0 and not warnings(result), "a known name gives a warning", result)
    # Checked runs start no engine.
    result = run(*saxpy, HSCHED_CHECK="1", HSCHED_CHECK_REPORT="1", HSCHED_OPENCL="0")
    expect(result.err.count("HSCHED_CHECK_REPORT is not a setting of hsched; did you mean HSCHED_CHECK_REPORTS?") == 1,
           "a checked run does not warn once", result)
    for tool, *words in (("hsched-info",), ("hsched-model", "show")):
        result = run(cases.OPTIONS.build / "bin" / tool, *words, HSCHED_MODELS=str(cases.OPTIONS.work / "none.json"), HSCHED_SCHD="1",
                     HSCHED_OPENCL="0")
        expect(result.err.count(hint) == 1, f"{tool} does not warn once", result)
        result = run(cases.OPTIONS.build / "bin" / tool, "--help", HSCHED_SCHD="1")
        expect(result.code == 0 and result.err == "", f"{tool} --help warns", result)
