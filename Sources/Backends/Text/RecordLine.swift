import Foundation
import StorageContract

/// A record as a line of text: collection, key, score, modification time, group, name and Base64 payload, separated by
/// tabs.
enum RecordLine {
  static func append(_ record: Record, in collection: String, to line: inout [UInt8]) {
    append(key: record.id, in: collection, to: &line)
    for number in [record.score.description, record.modified.description] {
      line.append(tab)
      line += number.utf8
    }
    for text in [record.group, record.name] {
      line.append(tab)
      append(text, to: &line)
    }
    line.append(tab)
    line += Data(record.payload).base64EncodedData()
  }

  static func append(key: Int64, in collection: String, to line: inout [UInt8]) {
    append(collection, to: &line)
    line.append(tab)
    line += String(key).utf8
  }

  static func record(_ line: Slice<UnsafeRawBufferPointer>) -> (collection: String, record: Record)? {
    let fields = line.split(separator: tab, omittingEmptySubsequences: false)
    guard fields.count == 7, let collection = text(fields[0]), let id = Int64(ascii(fields[1])),
      let score = Double(ascii(fields[2])), let modified = Double(ascii(fields[3])), let group = text(fields[4]),
      let name = text(fields[5]), let payload = Data(base64Encoded: Data(fields[6]))
    else { return nil }
    return (
      collection,
      Record(id: id, name: name, group: group, score: score, modified: modified, payload: [UInt8](payload))
    )
  }

  static func key(_ line: Slice<UnsafeRawBufferPointer>) -> (collection: String, key: Int64)? {
    let fields = line.split(separator: tab, omittingEmptySubsequences: false)
    guard fields.count == 2, let collection = text(fields[0]), let key = Int64(ascii(fields[1])) else { return nil }
    return (collection, key)
  }

  private static let tab = UInt8(ascii: "\t")
  private static let backslash = UInt8(ascii: "\\")
  private static let escapes: [(letter: UInt8, byte: UInt8)] = [
    (backslash, backslash), (UInt8(ascii: "t"), tab), (UInt8(ascii: "n"), UInt8(ascii: "\n")),
    (UInt8(ascii: "r"), UInt8(ascii: "\r")), (UInt8(ascii: "0"), 0),
  ]

  private static func append(_ text: String, to line: inout [UInt8]) {
    for byte in text.utf8 {
      if byte <= 13 || byte == backslash, let escape = escapes.first(where: { $0.byte == byte }) {
        line += [backslash, escape.letter]
      } else {
        line.append(byte)
      }
    }
  }

  private static func ascii(_ field: Slice<UnsafeRawBufferPointer>) -> String { String(decoding: field, as: UTF8.self) }

  private static func text(_ field: Slice<UnsafeRawBufferPointer>) -> String? {
    guard field.contains(backslash) else { return String(validating: field, as: UTF8.self) }
    var bytes: [UInt8] = []
    var rest = field.makeIterator()
    while let byte = rest.next() {
      guard byte == backslash else {
        bytes.append(byte)
        continue
      }
      guard let letter = rest.next(), let escape = escapes.first(where: { $0.letter == letter }) else { return nil }
      bytes.append(escape.byte)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// The codec of a text file of records, which has a header line and then one line for each record.
struct TextFileCodec: WholeFileCodec {
  private static let header = "records 1"
  var file = "store.txt"
  let settings = ""

  func encode(_ collections: [(name: String, records: [Record])]) -> Data {
    var bytes = Array("\(Self.header)\n".utf8)
    for (name, records) in collections {
      for record in records {
        RecordLine.append(record, in: name, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      }
    }
    return Data(bytes)
  }

  func decode(_ data: Data, _ names: [String]) throws -> [[Record]] {
    var lists: [[Record]] = Array(repeating: [], count: names.count)
    let indices = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    try data.withUnsafeBytes { bytes in
      var lines = bytes[...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      // The last line also ends with a line feed, so that a truncated file is detected.
      guard lines.popLast()?.isEmpty == true, let first = lines.first, first.elementsEqual(Self.header.utf8) else {
        throw StoreError.damaged("\(file) is not a text file of records, or was cut short")
      }
      for (number, line) in lines.enumerated().dropFirst() {
        guard let (collection, record) = RecordLine.record(line) else {
          throw StoreError.damaged("\(file), line \(number + 1) is not a record")
        }
        guard let index = indices[collection] else { throw WholeFile.unnamed(collection, in: file) }
        lists[index].append(record)
      }
    }
    return lists
  }
}
