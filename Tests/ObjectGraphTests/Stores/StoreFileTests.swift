import Foundation
import ObjectGraph
import TestSupport
import Synchronization
import Testing

/// Semantic 20: the files that are written whole.
@Suite struct StoreFileTests {
  private static let types: [StoreType] = [.binary, .xml]

  /// Adds a student in another session.
  private func add(_ history: StoreHistory) throws {
    try history.open(School.entities) { _ = try $0.savedStudent("S99") }
  }

  @Test("20: the temporary file of a killed process is replaced", arguments: types)
  func leftover(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    try Data(count: 100_000).write(to: history.directory.appendingPathComponent(".store.db.new"))
    try add(history)
    #expect(try history.bytes().keys.sorted() == ["store.db"])
    #expect(try history.studentCount() == 12)
  }

  @Test("20: while another process saves, a save waits", arguments: types)
  func locked(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    let directory = open(history.directory.path, O_RDONLY)
    defer { close(directory) }
    try #require(directory >= 0 && flock(directory, LOCK_EX) == 0)
    let isFree = Mutex(false)
    Thread.detachNewThread {
      usleep(100_000)
      isFree.withLock { $0 = true }
      flock(directory, LOCK_UN)
    }
    try add(history)
    #expect(isFree.withLock { $0 })
    #expect(try history.studentCount() == 12)
  }

  @Test("20: a link stays a link, and the file's permissions stay", arguments: types)
  func links(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    let files = FileManager.default
    let elsewhere = history.directory.appendingPathComponent("elsewhere")
    try files.createDirectory(at: elsewhere, withIntermediateDirectories: false)
    let target = elsewhere.appendingPathComponent("real.db")
    try files.moveItem(at: history.url, to: target)
    try files.createSymbolicLink(at: history.url, withDestinationURL: target)
    try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target.path)
    let before = try Data(contentsOf: target)
    try add(history)
    #expect(try files.destinationOfSymbolicLink(atPath: history.url.path) == target.path)
    #expect(try Data(contentsOf: target) != before)
    #expect(try files.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int == 0o640)
    #expect(try files.contentsOfDirectory(atPath: elsewhere.path) == ["real.db"])
  }

  @Test("20: the same graph is the same bytes", arguments: types)
  func deterministic(_ type: StoreType) throws {
    let first = try StoreHistory.school(type)
    let second = try first.copy()
    for history in [first, second] {
      try history.edit { context in
        for number in 0..<50 { _ = try context.student("T\(number)") }
        for student in try context.fetch(FetchRequest<Student>()) { student.courses = [] }
      }
    }
    #expect(try Data(contentsOf: first.url) == Data(contentsOf: second.url))
  }

  private static let strace = "/usr/bin/strace"

  private static let canTrace = (try? runProgram([strace, "-o", "/dev/null", "true"]).status) == 0

  @Test(
    "20: the new file is on the disk before it takes the old one's place, and if asked for, the directory after it",
    .enabled(if: canTrace, "strace cannot be used here"), arguments: ["binary", "binary-full", "xml", "xml-full"])
  func order(_ kind: String) throws {
    let history = try StoreHistory.school(kind.hasPrefix("xml") ? .xml : .binary)
    let trace = history.directory.appendingPathComponent("trace")
    let calls = "openat,write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,ftruncate,unlink"
    let tracer = [Self.strace, "-f", "-y", "-s", "0", "-o", trace.path, "-e", "trace=\(calls)"]
    let child = try Child("graph-child", [kind, history.url.path, "change", "S1", "changed"], under: tracer)
    #expect(child.finish().status == 0)
    let directory = history.url.deletingLastPathComponent().path
    var steps: [String] = []
    for line in try String(contentsOf: trace, encoding: .utf8).split(separator: "\n") where line.contains(directory) {
      guard let call = line.firstMatch(of: /([a-z0-9]+)\(/)?.output.1 else { continue }
      let file =
        line.contains("store.db.new") ? "new file" : line.contains("store.db") ? "old file" : "directory"
      // The counters of the child make the call in another form.
      let step = "\(call.hasPrefix("rename") ? "rename" : String(call)) \(file)"
      if steps.last != step { steps.append(step) }
    }
    let end = kind.hasSuffix("full") ? ["fsync directory"] : []
    #expect(
      steps == [
        "openat old file", "openat directory", "openat old file", "openat new file", "write new file", "fsync new file",
        "rename new file",
      ] + end)
    #expect(try history.graph().objects["Students/1"]?["studentDes"] == "'changed'")
  }

  // MARK: - Property lists

  /// The tables in the file, as any reader of property lists finds them.
  private func tables(_ history: StoreHistory) throws -> [[String: Any]] {
    var format = PropertyListSerialization.PropertyListFormat.openStep
    let root = try PropertyListSerialization.propertyList(from: Data(contentsOf: history.url), format: &format)
    #expect(format == (history.type == .xml ? .xml : .binary))
    return try #require((root as? [String: Any])?["tables"] as? [[String: Any]])
  }

  @Test("20: a binary and an XML store are the same property list to everybody", arguments: types)
  func propertyList(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    let names = ["<Ada> & \"O'Brien\" 日本 😀\n\t]]>"] + (2...11).map { "Student \($0)" }
    try history.edit { context in
      let students = try context.fetch(FetchRequest<Student>())
      students[0].studentName = names[0]
      for (index, student) in students.enumerated() {
        student.studentDes = index == 1 ? nil : index == 2 ? "not\0in XML" : "text"
      }
    }
    #expect(try tables(history).map { ($0["keys"] as? [Int])?.count } == [3, 4, 11, 11])
    let columns = try #require(try tables(history)[3]["columns"] as? [[String: [Any]]])
    #expect(columns.contains { $0["texts"] as? [String] == names && $0["rows"] == nil })
    let texts = try #require(columns.first { $0["bytes"] != nil })
    #expect(texts["rows"] as? [Int] == [0] + (2..<11))
    #expect((texts["bytes"] as? [Data])?.contains(Data("not\0in XML".utf8)) == true)
  }
}
