import CStorageInstrument
import Foundation
import StorageContract

/// What a process of the kit does instead of its program. CInstrument calls it before main.
@_cdecl("ci_main_of_child")
func mainOfChild(_ request: UnsafePointer<CChar>) {
  CheckChild.run(String(cString: request))
}

/// The child's side of a check.
enum CheckChild {
  /// The exit code of a process that took longer than it may.
  static let hangStatus: Int32 = 113

  static func run(_ text: String) -> Never {
    let output = ci_take_standard_output()
    func end(_ answer: CheckAnswer) -> Never {
      write(answer, to: output)
      _exit(0)
    }
    guard let request = try? JSONDecoder().decode(CheckRequest.self, from: Data(text.utf8)),
      let check = _typeByName(request.check) as? any ConformanceCheck.Type,
      let type = _typeByName(request.type) as? any StorageBackend.Type,
      let backend = CheckedBackend(type, Options(verbatim: request.options), request.durability)
    else { end(CheckAnswer(violations: ["the process was not told what to check"])) }
    let places = CheckPlaces(directory: request.directory)
    do {
      redirect(places)
      // Before any thread is started.
      if let reason = try mount(check.disk, places) { end(CheckAnswer(unchecked: reason)) }
      chdir(places.current)
      limitTime(request.limit)
      let subject = CheckSubject(backend, places, answerOn: output)
      do {
        try check.steps[request.step](subject)
      } catch {
        subject.violate("unexpected error: \(error)")
      }
      end(CheckAnswer(violations: subject.violations))
    } catch {
      end(CheckAnswer(unchecked: "\(error)"))
    }
  }

  static func write(_ answer: CheckAnswer, to output: Int32) {
    guard let line = try? JSONEncoder().encode(answer) + Data("\n".utf8) else { return }
    _ = line.withUnsafeBytes { ci_write_all(output, $0.baseAddress, UInt64($0.count)) }
  }

  /// What a backend prints goes to files.
  private static func redirect(_ places: CheckPlaces) {
    for (path, descriptor) in [(places.output, Int32(1)), (places.errors, 2)] {
      let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      if file >= 0 {
        dup2(file, descriptor)
        close(file)
      }
    }
  }

  /// - Returns: Why the check cannot be made here, or nil.
  private static func mount(_ disk: CheckDisk, _ places: CheckPlaces) throws -> String? {
    let (size, isNeeded): (UInt64, Bool)
    switch disk {
    case .any: return nil
    case .inMemoryIfPossible(let bytes): (size, isNeeded) = (bytes, false)
    case .own(let bytes): (size, isNeeded) = (bytes, true)
    }
    let error = ci_mount_private(places.root, size)
    if error == 0 {
      try places.make()
    } else if isNeeded {
      return "no file system of its own can be mounted here: \(String(cString: strerror(error)))"
    }
    return nil
  }

  /// Ends the process when it has had its time. Time in which it was stopped, or waited for a processor on a busy machine,
  /// does not count.
  private static func limitTime(_ seconds: Int) {
    Thread.detachNewThread {
      var ticks = 0
      while Double(ticks) / 10 - secondsWaited < Double(seconds) {
        ci_sleep(100_000_000)
        ticks += 1
      }
      _exit(hangStatus)
    }
  }

  /// For how long the main thread was ready to run and did not, see schedstat in proc(5).
  private static var secondsWaited: Double {
    let fields = String(decoding: FileManager.default.contents(atPath: "/proc/self/schedstat") ?? Data(), as: UTF8.self)
      .split(separator: " ")
    return fields.count > 1 ? (Double(fields[1]) ?? 0) / 1e9 : 0
  }
}
