import StorageContract

/// The user's records, in which values that the backend cannot store exactly are replaced, such as -0 by 0.
public struct KeptRecords: Sendable {
  /// The user's records after the replacement of values that the backend cannot store exactly.
  public let records: any RecordSource
  /// A note for the report about the replaced values, such as `0 stored for -0 in 3 fields`. Nil if none was replaced.
  public let note: String?

  /// Copies `source`, and replaces the values that a backend with the given deviations cannot store exactly.
  public init(_ source: any RecordSource, despite deviations: [Deviation]) {
    let promises = Set(deviations.map(\.promise))
    let losesZeros = promises.contains(.minusZero) || promises.contains(.equalZeros)
    let losesTexts = promises.contains(.equalTexts)
    let cutsTexts = promises.contains(.cutTexts)
    guard losesZeros || losesTexts || cutsTexts else {
      (records, note) = (source, nil)
      return
    }
    var (zeros, texts, cuts) = (0, 0, 0)
    // Keys of type `String` are compared by canonical equivalence, not by bytes.
    var first: [String: String] = [:]
    func kept(_ number: Double) -> Double {
      guard losesZeros, number == 0, number.sign == .minus else { return number }
      zeros += 1
      return 0
    }
    func kept(_ text: String) -> String {
      if cutsTexts, let end = text.utf8.firstIndex(of: 0) {
        cuts += 1
        return String(text[..<end])
      }
      // An ASCII text has only one Unicode form.
      guard losesTexts, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
      guard let other = first[text] else {
        first[text] = text
        return text
      }
      if !other.hasSameBytes(as: text) { texts += 1 }
      return other
    }
    let all = source.all.map { record in
      Record(
        id: record.id, name: kept(record.name), group: kept(record.group), score: kept(record.score),
        modified: kept(record.modified), payload: record.payload)
    }
    records = zeros + texts + cuts == 0 ? source : RecordList(all)
    let parts = [
      texts == 0 ? nil : "\(Quantity.counted(texts, "text")) stored in the Unicode form of an equal one",
      cuts == 0 ? nil : "\(Quantity.counted(cuts, "text")) stored up to a NUL",
      zeros == 0 ? nil : "0 stored for -0 in \(Quantity.counted(zeros, "field"))",
    ].compactMap { $0 }
    note = parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
