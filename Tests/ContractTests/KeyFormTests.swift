import Foundation
import StorageContract
import Testing

struct KeyFormTests {
  private static let uuids = KeyForm.allCases.filter { !$0.isOrdered }
  private static let keys: [Int64] =
    Array(0..<2_000) + [.min, -1, .max, 1 << 48, -(1 << 48), 1 << 62] + (0..<62).map { 1 << $0 }

  @Test(arguments: uuids)
  func eachKeyHasItsOwnUUIDAndComesBack(form: KeyForm) throws {
    var seen: Set<[UInt8]> = []
    for key in Set(Self.keys) {
      let bytes = form.withBytes(of: key) { [UInt8]($0) }
      #expect(bytes.count == form.size)
      #expect(seen.insert(bytes).inserted)
      #expect(try bytes.withUnsafeBytes { try form.key($0) } == key)
    }
  }

  @Test(arguments: uuids)
  func theTextIsThatOfFoundation(form: KeyForm) throws {
    for key in Self.keys.prefix(50) {
      let text = form.text(key)
      let uuid = try #require(UUID(uuidString: text))
      #expect(uuid.uuidString == text)
      #expect(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) } == form.inBytes.withBytes(of: key) { [UInt8]($0) })
      // The version and the variant of RFC 9562.
      let isRandom = form == .uuid4 || form == .uuid4Text
      #expect(text.dropFirst(14).first == (isRandom ? "4" : "7"))
      #expect("89AB".contains(try #require(text.dropFirst(19).first)))
      #expect(KeyForm(ofUUID: text) == (isRandom ? .uuid4Text : .uuid7Text))
    }
  }

  @Test func version7IsInTheOrderOfTheKeysAndVersion4IsNot() {
    let keys = Array(0..<Int64(1_000))
    #expect(keys.map(KeyForm.uuid7Text.text).sorted() == keys.map(KeyForm.uuid7Text.text))
    let ascending = zip(keys, keys.dropFirst()).count { KeyForm.uuid4Text.text($0) < KeyForm.uuid4Text.text($1) }
    #expect((400...600).contains(ascending))
  }

  @Test(arguments: uuids)
  func aForeignUUIDIsDamage(form: KeyForm) {
    for bytes in [UUID().uuidString, "", "no UUID", String(repeating: "-", count: 36)].map({ Array($0.utf8) })
      + [Array(repeating: UInt8(0), count: 16), Array(repeating: 0xff, count: 16)]
    {
      #expect(throws: StoreError.self) { try bytes.withUnsafeBytes { try form.key($0) } }
    }
  }
}
