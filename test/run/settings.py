"""Cases of cases.py: settings from the environment that are wrong or misspelt.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
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
