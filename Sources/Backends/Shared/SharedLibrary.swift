import Foundation

/// Functions of shared libraries that are loaded at run time, so that everything else works without the libraries.
final class SharedLibrary: @unchecked Sendable {
  // Sendable because it changes only while the one user makes its constants.

  private let handles: [UnsafeMutableRawPointer]
  /// Whether every library and every function asked for so far was found.
  private(set) var isComplete: Bool

  /// Loads libraries, of each the first name that is found. They stay loaded.
  init(_ libraries: [[String]]) {
    handles = libraries.compactMap { $0.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first }
    isComplete = handles.count == libraries.count
  }

  /// Returns a function, or the address of a constant. Something else stands for a missing one, which must not be used.
  func function<Function>(_ name: String) -> Function {
    let missing: @convention(c) () -> Void = { fatalError("a function of a missing library was called") }
    let found = handles.lazy.compactMap { dlsym($0, name) }.first
    if found == nil { isComplete = false }
    return found.map { unsafeBitCast($0, to: Function.self) } ?? unsafeBitCast(missing, to: Function.self)
  }
}
