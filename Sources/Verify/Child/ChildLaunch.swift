import CStorageInstrument
import Foundation
import StorageContract

/// A launch of a child process by its parent. The child is the same executable, and runs one task.
struct ChildLaunch {
  let directories: ChildDirectories
  /// The timeout of the child process, in seconds.
  let limit: Int
  var environment: [String: String] = [:]

  struct Ending {
    var how: SpawnedProcess.Ending
    var output: Data
    /// The end of the child process as a text, such as `the process was killed by signal 9 (Killed)`.
    var sentence: String
    var isHang: Bool { how == ChildProcess.hang }
    /// The reason why the child process could not run its task; nil if it ran the task.
    var obstacle: String? { answer(ChildObstacle.self)?.obstacle }

    func answer<Answer: Decodable>(_ type: Answer.Type) -> Answer? { SpawnedProcess.answer(type, in: output) }
  }

  func perform(_ task: some ChildTask) throws -> Ending {
    guard ProcessInfo.processInfo.environment[ChildRequest.variable] == nil else {
      throw UsageError(
        "\(CommandLine.arguments[0]) loads the conformance kit as a shared library, so its child processes cannot find it; "
          + "link the target StorageVerify statically")
    }
    let request = ChildRequest(
      type: try Self.name(of: type(of: task)), task: try JSONEncoder().text(task), directory: directories.directory,
      limit: limit)
    // The variables keep stores below the directory and suppress Swift's backtrace of a crash, which takes a second.
    let own = [
      ChildRequest.variable: try JSONEncoder().text(request), "XDG_CONFIG_HOME": directories.store,
      "HOME": directories.home, "CFFIXED_USER_HOME": directories.home, "TMPDIR": directories.temporary,
      "SWIFT_BACKTRACE": "enable=no", EngineDirectory.variable: EngineDirectory.path,
    ]
    guard let executable = SpawnedProcess.ownExecutable else {
      throw UsageError("the path of this executable cannot be read, so no child process can be started; mount procfs")
    }
    do {
      let process = try SpawnedProcess([executable], environment: environment.merging(own) { $1 })
      let output = try process.readAll().output
      let how = process.wait()
      return Ending(how: how, output: output, sentence: sentence(how))
    } catch let error as SpawnedProcess.StartError {
      throw UsageError(
        "\(executable) cannot be started as a child process: \(error.reason); check that the file still exists and can be executed"
      )
    }
  }

  /// Returns the mangled name of a type, by which a child process finds the type. Throws `UsageError` for a private
  /// type.
  static func name(of type: Any.Type) throws -> String {
    guard let name = _mangledTypeName(type), _typeByName(name) == type else {
      throw UsageError(
        "the type \(type) is private or lies in a function, so no child process can find it; "
          + "make it internal, and declare it outside of functions")
    }
    return name
  }

  private func sentence(_ how: SpawnedProcess.Ending) -> String {
    let errors = String(decoding: FileManager.default.contents(atPath: directories.errors) ?? Data(), as: UTF8.self)
    let lines = errors.split(whereSeparator: \.isNewline)
    let line = lines.last { $0.contains("Fatal error") } ?? lines.last
    let words = line.map { ", after: \($0)" } ?? ""
    switch how {
    case ChildProcess.hang: return "the process did not end within \(limit) s and was stopped"
    case .exited(let code): return "the process ended with exit code \(code) in the middle\(words)"
    case .killed(let signal):
      return "the process was killed by signal \(signal) (\(String(cString: strsignal(signal))))\(words)"
    }
  }
}

extension SpawnedProcess {
  package static var ownExecutable: String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = Int(ci_executable_path(&buffer, UInt64(buffer.count)))
    return length > 0 ? String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }
}
