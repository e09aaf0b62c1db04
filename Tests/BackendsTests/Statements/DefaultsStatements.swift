import Foundation
import StorageContract
import Testing

@testable import StorageBackends
@testable import StorageVerify

/// UserDefaults takes its directory from the environment at the start of a process. Each test therefore runs in a
/// process of the kit, whose suites are in the store's directory.
@Suite struct DefaultsStatements {
  @Test(
    arguments: [
      ("D1 the file lies where it is told to, and nothing beside it", D1.self),
      ("D2 every type comes back; the address of something on the network only in an archive", D2.self),
      ("D3 an object of one's own ends the process", D3.self),
      ("D4 without synchronize nothing is ever saved: not in time, not at the end", D4.self),
      ("D5 the login switch is remembered by the next launch", D5.self),
      ("D6 of five numbers the ring of four keeps the last four", D6.self),
      ("D7 what is removed is gone, and what is absent is nil or false", D7.self),
      ("D8 one value for a key, the last one", D8.self),
      ("D9 a password stands in the file for everybody to read", D9.self),
      ("one key costs the whole file, which is written in place", WrittenInPlace.self),
      (
        "a save that is cut short leaves a torn file: Foundation takes it for an empty one, and the store is damaged",
        TornDefaults.self
      ),
    ] as [(String, any ConformanceCheck.Type)])
  func claims(_ claim: String, _ check: any ConformanceCheck.Type) throws { try expectKept("defaults", [check]) }
}

/// Foundation's functions for values other than data, which the backend does not use.
extension GuardedDefaults {
  fileprivate func set(_ value: Any, forKey key: String) { defaults.set(value, forKey: key) }

  fileprivate func bool(forKey key: String) -> Bool { defaults.bool(forKey: key) }

  fileprivate func url(forKey key: String) -> URL? { defaults.url(forKey: key) }
}

extension CheckSubject {
  fileprivate static let suite = "settings"

  fileprivate func defaults() throws -> GuardedDefaults { try GuardedDefaults(suite: Self.suite) }

  fileprivate func save(_ defaults: GuardedDefaults) { expect(defaults.save(), "synchronize() says no") }
}

struct D1: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    let defaults = try subject.defaults()
    defaults.set("value", forKey: "key")
    subject.save(defaults)
    subject.expect(
      subject.files.map(\.path) == ["\(subject.directories.store)/settings.plist"], "\(subject.files.map(\.path))")
  }
}

struct D2: ConformanceCheck {
  private static let values: [String: any Sendable] = [
    "data": Data([0, 1, 255]), "string": "文字 👩‍👩‍👧‍👦 \0", "int": 18, "double": 1.8, "float": Float(0.5), "bool": true,
    // XML stores whole seconds.
    "date": Date(timeIntervalSinceReferenceDate: 86_400),
    "array": ["a", "b"], "dictionary": ["Name": "n", "blogs": "b"], "number as a text": "2.00",
  ]
  private static let network = "http://example.org/a?b=1#c"

  static let steps: Steps = [
    { subject in
      let defaults = try subject.defaults()
      for (key, value) in values { defaults.set(value, forKey: key) }
      guard let url = URL(string: network) else { return subject.violate("no address") }
      defaults.defaults.set(url, forKey: "network")
      defaults.defaults.set(URL(fileURLWithPath: "/a/file"), forKey: "file")
      let archive = try NSKeyedArchiver.archivedData(withRootObject: url as NSURL, requiringSecureCoding: true)
      defaults.store(archive, forKey: "archive")
      subject.save(defaults)
    },
    { subject in
      let defaults = try subject.defaults()
      for (key, value) in values {
        let found = defaults.object(forKey: key) as? NSObject
        subject.expect(found?.isEqual(value) == true, "\(key) is \(String(describing: found)), not \(value)")
      }
      let archive = defaults.data(forKey: "archive") ?? Data()
      let url = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: archive)
      subject.expect(url?.absoluteString == network, "an archive loses an address")
      subject.expect(defaults.url(forKey: "file")?.path == "/a/file", "the address of a file is lost")
      let wrong = defaults.url(forKey: "network")
      subject.expect(
        wrong?.absoluteString == "file:///a", "Foundation has learnt to keep an address: \(String(describing: wrong))")
    },
  ]
}

struct D3: ConformanceCheck {
  static let steps: Steps = [{ try set($0, Person("p", 1)) }, { try set($0, ["a": [NSObject()]]) }]

  private static func set(_ subject: CheckSubject, _ value: Any) throws {
    let defaults = try subject.defaults()
    subject.die { defaults.set(value, forKey: "key") }
  }
}

struct D4: ConformanceCheck {
  static let steps: Steps = [
    { subject in
      let defaults = try subject.defaults()
      defaults.set("set", forKey: "key")
      let other = UserDefaults(suiteName: CheckSubject.suite)
      subject.expect(other?.string(forKey: "key") == "set", "another instance does not see what was set")
      // In this second, the system may save. The process then ends normally, with Foundation's handlers.
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 1))
    },
    { subject in
      let defaults = try subject.defaults()
      subject.expect(defaults.object(forKey: "key") == nil, "a value is saved at the end of the process")
      defaults.set("set", forKey: "key")
      subject.save(defaults)
      defaults.set("set again", forKey: "key")
      subject.kill()
    },
    { subject in
      let found = try subject.defaults().object(forKey: "key") as? String
      subject.expect(found == "set", "after synchronize and another set there is \(found ?? "nothing")")
    },
  ]
}

struct D5: ConformanceCheck {
  private static let key = "kAutoLoginKey"
  static let steps: Steps = [
    { try turn($0, from: false) }, { try turn($0, from: true) }, { try turn($0, from: false) },
  ]

  private static func turn(_ subject: CheckSubject, from old: Bool) throws {
    let defaults = try subject.defaults()
    subject.expect(defaults.bool(forKey: key) == old, "the switch is \(!old) at the launch")
    defaults.set(!old, forKey: key)
    subject.save(defaults)
    subject.expect(defaults.bool(forKey: key) == !old, "the switch does not turn")
    subject.kill()
  }
}

struct D6: ConformanceCheck {
  private static let key = "array"
  static let steps: Steps = [
    { subject in
      let defaults = try subject.defaults()
      for number in ["1800", "1200", "1803", "1801", "1000"] {
        let ring = (defaults.object(forKey: key) as? [String] ?? []) + [number]
        defaults.set(Array(ring.suffix(4)), forKey: key)
        subject.save(defaults)
      }
    },
    { subject in
      let ring = try subject.defaults().object(forKey: key) as? [String]
      subject.expect(ring == ["1200", "1803", "1801", "1000"], "the ring is \(ring ?? [])")
    },
  ]
}

struct D7: ConformanceCheck {
  static let steps: Steps = [
    { subject in
      let defaults = try subject.defaults()
      defaults.set(true, forKey: "flag")
      defaults.set("text", forKey: "text")
      subject.save(defaults)
      defaults.store(nil, forKey: "flag")
      defaults.store(nil, forKey: "never there")
      isGone(subject, defaults)
      subject.save(defaults)
    },
    { subject in
      let defaults = try subject.defaults()
      isGone(subject, defaults)
      subject.expect(defaults.object(forKey: "text") as? String == "text", "the other key is gone, too")
    },
  ]

  private static func isGone(_ subject: CheckSubject, _ defaults: GuardedDefaults) {
    subject.expect(
      defaults.object(forKey: "flag") == nil && !defaults.bool(forKey: "flag"), "a removed key still has a value")
    subject.expect(
      defaults.data(forKey: "never") == nil && defaults.url(forKey: "never") == nil, "an absent key has a value")
  }
}

struct D8: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    let defaults = try subject.defaults()
    for value: Any in [1, "two", [3], Data([4])] { defaults.set(value, forKey: "key") }
    subject.save(defaults)
    subject.expect(defaults.data(forKey: "key") == Data([4]), "an earlier value comes back")
  }
}

struct D9: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    let defaults = try subject.defaults()
    defaults.set("s3cr3t-passw0rd", forKey: "Account")
    subject.save(defaults)
    let text = FileManager.default.contents(atPath: "\(subject.directories.store)/settings.plist") ?? Data()
    subject.expect(
      String(decoding: text, as: UTF8.self).contains("s3cr3t-passw0rd"), "the file does not show the secret")
  }
}

struct WrittenInPlace: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    let defaults = try subject.defaults()
    for number in 0..<500 { defaults.set("value \(number)", forKey: "key \(number)") }
    subject.save(defaults)
    let file = try inode(subject)
    defaults.set("another", forKey: "key 7")
    let counts = try subject.counting { subject.save(defaults) }
    subject.expect(
      Int(counts.bytes_written) == subject.size, "\(counts.bytes_written) bytes are written of \(subject.size)")
    subject.expect(counts.syncs == 1 && counts.renames == 0, "not one sync, or a rename")
    subject.expect(try inode(subject) == file, "there is another file now")
    let idle = try subject.counting { subject.save(defaults) }
    subject.expect(idle.write_calls == 0, "synchronize writes although nothing has changed")
  }

  private static func inode(_ subject: CheckSubject) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(subject.directories.store)/settings.plist")
    return (attributes[.systemFileNumber] as? NSNumber)?.intValue
  }
}

struct TornDefaults: ConformanceCheck {
  static let steps: Steps = [
    { try DyingSave.write($0) },
    { subject in
      let store = try subject.open()
      // Foundation writes once and stops. With the signal, the result would depend on the bytes that are left to write.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      subject.expectError("a save that is cut short", \.isFull) { try store.commit(DyingSave.new) }
      subject.kill()
    },
    { subject in
      subject.expectError("opening a torn file", \.isDamaged) { try subject.open().close() }
      subject.expect(subject.size == 4_096, "the file has \(subject.size) bytes")
      let defaults = UserDefaults(suiteName: UserDefaultsBackend.suite)
      subject.expect(defaults?.object(forKey: "records.1") == nil, "Foundation has learnt to read a torn file")
      defaults?.set("new", forKey: "key")
      subject.expect(defaults?.synchronize() == true, "Foundation has learnt to refuse a torn file")
      let file = FileManager.default.contents(atPath: subject.environment().path("storage-bench.plist")) ?? Data()
      let keys = try PropertyListSerialization.propertyList(from: file, format: nil) as? [String: Any]
      subject.expect(keys?.count == 1, "\(keys?.count ?? 0) keys are left")
    },
  ]
}
