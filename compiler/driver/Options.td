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
foreach Name = ["w", "Wall"] in
  def Name : F<Name>, Group<WarningFlag>;
foreach Name = ["Werror", "Wno-error", "Wno-all"] in
  def : F<Name>, Group<WarningFlag>;
foreach Name = ["ansi", "trigraphs", "nostdinc"] in
  def Name : F<Name>;

// Options whose value is another word, or may be.
foreach Name = ["Xpreprocessor", "Xclang", "include-pch", "imultiarch", "aux-info",
                "dumpbase-ext", "dumpbase", "dumpdir", "wrapper", "target", "mllvm", "arch", "specs"] in
  def : S<Name>;
foreach Name = ["sysroot", "param"] in
  def : Separate<["--"], Name>;
def Xassembler : S<"Xassembler">;
foreach Name = ["MJ", "isystem", "iquote", "isysroot", "imultilib"] in
  def : JS<Name>;
foreach Name = ["include", "imacros", "idirafter", "iprefix", "iwithprefixbefore", "iwithprefix", "I", "D", "U", "A",
                "B"] in
  def Name : JS<Name>;

def Xlinker : S<"Xlinker">, Group<Linker>;
def l : JS<"l">, Group<Linker>;
def Wl : CommaJoined<["-"], "Wl,">, Group<Linker>;
def : J<"fuse-ld=">, Group<Linker>;
foreach Name = ["rpath", "soname", "Tbss", "Tdata", "Ttext", "h"] in
  def : S<Name>, Group<Linker>;
foreach Name = ["u", "e"] in
  def Name : S<Name>, Group<Linker>;
def L : JS<"L">, Group<Linker>;
foreach Name = ["R", "T", "z"] in
  def : JS<Name>, Group<Linker>;
def r : F<"r">, Group<Linker>;
def nostdlib : F<"nostdlib">, Group<Linker>;
def nodefaultlibs : F<"nodefaultlibs">, Group<Linker>;
def static : F<"static">, Group<Linker>;
def static_pie : F<"static-pie">, Group<Linker>;
foreach Name = ["shared", "pie", "symbolic"] in
  def Name : F<Name>, Group<Linker>;
foreach Name = ["static-libgcc", "shared-libgcc", "static-libstdc++", "static-libasan", "static-libtsan",
                "static-libubsan", "rdynamic", "no-pie", "nostdlib++", "nostartfiles", "nolibc", "s"] in
  def : F<Name>, Group<Linker>;

foreach Name = ["dumpversion", "dumpfullversion", "dumpmachine", "dumpspecs", "help"] in
  def : F<Name>, Group<Question>;
foreach Name = ["help", "target-help"] in
  def : Flag<["--"], Name>, Group<Question>;
foreach Name = ["print-", "help="] in
  def : Joined<["--"], Name>, Group<Question>;
def : J<"print-">, Group<Question>;

// --- GCC's long spellings, which are passed on as the short ones -----------------------------------------------------

class LongFlag<string Name, Option Of> : Flag<["--"], Name>, Alias<Of>;
def : LongFlag<"all-warnings", Wall>;
def : LongFlag<"ansi", ansi>;
def : LongFlag<"assemble", S>;
def : LongFlag<"compile", c>;
def : LongFlag<"dependencies", M>;
def : LongFlag<"no-standard-includes", nostdinc>;
def : LongFlag<"no-standard-libraries", nostdlib>;
def : LongFlag<"no-warnings", w>;
def : LongFlag<"pie", pie>;
def : LongFlag<"preprocess", E>;
def : LongFlag<"print-missing-file-dependencies", MG>;
def : LongFlag<"shared", shared>;
def : LongFlag<"static", static>;
def : LongFlag<"symbolic", symbolic>;
def : LongFlag<"trigraphs", trigraphs>;
def : LongFlag<"user-dependencies", MM>;
def : LongFlag<"verbose", v>;
def : LongFlag<"write-dependencies", MD>;
def : LongFlag<"write-user-dependencies", MMD>;

multiclass Long<string Name, Option Of> {
  def : Separate<["--"], Name>, Alias<Of>;
  def : Joined<["--"], Name # "=">, Alias<Of>;
}
defm : Long<"assert", A>;
defm : Long<"define-macro", D>;
defm : Long<"entry", e>;
defm : Long<"for-assembler", Xassembler>;
defm : Long<"for-linker", Xlinker>;
defm : Long<"force-link", u>;
defm : Long<"imacros", imacros>;
defm : Long<"include", !cast<Option>("include")>;
defm : Long<"include-directory", I>;
defm : Long<"include-directory-after", idirafter>;
defm : Long<"include-prefix", iprefix>;
defm : Long<"include-with-prefix", iwithprefix>;
defm : Long<"include-with-prefix-before", iwithprefixbefore>;
defm : Long<"language", x>;
defm : Long<"library-directory", L>;
defm : Long<"output", o>;
defm : Long<"prefix", B>;
defm : Long<"std", std_EQ>;
defm : Long<"undefine-macro", U>;
