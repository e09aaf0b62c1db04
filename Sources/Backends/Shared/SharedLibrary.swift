import Foundation

/// Shared libraries that are loaded at run time, and their functions. The program can run without these libraries.
final class SharedLibrary: @unchecked Sendable {
  // The class is Sendable because an instance changes only during the initialization of constants.

  private let handles: [UnsafeMutableRawPointer]
  private(set) var isComplete: Bool

  /// Loads shared libraries, which are never unloaded. Each element of `libraries` contains the possible file names of
  /// one library.
  init(_ libraries: [[String]]) {
    handles = libraries.compactMap { $0.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first }
    isComplete = handles.count == libraries.count
  }

  /// Returns a function or constant of the loaded libraries. A missing function is replaced by one that ends the
  /// process.
  func function<Function>(_ name: String) -> Function {
    let missing: @convention(c) () -> Void = { fatalError("a function of a missing library was called") }
    let found = handles.lazy.compactMap { dlsym($0, name) }.first
    if found == nil { isComplete = false }
    return found.map { unsafeBitCast($0, to: Function.self) } ?? unsafeBitCast(missing, to: Function.self)
  }

  /// Returns the path of the loaded or linked library that contains a function, or nil if there is none.
  func file(of function: String) -> String? {
    let address = handles.lazy.compactMap { dlsym($0, function) }.first ?? dlsym(nil, function)
    // Swift does not import dladdr. Its result is four pointers, of which the first is the file's path.
    typealias Find = @convention(c) (UnsafeRawPointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32
    var found = [UnsafePointer<CChar>?](repeating: nil, count: 4)
    guard let address, let find = dlsym(nil, "dladdr").map({ unsafeBitCast($0, to: Find.self) }),
      find(address, &found) != 0
    else { return nil }
    return found[0].map { URL(fileURLWithPath: String(cString: $0)).resolvingSymlinksInPath().path }
  }

  /// The libraries that the program is linked with.
  static let linked = SharedLibrary([])
}
