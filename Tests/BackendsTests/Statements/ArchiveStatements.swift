import Foundation
import StorageContract
import Testing

@testable import StorageBackends
@testable import StorageVerify

private func unarchiver(_ data: Data) throws -> NSKeyedUnarchiver {
  let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
  unarchiver.requiresSecureCoding = true
  unarchiver.decodingFailurePolicy = .setErrorAndReturn
  return unarchiver
}

@Suite struct ArchiveStatements {
  @Test("A1 one simple object in a file")
  func a1() throws {
    try Subject.with(Configuration("archive")) { subject in
      let data = try NSKeyedArchiver.archivedData(withRootObject: "test" as NSString, requiringSecureCoding: true)
      try data.write(to: URL(fileURLWithPath: subject.file), options: .atomic)
      let read = try Data(contentsOf: URL(fileURLWithPath: subject.file))
      #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSString.self, from: read) == "test")
    }
  }

  @Test("A2 several values, each under its key; an absent one is nil or 0, one of another type is an error")
  func a2() throws {
    let data = archive { archiver in
      archiver.encode("jack" as NSString, forKey: "name")
      archiver.encode(18, forKey: "age")
      archiver.encode(1.80, forKey: "height")
    }
    var coder = try unarchiver(data)
    #expect(coder.decodeObject(of: NSString.self, forKey: "name") == "jack")
    #expect(coder.decodeInteger(forKey: "age") == 18)
    #expect(coder.decodeDouble(forKey: "height") == 1.80)
    #expect(coder.decodeInteger(forKey: "weight") == 0 && !coder.containsValue(forKey: "weight"))
    #expect(coder.error == nil)
    coder = try unarchiver(data)
    #expect(coder.decodeObject(of: NSString.self, forKey: "address") == nil)
    coder = try unarchiver(data)
    #expect(coder.decodeObject(of: NSString.self, forKey: "age") == nil)
    #expect(coder.error != nil)
    // Foundation's default policy ends the process.
    try expectKept("archive", [A2.self])
  }

  @Test("A3 an object of a class of one's own")
  func a3() throws {
    let user = Person("linmingjun", 5_788)
    let data = try NSKeyedArchiver.archivedData(withRootObject: user, requiringSecureCoding: true)
    let found = try NSKeyedUnarchiver.unarchivedObject(ofClass: Person.self, from: data)
    #expect(found?.name == "linmingjun" && found?.age == 5_788)
    // A truncated file is an error of Foundation itself.
    #expect {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: Person.self, from: data.prefix(data.count / 2))
    } throws: {
      ($0 as? CocoaError)?.code == .propertyListReadCorrupt
    }
  }

  @Test("A4 an array of objects, archived, as one value in defaults, where it takes four thirds of its bytes")
  func a4() throws { try expectKept("defaults", [A4.self]) }

  @Test("A5 without finishEncoding there is nothing")
  func a5() {
    let data = NSMutableData()
    let archiver = NSKeyedArchiver(forWritingWith: data)
    archiver.encode("value" as NSString, forKey: "key")
    #expect(data.length == 0)
    archiver.finishEncoding()
    #expect(data.length > 100)
  }

  @Test("A6 what is decoded equals what was encoded, one object twice is one object; a cycle ends the process here")
  func a6() throws {
    let (shared, other) = (Person("shared", 1), Person("other", 2))
    let value = NSArray(array: [shared, other, shared, ["k": [1.5, "v", Data([1])] as [Any]] as [String: Any]])
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    let classes: [AnyClass] = [NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSData.self, Person.self]
    let found = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? NSArray)
    #expect(found.isEqual(value))
    #expect(found[0] as AnyObject === found[2] as AnyObject)
    #expect(found[0] as AnyObject !== found[1] as AnyObject)
    try expectKept("archive", [A6.self])
  }

  @Test("A7 the format does not depend on the machine; the order within it is another one each time")
  func a7() throws {
    // Written by another implementation of the format, Python's plistlib: a User with a name and an age.
    let golden = """
      YnBsaXN0MDDUAQIDBAUGFhlZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKkBwgPEFUk\
      bnVsbNMJCgsMDQ5WJGNsYXNzU2FnZVRuYW1lgAMQFIACYlwPZg7SERITFFgkY2xhc3Nlc1okY2xhc3NuYW1lohQVVFVzZXJYTlNP\
      YmplY3TRFxhUcm9vdIABEgABhqAIERskKTJESU9WXWFmaGpscXZ/io2Sm56jpQAAAAAAAAEBAAAAAAAAABoAAAAAAAAAAAAAAAAA\
      AACq
      """
    let coder = try unarchiver(try #require(Data(base64Encoded: golden)))
    coder.setClass(Person.self, forClassName: "User")
    let found = coder.decodeObject(of: Person.self, forKey: NSKeyedArchiveRootObjectKey)
    #expect(found == Person("小明", 20))
    try ArchivedClasses.check(try #require(Data(base64Encoded: golden)), allowing: ["User"], file: "f")
    // Every archive of the object has the same length and decodes to the same object. The order of keys in it varies.
    let person = Person("小明", 20)
    let archives = try (0..<5).map { _ in
      try NSKeyedArchiver.archivedData(withRootObject: person, requiringSecureCoding: true)
    }
    #expect(Set(archives.map(\.count)).count == 1)
    for archive in archives {
      #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: Person.self, from: archive) == person)
    }
  }

  @Test("A8 a subclass encodes what its superclass does, and more")
  func a8() throws {
    let student = Student("小张", 30, school: "第一")
    let data = try NSKeyedArchiver.archivedData(withRootObject: student, requiringSecureCoding: true)
    let found = try NSKeyedUnarchiver.unarchivedObject(ofClass: Student.self, from: data)
    #expect(found?.name == "小张" && found?.age == 30 && found?.school == "第一")
  }

  @Test("A9 a copy is another object: changing it leaves the original alone")
  func a9() throws {
    let original = Person("original", 1)
    let copy = try #require(original.copy() as? Person)
    copy.name = "copy"
    #expect(original.name == "original")
    let data = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
    let decoded = try NSKeyedUnarchiver.unarchivedObject(ofClass: Person.self, from: data)
    decoded?.name = "decoded"
    #expect(original.name == "original" && copy.name == "copy")
  }

  @Test("A10 to add, change or delete one object is to read all and write all")
  func a10() throws { try expectKept("archive", [A10.self], options: "resident=no") }

  @Test("a class that is not allowed ends the process in Foundation; here the store is damaged, and is told so")
  func disallowedClass() throws {
    for options in ["", "secure=no", "root=keys"] {
      try expectKept("archive", [DisallowedClass.self], options: options)
    }
    for intruder in [Person("intruder", 1), NSDictionary(dictionary: ["k": "v"]), NSDate()] as [NSObject] {
      let data = archive { archiver in
        archiver.encode(NSArray(array: [RowData(Tricky.record(1, "one")), intruder]), forKey: "records")
      }
      for codec in Self.codecs {
        let error = #expect(throws: StoreError.self) { try codec.decode(data, ["records"]) }
        let text = "of the class '\(NSStringFromClass(intruder.classForCoder))', which is not allowed"
        #expect(error?.isDamaged == true && error?.description.contains(text) == true)
      }
    }
    // Something else than the record under a record's key.
    for value in [RowData(Tricky.record(2, "two")), "text" as NSString, NSArray(array: ["text"])] as [NSObject] {
      let data = archive { archiver in
        archiver.encode(NSArray(array: ["1"]), forKey: "records/")
        archiver.encode(value, forKey: "records/1")
      }
      for codec in Self.codecs where codec.hasKeys {
        #expect(throws: StoreError.self) { try codec.decode(data, ["records"]) }
      }
    }
  }

  private static let codecs = [true, false].flatMap { isSecure in
    [false, true].map { KeyedArchiveCodec(isSecure: isSecure, hasKeys: $0) }
  }

  /// A collection's name may look like the key of a record.
  @Test("each record under a key of its own takes more bytes, and without secure coding the bytes are the same")
  func recordsUnderKeys() throws {
    let records = (0..<50).map { Tricky.record($0, "name \($0)") }
    let lists = [("a", records), ("a/5", Array(records.prefix(7))), ("a/", [])]
    let sizes = try Self.codecs.map { codec in
      let data = try codec.encode(lists)
      #expect(try codec.decode(data, lists.map(\.0)) == lists.map(\.1))
      return data.count
    }
    #expect(sizes[0] == sizes[2])
    #expect(sizes[1] == sizes[3])
    #expect(sizes[0] < sizes[1])
  }

  /// The archiver looks up each object by hash among those that it has encoded: a dictionary is compared with all
  /// others.
  @Test("dictionaries of one size have one hash here, so records are objects of a class")
  func dictionariesCollide() {
    // All live at the same time: otherwise one may reuse another's address and thus have its hash.
    let dictionaries = (0..<50).map { NSDictionary(dictionary: ["id": $0, "name": "name \($0)"]) }
    #expect(Set(dictionaries.map(\.hash)).count == 1)
    let records = (0..<50).map { RowData(Tricky.record($0, "name \($0)")) }
    #expect(Set(records.map(\.hash)).count == 50)
  }

  @Test("class names are found in archives of any size, and damage does no harm")
  func classNames() throws {
    let records = (0..<300).map { RowData(Tricky.record($0, "name \($0)", payload: Tricky.noise(20))) }
    let data = archive { $0.encode(NSArray(array: records), forKey: "records") }
    let names: Set = ["NSArray", NSStringFromClass(RowData.self)]
    try ArchivedClasses.check(data, allowing: names, file: "f")
    for name in names {
      #expect(throws: StoreError.damaged("f holds an object of the class '\(name)', which is not allowed")) {
        try ArchivedClasses.check(data, allowing: names.subtracting([name]), file: "f")
      }
    }
    var dice = SeededRandom(seed: 3)
    for _ in 0..<3_000 {
      var damaged = data.prefix(Bool.random(using: &dice) ? data.count : Int.random(in: 0...data.count, using: &dice))
      for _ in 0..<3 where !damaged.isEmpty {
        damaged[Int.random(in: 0..<damaged.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
      }
      try? ArchivedClasses.check(damaged, allowing: names, file: "f")
    }
  }
}

/// A person with a text and a number, for archives.
class Person: NSObject, NSSecureCoding, NSCopying {
  class var supportsSecureCoding: Bool { true }
  var name: String
  let age: Int
  /// A reference for a cycle.
  var friend: Person?

  init(_ name: String, _ age: Int) {
    self.name = name
    self.age = age
  }

  required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = name as String
    age = coder.decodeInteger(forKey: "age")
    super.init()
    if coder.containsValue(forKey: "friend") { friend = coder.decodeObject(of: Person.self, forKey: "friend") }
  }

  func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(age, forKey: "age")
    if let friend { coder.encode(friend, forKey: "friend") }
  }

  func copy(with zone: NSZone? = nil) -> Any { Person(name, age) }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Person else { return false }
    return name == other.name && age == other.age
  }

  override var hash: Int { name.hashValue ^ age }
}

/// A subclass with one more text.
final class Student: Person {
  override class var supportsSecureCoding: Bool { true }
  let school: String

  init(_ name: String, _ age: Int, school: String) {
    self.school = school
    super.init(name, age)
  }

  required init?(coder: NSCoder) {
    school = (coder.decodeObject(of: NSString.self, forKey: "school") as String?) ?? ""
    super.init(coder: coder)
  }

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(school as NSString, forKey: "school")
  }
}

struct A2: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive { $0.encode(18, forKey: "age") })
    subject.die { _ = unarchiver.decodeObject(of: NSString.self, forKey: "age") }
  }
}

struct A4: ConformanceCheck {
  static let steps: Steps = [
    { subject in
      let people = NSArray(array: [Person("小明", 20), Person("小张", 30)])
      let archive = try NSKeyedArchiver.archivedData(withRootObject: people, requiringSecureCoding: true)
      let defaults = try GuardedDefaults(suite: "people")
      defaults.store(archive, forKey: "data")
      subject.expect(defaults.save(), "synchronize() says no")
      // Base64 in XML has four characters for three bytes, and white space.
      let factor = Double(subject.size) / Double(archive.count)
      subject.expect(factor > 4.0 / 3 && factor < 3, "the file has \(factor) times the bytes of the archive")
    },
    { subject in
      let data = try GuardedDefaults(suite: "people").data(forKey: "data") ?? Data()
      let classes: [AnyClass] = [NSArray.self, Person.self]
      let people = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? NSArray
      subject.expect(people == [Person("小明", 20), Person("小张", 30)], "other people come back")
    },
  ]
}

struct A6: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    let (one, other) = (Person("one", 1), Person("other", 2))
    (one.friend, other.friend) = (other, one)
    let data = try NSKeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
    try subject.die { _ = try NSKeyedUnarchiver.unarchivedObject(ofClass: Person.self, from: data) }
  }
}

struct A10: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      try store.commit(SampleRecords.filler(0..<60, bytes: 100))
      for change in [Change.put(SampleRecords.record(100)), .put(SampleRecords.record(5)), .delete(7)] {
        let before = subject.size
        let counts = try subject.counting { try store.commit([change]) }
        subject.expect(Int(counts.bytes_read) >= before, "\(counts.bytes_read) bytes are read of \(before)")
        subject.expect(
          Int(counts.bytes_written) == subject.size, "\(counts.bytes_written) bytes are written of \(subject.size)")
      }
      let size = subject.size
      let counts = try subject.counting { _ = try store.record(5, in: .records) }
      subject.expect(Int(counts.bytes_read) >= size, "one record is read by \(counts.bytes_read) bytes of \(size)")
    }
  }
}

struct DisallowedClass: ConformanceCheck {
  static let steps: Steps = [
    { subject in
      let data = archive { $0.encode(NSArray(array: [Person("not a record", 1)]), forKey: "records") }
      try data.write(to: URL(fileURLWithPath: subject.environment().path("store.archive")))
    },
    { subject in
      let data = try Data(contentsOf: URL(fileURLWithPath: subject.environment().path("store.archive")))
      let unarchiver = try unarchiver(data)
      subject.die { _ = unarchiver.decodeObject(of: [NSArray.self, RowData.self], forKey: "records") }
    },
    { subject in
      subject.expectError("opening a store with an object of another class", \.isDamaged) { try subject.open().close() }
    },
  ]
}
