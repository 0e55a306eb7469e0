"""OpenCL kernels and what connects them, run by hsched-run on all devices, from Python.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    import numpy, hsched_dag as hd

    n = 1 << 20
    x, y = numpy.ones(n, "f4"), numpy.zeros(n, "f4")
    dag = hd.Dag()
    scale = dag.kernel("axpy.cl", "scale", [n], [hd.In(x), hd.Out("float", n), hd.Value("float", 2)])
    add = dag.kernel("axpy.cl", "add", [n], [hd.In(scale[1]), hd.InOut(y)])
    result = dag.run()
    print(result[add[1]], result.seconds)

    result = hd.load("dag.json").run({"scale.0": x}, symbols={"N": n})   # a file of any format that hsched-run reads

Arrays are NumPy's. Without NumPy they are array.array, or anything else with a buffer of one of its types.

    with hd.load("dag.json").open(symbols={"N": n}) as program:           # In this process, for many runs.
        result = program.run({"scale.0": x})

Each run() of a graph is a process of hsched-run, and arrays travel as .npy files in a temporary folder: a kernel that crashes or a driver that
hangs does not take Python with it, and each run has settings of its own. It costs the start of a process and of the OpenCL
driver, some 0.1 to 1 s, and two copies of the data. open() has none of that: it calls libhsched_dag through ctypes, and hands it the
arrays themselves. Devices, queues and policy of the engine are then those of the environment at the first open().
"""
import array
import ast
import ctypes
import ctypes.util
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile

try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["Dag", "Error", "In", "InOut", "Local", "Out", "Program", "Result", "Value", "load"]

# OpenCL C's types as .npy files and Python's array module have them.
TYPES = {"float": ("<f4", "f"), "double": ("<f8", "d"), "char": ("|i1", "b"), "uchar": ("|u1", "B"), "short": ("<i2", "h"),
         "ushort": ("<u2", "H"), "int": ("<i4", "i"), "uint": ("<u4", "I"), "long": ("<i8", "q"), "ulong": ("<u8", "Q"),
         "half": ("<f2", "e")}
MAGIC = b"\x93NUMPY\x01\x00"


class Error(Exception):
    """What hsched-run says is wrong, in one line with file, line and field."""


def _plain(value):
    """What json cannot write: NumPy's arrays and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is neither a number nor an expression")


def _type_of(data):
    """OpenCL C's type of an array's elements."""
    kind = data.dtype.newbyteorder("<").str if numpy is not None and isinstance(data, numpy.ndarray) else None
    code = None if kind else memoryview(data).format.lstrip("<=@")
    if code in ("l", "L"):  # As wide as the machine's.
        code = {8: "q", 4: "i"}[memoryview(data).itemsize] if code == "l" else {8: "Q", 4: "I"}[memoryview(data).itemsize]
    for name, (npy, own) in TYPES.items():
        if kind == npy or code == own:
            return name
    raise TypeError(f"no type of OpenCL C is like {kind or code!r}")


def _save(path, data):
    """Writes an array as NumPy does. Returns how many elements there are."""
    if numpy is not None and not isinstance(data, (array.array, memoryview, bytes, bytearray)):
        whole = numpy.ascontiguousarray(data)
        numpy.save(path, whole.astype(whole.dtype.newbyteorder("<"), copy=False), allow_pickle=False)
        return whole.size
    view = memoryview(data)
    if not view.c_contiguous:
        raise TypeError("an array has to be contiguous")
    shape = "(" + "".join(f"{n}, " for n in view.shape) + ")"
    head = f"{{'descr': '{TYPES[_type_of(data)][0]}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * ((64 - (11 + len(head)) % 64) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(MAGIC + struct.pack("<H", len(head)) + head.encode() + view.tobytes())
    return view.nbytes // view.itemsize


def _read(path):
    """An array that hsched-run has written; without NumPy a flat array.array."""
    if numpy is not None:
        return numpy.load(path, allow_pickle=False)
    raw = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", raw[8:10])[0]
    kind = ast.literal_eval(raw[10:10 + length].decode())["descr"]
    for npy, code in TYPES.values():
        if npy == kind and code != "e":
            return array.array(code, raw[10 + length:])
    return raw[10 + length:]  # Bytes: half and structures.


class _Ref:
    """A kernel's argument: what it leaves there is another kernel's input, or a key of a result."""

    def __init__(self, kernel, position):
        self.kernel, self.position = kernel, position

    def __str__(self):
        return f"{self.kernel.id}.{self.position}"


class Kernel:
    """Of a Dag. kernel[i] is its i-th argument."""

    def __init__(self, id, args):
        self.id, self.args = id, args

    def __getitem__(self, position):
        if not 0 <= position < len(self.args):
            raise IndexError(f"kernel {self.id} has {len(self.args)} arguments")
        return _Ref(self, position)


class In:
    """A buffer that is read: an array, or another kernel's argument."""
    role = "in"

    def __init__(self, data):
        self.data = data


class InOut(In):
    """A buffer that is updated. The array itself stays as it is; the result has the new one."""
    role = "io"


class Out:
    """A buffer that is overwritten."""

    def __init__(self, type, size):
        self.type, self.size = type, size


class Value:
    """An argument that is passed by value; of a vector type, a sequence; of a structure, [["float", 1.5], ["int", 3]]."""

    def __init__(self, type, value):
        self.type, self.value = type, value


class Local:
    """Local memory for a work-group."""

    def __init__(self, type, size):
        self.type, self.size = type, size


class Result:
    """result["add.1"], result["buffer"] or result[add[1]] is an array; results that nobody else reads are there."""

    def __init__(self, report, arrays):
        self.report, self.arrays = report, arrays
        self.seconds = report["seconds"]  # Time of each run.
        self.devices = report["devices"]
        self.placed = report["placed"]  # Device by kernel, where hsched-run chose it.
        self.traffic = report["traffic"]
        self.errors = report["errors"]  # Errors of the results that the file compares.

    def __getitem__(self, key):
        return self.arrays[str(key)]

    def __iter__(self):
        return iter(self.arrays)

    def __len__(self):
        return len(self.arrays)


def _program(given):
    if given:
        return str(given)
    beside = pathlib.Path(__file__).resolve().parents[3] / "bin" / "hsched-run" if len(pathlib.Path(__file__).resolve().parents) > 3 else None
    if beside and beside.exists():
        return str(beside)
    found = shutil.which("hsched-run")
    if not found:
        raise Error("hsched-run is not in PATH; program= says where it is")
    return found


def _execute(program, arguments, environment=None):
    done = subprocess.run([_program(program), *map(str, arguments)], capture_output=True, encoding="utf-8", errors="replace",
                          check=False, env={**os.environ, **(environment or {})})
    if done.returncode:
        lines = [line for line in done.stderr.split("\n") if "error: " in line]
        raise Error(lines[-1].split("error: ", 1)[1] if lines else f"hsched-run ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Dag:
    """A graph of kernels."""

    def __init__(self, graph=None, folder=".", program=None):
        """graph: what a file of hsched's own format has, as a dictionary, whose files are in the folder; else an empty one."""
        self.graph = json.loads(json.dumps(graph)) if graph else {"hsched-dag": 1, "kernels": [], "edges": []}
        self.folder, self.program, self.inputs, self.sources = pathlib.Path(folder).resolve(), program, {}, {}

    def kernel(self, src, name, global_size, args, local_size=None, id=None, device=None, text=None, **more):
        """Adds a launch. src: the file; with text= its content, and src is a name for messages. More: fields of the format, such as
        after=, cost=, options=, macros=. If it raises an exception, the graph is as before."""
        args, known = list(args), {k["id"]: k for k in self.graph["kernels"]}
        if id in known:
            raise ValueError(f"there is a kernel {id} already")
        number = len(known)
        while not id or id in known:
            id, number = f"{name}{number}", number + 1
        fields, made, edges, inputs = [], Kernel(id, args), [], {}
        for position, arg in enumerate(args):
            if isinstance(arg, Value):
                fields.append({"role": "value", "type": arg.type, "value": arg.value})
            elif isinstance(arg, (Out, Local)):
                fields.append({"role": "out" if isinstance(arg, Out) else "local", "type": arg.type, "size": arg.size})
            elif isinstance(arg, In) and isinstance(arg.data, _Ref):
                source = arg.data.kernel
                if source.id not in known:
                    raise ValueError(f"argument {position} of kernel {id} refers to kernel {source.id}, which is not in this graph")
                if not isinstance(source.args[arg.data.position], (In, Out)):
                    raise TypeError(f"argument {position} of kernel {id} refers to {arg.data}, which is no buffer")
                whole = known[source.id]["args"][arg.data.position]
                fields.append({"role": arg.role, "type": whole["type"], "size": whole["size"]})
                edges.append([source.id, arg.data.position, id, position])
            elif isinstance(arg, In):
                inputs[f"{id}.{position}"] = arg.data
                size = arg.data.size if hasattr(arg.data, "size") else memoryview(arg.data).nbytes // memoryview(arg.data).itemsize
                fields.append({"role": arg.role, "type": _type_of(arg.data), "size": int(size)})
            else:
                raise TypeError(f"argument {position} of kernel {id} is not one of In, InOut, Out, Value and Local")
        kernel = {"id": id, "name": name, "src": str(src), "global": list(global_size), **more, "args": fields}
        if local_size is not None:
            kernel["local"] = list(local_size)
        if device is not None:
            kernel["device"] = device
        kernel = json.loads(json.dumps(kernel, default=_plain))
        # Nothing below raises an exception.
        if text is not None:
            self.sources[str(src)] = text
        self.inputs.update(inputs)
        if edges:
            self.graph.setdefault("edges", []).extend(edges)
        self.graph["kernels"].append(kernel)
        return made

    def component(self, *kernels):
        """Kernels that go to one device together."""
        ids = [k.id for k in kernels]
        self.graph.setdefault("components", []).append(ids)

    def run(self, inputs=None, symbols=None, sched=None, devices=None, queues=None, map=None, repeat=1, options=(), environment=None):
        """Runs it in a process of its own and returns a Result. inputs: arrays by "kernel.position" or buffer. The others are
        hsched-run's options: symbols and map as dictionaries, more of them as words in options."""
        with tempfile.TemporaryDirectory(prefix="hsched-dag-") as name:
            work = pathlib.Path(name)
            (work / "dag.json").write_text(json.dumps(self._placed({**self.inputs, **(inputs or {})}, work)))
            words = [f"--{key}={value}" for key, value in (("sched", sched), ("devices", devices), ("queues", queues)) if value is not None]
            for option, pairs, separator in (("-D", symbols, "="), ("--map", map, "=")):
                for key, value in (pairs or {}).items():
                    words += [option, f"{key}{separator}{value}"]
            _execute(self.program, ["--quiet", "--allow-path", f"--repeat={repeat}", f"--output={work / 'results'}",
                                    f"--report={work / 'report.json'}", *words, *options, work / "dag.json"], environment)
            report = json.loads((work / "report.json").read_text())
            given = {str(key): data for key, data in {**self.inputs, **(inputs or {})}.items()}
            return Result(report, {key: _shaped(_read(work / path), given.get(key)) for key, path in report["results"].items()})

    def open(self, symbols=None, sched=None, map=None, repeat=1, check=True, library=None):
        """Reads and checks it in this process and returns a Program. sched: clustering, eager, heft or engine. library: the path of
        libhsched_dag."""
        work = tempfile.TemporaryDirectory(prefix="hsched-dag-")
        path = pathlib.Path(work.name) / "dag.json"
        path.write_text(json.dumps(self._placed({}, path.parent)))
        try:
            return Program(_library(library), path, work, self.inputs, symbols or {}, sched, map or {}, repeat, check)
        except BaseException:
            work.cleanup()
            raise

    def _placed(self, inputs, work):
        """The graph with arrays as its inputs, and files named so that they are found from another folder."""
        graph = json.loads(json.dumps(self.graph))
        for path, text in self.sources.items():
            (work / pathlib.Path(path).name).write_text(text)
        buffers = dict(graph.get("buffers", {}))
        for kernel in graph["kernels"]:
            kernel["src"] = str(work / pathlib.Path(kernel["src"]).name if kernel["src"] in self.sources else self.folder / kernel["src"])
            buffers.update({f"{kernel['id']}.{p}": arg for p, arg in enumerate(kernel["args"]) if arg["role"] in ("in", "out", "io")})
        for buffer in buffers.values():
            for field in ("init", "expect"):
                if isinstance(buffer.get(field), dict):
                    for kind in {"npy", "csv", "raw"} & buffer[field].keys():
                        buffer[field][kind] = str(self.folder / buffer[field][kind])
            if "output" in buffer:
                buffer["output"] = str(self.folder / buffer["output"])
        for number, (key, data) in enumerate(inputs.items()):
            if str(key) not in buffers:
                raise KeyError(f"there is no buffer {key}: kernel.position, or a name among the file's buffers")
            _save(work / f"input{number}.npy", data)
            buffers[str(key)]["init"] = {"npy": str(work / f"input{number}.npy")}
        return graph


class _Settings(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("symbols", ctypes.POINTER(ctypes.c_char_p)), ("devices", ctypes.POINTER(ctypes.c_char_p)),
                ("policy", ctypes.c_char_p), ("output", ctypes.c_char_p), ("most_bytes", ctypes.c_uint64), ("repeat", ctypes.c_uint),
                ("allow_path", ctypes.c_uint), ("no_check", ctypes.c_uint)]


class _Datum(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("name", ctypes.c_char_p), ("numpy", ctypes.c_char_p), ("bytes", ctypes.c_size_t),
                ("input", ctypes.c_uint), ("result", ctypes.c_uint)]


def _library(given):
    """libhsched_dag with its functions' types: hsched/dag_c.h."""
    here = pathlib.Path(__file__).resolve().parents
    found = [str(given)] if given else []
    if not found and len(here) > 3:
        found = sorted(str(p) for folder in ("lib", "lib64", "lib/*-linux-gnu") for p in here[3].glob(f"{folder}/libhsched_dag.so*"))
    name = found[0] if found else ctypes.util.find_library("hsched_dag")
    if not name:
        raise Error("libhsched_dag is not found; library= says where it is")
    try:
        lib = ctypes.CDLL(name)
    except OSError as problem:
        raise Error(str(problem)) from problem
    text, size, handle = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p
    for function, result, arguments in (("open", handle, (text, ctypes.POINTER(_Settings))), ("close", None, (handle,)), ("size", size, (handle,)),
                                        ("describe", ctypes.c_int, (handle, size, ctypes.POINTER(_Datum))),
                                        ("input", ctypes.c_int, (handle, text, ctypes.c_void_p, size)),
                                        ("output", ctypes.c_int, (handle, text, ctypes.c_void_p, size)),
                                        ("run", ctypes.c_int, (handle, ctypes.POINTER(ctypes.c_double), size)),
                                        ("difference", ctypes.c_double, (handle, text)), ("error", text, ())):
        entry = getattr(lib, "hsched_dag_" + function)
        entry.restype, entry.argtypes = result, arguments
    return lib


def _words(pairs):
    return (ctypes.c_char_p * (len(pairs) + 1))(*(f"{key}={value}".encode() for key, value in pairs.items()), None)


class Program:
    """A graph that is read and checked once, and runs in this process. One thread uses it at a time."""

    def __init__(self, lib, path, work, inputs, symbols, sched, map, repeat, check):
        self._lib, self._work, self._inputs, self._repeat = lib, work, dict(inputs), repeat
        how = _Settings(ctypes.sizeof(_Settings), _words(symbols), _words(map), sched.encode() if sched else None, None, 0, repeat, 1, not check)
        self._graph = lib.hsched_dag_open(str(path).encode(), how)
        if not self._graph:
            raise self._problem()
        self.data = {}  # By name: its type as .npy files have it, its bytes, whether it is an input, whether a result.
        for number in range(lib.hsched_dag_size(self._graph)):
            datum = _Datum(ctypes.sizeof(_Datum))
            lib.hsched_dag_describe(self._graph, number, datum)
            self.data[datum.name.decode()] = (datum.numpy.decode(), datum.bytes, bool(datum.input), bool(datum.result))

    def _problem(self):
        return Error(self._lib.hsched_dag_error().decode(errors="replace"))

    def run(self, inputs=None):
        """Runs it and returns a Result. inputs: arrays by "kernel.position" or buffer, for this run and those after it."""
        if not self._graph:
            raise Error("the program is closed")
        given = {**self._inputs, **{str(key): data for key, data in (inputs or {}).items()}}
        kept, arrays = [], {}  # The library reads the arrays during the run.
        for key, data in given.items():
            kept.append(_address(data))
            self._check_type(key, data)
            self._do("input", key.encode(), *kept[-1][:2])
            self._inputs[key] = data  # The library knows its address. An input that is refused is forgotten.
        for name, (kind, size, _, result) in self.data.items():
            if result:
                arrays[name] = _shaped(_empty(kind, size), self._inputs.get(name))
                kept.append(_address(arrays[name]))
                self._do("output", name.encode(), *kept[-1][:2])
        seconds = (ctypes.c_double * self._repeat)()
        self._do("run", seconds, self._repeat)
        errors = {name: self._lib.hsched_dag_difference(self._graph, name.encode()) for name in arrays}
        return Result({"seconds": list(seconds), "devices": [], "placed": {}, "traffic": [],
                       "errors": {name: error for name, error in errors.items() if error >= 0}}, arrays)

    def _check_type(self, key, data):
        """The library sees bytes alone. Bytes of Python may be anything."""
        wanted = self.data.get(key, ("|V",))[0]
        if wanted.startswith("|V") or isinstance(data, (bytes, bytearray, memoryview)):
            return
        if wanted[1:] in ("i1", "u1") and getattr(getattr(data, "dtype", None), "kind", "") == "b":
            return
        name = _type_of(data)
        if TYPES[name][0] != wanted:
            raise Error(f"datum {key!r} has elements of type {wanted!r}, not {TYPES[name][0]!r}")

    def _do(self, function, *arguments):
        if not getattr(self._lib, "hsched_dag_" + function)(self._graph, *arguments):
            raise self._problem()

    def close(self):
        if self._graph:
            self._lib.hsched_dag_close(self._graph)
            self._graph = None
            self._work.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _address(data):
    """(address, bytes, what keeps it alive) of an array, or of a copy in the machine's order without strides."""
    if numpy is not None and not isinstance(data, (array.array, memoryview, bytes, bytearray)):
        whole = numpy.ascontiguousarray(data)
        whole = whole.astype(whole.dtype.newbyteorder("="), copy=False)
        return whole.ctypes.data, whole.nbytes, whole
    view = memoryview(data)
    if not view.c_contiguous:
        raise TypeError("an array has to be contiguous")
    if view.readonly:
        view = memoryview(bytearray(view))
    whole = (ctypes.c_char * view.nbytes).from_buffer(view)
    return ctypes.addressof(whole), view.nbytes, whole


def _shaped(array, like):
    """A result in the shape of the array that it began as."""
    if numpy is None or not isinstance(like, numpy.ndarray) or array.size != like.size:
        return array
    return array.reshape(like.shape)


def _empty(kind, size):
    """An array for a result of so many bytes."""
    if numpy is not None:
        return numpy.empty(size // numpy.dtype(kind).itemsize, kind)
    for npy, code in TYPES.values():
        if npy == kind and code != "e":
            return array.array(code, bytes(size))
    return bytearray(size)


def load(path, program=None, allow_path=False):
    """Reads a file of any format that hsched-run reads."""
    path = pathlib.Path(path).resolve()
    words = ["--allow-path"] if allow_path else []
    return Dag(json.loads(_execute(program, ["--quiet", "--convert", *words, path])), path.parent, program)
