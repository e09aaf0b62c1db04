import CStorageInstrument
import Foundation
import StorageContract

/// One check of one backend: its steps, one process after the other.
struct CheckRun {
  let check: any ConformanceCheck.Type
  let subject: CheckedBackend
  /// Where to make the check's directory, or nil for the temporary directory.
  let directory: String?
  let limit: Int

  /// Runs the check.
  ///
  /// - Throws: `UsageError` if processes cannot be started as they must be.
  func result() throws -> ConformanceResult {
    if let reason = check.exemption(subject) { return result(.notApplicable(reason)) }
    let parent = directory ?? FileManager.default.temporaryDirectory.path
    let places = CheckPlaces(directory: "\(parent)/conformance-\(UUID().uuidString)")
    try places.make()
    defer { try? FileManager.default.removeItem(atPath: places.directory) }
    // What nothing leaves the process of cannot be looked at by another one.
    let steps = subject.level == .volatile ? min(1, check.steps.count) : check.steps.count
    for step in 0..<steps {
      let (answer, ending) = try launch(step, places)
      if let ending { return result(.broken([ending.sentence]), isHanging: ending.isHang) }
      if let reason = answer.unchecked { return result(.unchecked(reason)) }
      if !answer.violations.isEmpty { return result(.broken(answer.violations)) }
    }
    return result(.kept)
  }

  private func result(_ outcome: ConformanceResult.Outcome, isHanging: Bool = false) -> ConformanceResult {
    ConformanceResult(
      backend: subject.name, durability: subject.durability, check: check.id, promise: check.promise,
      outcome: outcome, isHanging: isHanging)
  }

  /// How a process ended otherwise than it should.
  private struct Ending {
    var sentence: String
    var isHang = false
  }

  private func launch(_ step: Int, _ places: CheckPlaces) throws -> (CheckAnswer, Ending?) {
    let environment = ProcessInfo.processInfo.environment
    guard environment[CheckRequest.variable] == nil else {
      throw UsageError(
        "\(CommandLine.arguments[0]) does not contain the conformance kit itself; link Verify statically")
    }
    let request = CheckRequest(
      type: try Self.name(of: subject.type), check: try Self.name(of: check), step: step,
      options: subject.options.description, durability: subject.durability, directory: places.directory, limit: limit)
    let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    // Stores stay below the directory, and a crash does not spend a second printing a backtrace.
    let own = [
      CheckRequest.variable: text, "XDG_CONFIG_HOME": places.store, "HOME": places.home,
      "CFFIXED_USER_HOME": places.home, "TMPDIR": places.temporary, "SWIFT_BACKTRACE": "enable=no",
    ]
    let (status, output) = try Self.start(environment.merging(own) { $1 })
    let last = output.split(separator: UInt8(ascii: "\n")).last ?? Data()
    guard let answer = try? JSONDecoder().decode(CheckAnswer.self, from: last) else {
      return (CheckAnswer(), ending(status, places))
    }
    if answer.isAboutToDie { return (answer, status < 0 ? nil : ending(status, places)) }
    return (answer, status == 0 ? nil : ending(status, places))
  }

  /// The name by which another process finds a type.
  private static func name(of type: Any.Type) throws -> String {
    guard let name = _mangledTypeName(type), _typeByName(name) == type else {
      throw UsageError("\(type) is private, so no other process can find it; make it internal")
    }
    return name
  }

  private func ending(_ status: Int32, _ places: CheckPlaces) -> Ending {
    let errors = String(decoding: FileManager.default.contents(atPath: places.errors) ?? Data(), as: UTF8.self)
    let words = errors.split(whereSeparator: \.isNewline).last.map { ", after: \($0)" } ?? ""
    if status == CheckChild.hangStatus {
      return Ending(sentence: "the process did not end within \(limit) s and was stopped", isHang: true)
    }
    if status >= 0 { return Ending(sentence: "the process ended with exit code \(status) in the middle\(words)") }
    let name = String(cString: strsignal(-status))
    return Ending(sentence: "the process was killed by signal \(-status) (\(name))\(words)")
  }

  /// Starts this executable again and waits for it.
  private static func start(_ environment: [String: String]) throws -> (status: Int32, output: Data) {
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
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
