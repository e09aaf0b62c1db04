import Foundation

/// Functions of shared libraries, loaded at run time. If a library is missing, everything else still works.
final class SharedLibrary: @unchecked Sendable {
  // The class is Sendable because it changes only while its one user makes its constants.

  private let handles: [UnsafeMutableRawPointer]
  /// Whether all libraries and all functions that were requested so far have been found.
  private(set) var isComplete: Bool

  /// Loads shared libraries, each by the first of its names that is found. The libraries stay loaded.
  init(_ libraries: [[String]]) {
    handles = libraries.compactMap { $0.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first }
    isComplete = handles.count == libraries.count
  }

  /// Returns a function of the libraries, or the address of a constant. If the function is missing, do not call it.
  func function<Function>(_ name: String) -> Function {
    let missing: @convention(c) () -> Void = { fatalError("a function of a missing library was called") }
    let found = handles.lazy.compactMap { dlsym($0, name) }.first
    if found == nil { isComplete = false }
    return found.map { unsafeBitCast($0, to: Function.self) } ?? unsafeBitCast(missing, to: Function.self)
  }
}
