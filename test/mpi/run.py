"""Messages of OpenMPI as detached tasks: several ranks on this machine.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import shutil
import subprocess
import sys


def flags(what):
    return subprocess.run(["mpicxx", "--showme:" + what], check=True, capture_output=True, text=True).stdout.split()


def main():
    compiler, source, work = sys.argv[1:4]
    for tool in ("mpicxx", "mpirun"):
        if not shutil.which(tool):
            print(f"skipped: {tool} was not found; Debian has it in openmpi-bin and libopenmpi-dev")
            return 77
    try:
        compile_flags, link_flags = flags("compile"), flags("link")
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"skipped: mpicxx is not OpenMPI's ({error})")
        return 77
    os.makedirs(work, exist_ok=True)
    program = str(pathlib.Path(work) / "ring")
    subprocess.run([compiler, "-std=c++20", "-O2", "-Wno-hsched-unnamed", source, "-o", program, *compile_flags, *link_flags], check=True)
    # Nothing but this machine's memory and its loopback device.
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader",
               "--mca", "oob_tcp_if_include", "lo", "--mca", "plm_rsh_agent", ""]
    for ranks, workers in ((1, 2), (2, 1), (3, 2)):
        environment = dict(os.environ, HSCHED_NCPU=str(workers), HSCHED_OPENCL="0",
                           OMPI_MCA_rmaps_base_oversubscribe="1")
        ran = subprocess.run([*command, "-np", str(ranks), program], env=environment, text=True, timeout=120,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"{ranks} ranks with {workers} workers each: {ran.stdout.strip()}")
        if ran.returncode == 77:
            return 77
        if ran.returncode or f"{ranks} ranks agree" not in ran.stdout:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
