// The options of hsched-cc, and those of the host compiler that it must tell from inputs or has a use for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that no row matches are the host compiler's, and take no value. A group says what is done with an option; those
// without one are for the preprocessor or the compiler.
include "llvm/Option/OptParser.td"

def Own : OptionGroup<"own">;               // For hsched-cc alone.
def Stage : OptionGroup<"stage">;           // Chooses the last stage.
def Dependency : OptionGroup<"dependency">; // Written by hsched-cc for files with directives.
def Linker : OptionGroup<"linker">;         // Only passed on if something is linked.
def Question : OptionGroup<"question">;     // Answered by the host compiler.
def OwnWarning : OptionGroup<"own warning">;
def WarningFlag : OptionGroup<"warning">;   // Applies to hsched-cc's warnings too.

class F<string Name> : Flag<["-"], Name>;
class S<string Name> : Separate<["-"], Name>;
class J<string Name> : Joined<["-"], Name>;
class JS<string Name> : JoinedOrSeparate<["-"], Name>;

// --- hsched-cc's own -------------------------------------------------------------------------------------------------

// Driver.cpp has the text of --hsched-help.
foreach Name = ["help", "keep", "check", "explain", "metadata", "launcher"] in
  def Name : Flag<["--"], "hsched-" # Name>, Group<Own>;
foreach Name = ["help", "emit", "metadata", "host", "launcher"] in
  def Name # _EQ : Joined<["--"], "hsched-" # Name # "=">, Group<Own>;
def unknown_own : Joined<["--"], "hsched-">, Group<Own>;
def version : Flag<["--"], "version">, Group<Own>;
foreach Name = ["Whsched", "Wno-hsched", "Werror=hsched", "Wno-error=hsched"] in
  def : J<Name>, Group<OwnWarning>;

// --- The host compiler's ---------------------------------------------------------------------------------------------

def c : F<"c">, Group<Stage>;
def S : F<"S">, Group<Stage>;
def fsyntax_only : F<"fsyntax-only">, Group<Stage>;
def E : F<"E">, Group<Stage>;
def M : F<"M">, Group<Stage>;
def MM : F<"MM">, Group<Stage>;

def MD : F<"MD">, Group<Dependency>;
def MMD : F<"MMD">, Group<Dependency>;
def MP : F<"MP">, Group<Dependency>;
def MG : F<"MG">, Group<Dependency>;
def MF : JS<"MF">, Group<Dependency>;
def MT : JS<"MT">, Group<Dependency>;
def MQ : JS<"MQ">, Group<Dependency>;
def Wp : CommaJoined<["-"], "Wp,">;

def o : JS<"o">;
def x : JS<"x">;
def std_EQ : J<"std=">;
def v : F<"v">;
def dry_run : F<"###">;
def color : F<"fdiagnostics-color">;
def color_EQ : J<"fdiagnostics-color=">;
def no_color : F<"fno-diagnostics-color">;
def : F<"fcolor-diagnostics">, Alias<color>;
def : F<"fno-color-diagnostics">, Alias<no_color>;
def parseable_fixits : F<"fdiagnostics-parseable-fixits">;
foreach Name = ["w", "Werror", "Wno-error", "Wall", "Wno-all"] in
  def : F<Name>, Group<WarningFlag>;

// Options whose value is another word, or may be.
foreach Name = ["Xassembler", "Xpreprocessor", "Xclang", "include-pch", "imultiarch", "aux-info",
                "dumpbase-ext", "dumpbase", "dumpdir", "wrapper", "target", "mllvm", "arch"] in
  def : S<Name>;
foreach Name = ["sysroot", "param"] in
  def : Separate<["--"], Name>;
foreach Name = ["MJ", "include", "imacros", "isystem", "iquote", "idirafter", "iprefix", "iwithprefixbefore",
                "iwithprefix", "isysroot", "imultilib", "I", "D", "U", "A", "B"] in
  def : JS<Name>;

def Xlinker : S<"Xlinker">, Group<Linker>;
def l : JS<"l">, Group<Linker>;
def Wl : CommaJoined<["-"], "Wl,">, Group<Linker>;
def : J<"fuse-ld=">, Group<Linker>;
foreach Name = ["rpath", "soname", "Tbss", "Tdata", "Ttext", "u", "e", "h"] in
  def : S<Name>, Group<Linker>;
foreach Name = ["L", "T", "z"] in
  def : JS<Name>, Group<Linker>;
def r : F<"r">, Group<Linker>;
def nostdlib : F<"nostdlib">, Group<Linker>;
def nodefaultlibs : F<"nodefaultlibs">, Group<Linker>;
def static : F<"static">, Group<Linker>;
def static_pie : F<"static-pie">, Group<Linker>;
foreach Name = ["shared", "static-libgcc", "shared-libgcc", "static-libstdc++", "static-libasan", "static-libtsan",
                "static-libubsan", "rdynamic", "pie", "no-pie", "nostdlib++", "nostartfiles", "nolibc", "s", "symbolic"] in
  def : F<Name>, Group<Linker>;

foreach Name = ["dumpversion", "dumpfullversion", "dumpmachine", "dumpspecs", "help"] in
  def : F<Name>, Group<Question>;
foreach Name = ["help", "target-help"] in
  def : Flag<["--"], Name>, Group<Question>;
foreach Name = ["print-", "help="] in
  def : Joined<["--"], Name>, Group<Question>;
def : J<"print-">, Group<Question>;
