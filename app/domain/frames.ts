/** Folders of installed packages and of the interpreter's own library. */
const LIBRARY = /[\\/](site-packages|dist-packages|lib[\\/]python\d[\d.]*)[\\/]/;

/**
 * Whether views fold a frame away: code of the runtime, a library or the interpreter, not of the user's program.
 * What has no Python file is C or C++ ("??", "VariableType.cpp") or made up by the interpreter ("<frozen runpy>").
 */
export function isFoldedFrame(_name: string, file: string): boolean {
  return !/\.pyw?$/.test(file) || LIBRARY.test(file);
}
