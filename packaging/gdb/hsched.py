"""Pretty printers of gdb for hsched: tiles, data without a home, sections, tasks and their types.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

In gdb, or in ~/.gdbinit:
  source PREFIX/share/hsched/gdb/hsched.py

Tasks and their types are printed if the runtime has debugging information: a build of type RelWithDebInfo or Debug, or the
package libhsched1-dbgsym of such a build. Tiles, data and sections need only that of the program.
"""
import gdb
import gdb.printing

MODES = {1: "in", 2: "out", 3: "inout", 4: "concurrent", 5: "commutative", 6: "reduction"}
MOST_ROWS = 16


def text(pointer):
    """A C string, or None."""
    return pointer.string() if int(pointer) else None


def atomic(value):
    """What a std::atomic of libstdc++ holds."""
    for field in ("_M_i", "_M_b", "_M_p"):
        try:
            inner = value[field]
            return inner["_M_p"] if field == "_M_b" and inner.type.code == gdb.TYPE_CODE_STRUCT else inner
        except gdb.error:
            continue
    return value


class Tile:
    """hsched::tile<T>: its shape, and its rows."""

    def __init__(self, value):
        self.value = value
        self.rows, self.columns, self.stride = (int(value[f]) for f in ("rows_", "columns_", "stride_"))

    def to_string(self):
        return f"tile of {self.rows} x {self.columns}, rows {self.stride} apart"

    def children(self):
        data = self.value["data_"]
        for r in range(min(self.rows, MOST_ROWS)):
            if self.columns:
                yield f"[{r}]", (data + r * self.stride).dereference().cast(data.type.target().array(self.columns - 1))

    def display_hint(self):
        return "array"


class Datum:
    """hsched::datum<T>. Its elements may be on a device: they are not read."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"datum of {int(self.value['size_'])} elements at {int(self.value['data_']):#x}, without a home"


class Access:
    """hsched_access: a section and what the task does with it."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        base, size, rows, stride, mode = (int(self.value[f]) for f in ("base", "bytes", "rows", "stride", "mode"))
        shape = f"{size} bytes" if rows == 1 else f"{rows} rows of {size} bytes, {stride} apart"
        return f"{MODES.get(mode, mode)} {shape} at {base:#x}"


class TaskType:
    """hsched_task_type."""

    def __init__(self, value):
        self.value = value

    def name(self):
        desc = self.value["Desc"]
        return text(desc.dereference()["name"]) if int(desc) else str(self.value["LinkerName"]).strip('"')

    def to_string(self):
        return f"task type '{self.name()}' with {int(atomic(self.value['NumVersions']))} version(s)"


class Task:
    """hsched_task: number, type, label, priority; its accesses are its children."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        value, type_ = self.value, self.value["Type"]
        name = TaskType(type_.dereference()).name() if int(type_) else "?"
        label = text(value["Label"])
        words = [f"task {int(value['Id'])} '{name}'"]
        if label and label != name:
            words.append(f"label '{label}'")
        if int(value["Priority"]):
            words.append(f"priority {int(value['Priority'])}")
        if int(value["Chosen"]):
            words.append(f"for worker {int(value['ChosenWorker'])}")
        return ", ".join(words)

    def children(self):
        for i in range(int(self.value["NumAccesses"])):
            yield f"[{i}]", self.value["AccessList"][i]

    def display_hint(self):
        return "array"


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("hsched")
    printers.add_printer("tile", r"^hsched::tile<.*>$", Tile)
    printers.add_printer("datum", r"^hsched::datum<.*>$", Datum)
    printers.add_printer("access", r"^hsched_access$", Access)
    printers.add_printer("task type", r"^hsched_task_type$", TaskType)
    printers.add_printer("task", r"^hsched_task$", Task)
    gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)


register()
