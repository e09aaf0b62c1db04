import CStorageInstrument
import Foundation
import StorageContract

/// A process that does one task, as the process that starts it sees it: this executable, started again.
struct ChildLaunch {
  let places: ChildPlaces
  /// Seconds that it may take.
  let limit: Int
  /// Variables of its environment beside this process's own.
  var environment: [String: String] = [:]

  /// How the process ended.
  struct Ending {
    /// Its exit code, or minus the signal that killed it.
    var status: Int32
    /// The last line that it answered.
    var answer: Data
    /// What to say of it where it should not have ended this way.
    var sentence: String
    /// Whether it took longer than it may.
    var isHang: Bool
  }

  /// Starts the process and waits for it.
  ///
  /// - Throws: `UsageError` if it cannot be started as it must be.
  func perform(_ task: some ChildTask) throws -> Ending {
    let inherited = ProcessInfo.processInfo.environment
    guard inherited[ChildRequest.variable] == nil else {
      throw UsageError(
        "\(CommandLine.arguments[0]) does not contain the conformance kit itself; link Verify statically")
    }
    let request = ChildRequest(
      type: try Self.name(of: type(of: task)), task: try Self.json(task), directory: places.directory, limit: limit)
    // Stores stay below the directory, and a crash does not spend a second printing a backtrace.
    let own = [
      ChildRequest.variable: try Self.json(request), "XDG_CONFIG_HOME": places.store, "HOME": places.home,
      "CFFIXED_USER_HOME": places.home, "TMPDIR": places.temporary, "SWIFT_BACKTRACE": "enable=no",
    ]
    let (status, output) = try Self.start(inherited.merging(environment) { $1 }.merging(own) { $1 })
    return Ending(
      status: status, answer: output.split(separator: UInt8(ascii: "\n")).last ?? Data(), sentence: sentence(status),
      isHang: status == ChildProcess.hangStatus)
  }

  /// The name by which another process finds a type.
  ///
  /// - Throws: `UsageError` for a private type.
  static func name(of type: Any.Type) throws -> String {
    guard let name = _mangledTypeName(type), _typeByName(name) == type else {
      throw UsageError("\(type) is private, so no other process can find it; make it internal")
    }
    return name
  }

  private static func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  private func sentence(_ status: Int32) -> String {
    let errors = String(decoding: FileManager.default.contents(atPath: places.errors) ?? Data(), as: UTF8.self)
    let lines = errors.split(whereSeparator: \.isNewline)
    // What Swift says when it gives up stands before the list of calls.
    let line = lines.last { $0.contains("Fatal error") } ?? lines.last
    let words = line.map { ", after: \($0)" } ?? ""
    if status == ChildProcess.hangStatus { return "the process did not end within \(limit) s and was stopped" }
    if status >= 0 { return "the process ended with exit code \(status) in the middle\(words)" }
    return "the process was killed by signal \(-status) (\(String(cString: strsignal(-status))))\(words)"
  }

  /// Starts this executable again and waits for it.
  private static func start(_ environment: [String: String]) throws -> (status: Int32, output: Data) {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = Int(ci_executable_path(&buffer, UInt64(buffer.count)))
    guard length > 0 else {
      throw UsageError("the path of this executable cannot be found out, so that it cannot be started again")
    }
    let executable = String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    func pointers(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
    let arguments = pointers([executable])
    let variables = pointers(environment.map { "\($0)=\($1)" })
    defer { (arguments + variables).forEach { free($0) } }
    var output: Int32 = -1
    let process = ci_spawn(arguments, variables, &output)
    guard process > 0 else {
      throw UsageError("\(executable) cannot be started again: \(String(cString: strerror(-process)))")
    }
    let handle = FileHandle(fileDescriptor: output, closeOnDealloc: true)
    let data = handle.readDataToEndOfFile()
    return (ci_wait(process), data)
  }
}
