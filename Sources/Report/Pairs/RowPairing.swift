import StorageContract

/// The two rows of a pair, as a run has them.
public struct RowPairing: Sendable {
  /// What is compared.
  public let pair: RowPair
  /// The row of the way that is expected to take longer.
  public let slower: SummaryRow
  /// The row of the other way.
  public let faster: SummaryRow

  /// The pairs of a run, in the order of ``RowPairs/all``, then in that of the rows.
  public static func all(in rows: [SummaryRow]) -> [RowPairing] {
    let rowOf = Dictionary(rows.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    return RowPairs.all.flatMap { pair in
      rows.compactMap { row in
        guard pair.slower.takes(row.cell), let faster = rowOf[pair.faster.cell(like: row.cell)], faster.cell != row.cell
        else { return nil }
        return RowPairing(pair: pair, slower: row, faster: faster)
      }
    }
  }

  /// Whether both can be compared: they were run, on one machine.
  public var isComparable: Bool {
    slower.status == .ok && faster.status == .ok && slower.machine == faster.machine
  }

  /// By which factor the way that is expected to be slower takes longer, round by round, with its interval; nil below six rounds in common.
  public var comparison: RowComparison? { isComparable ? RowComparison(base: faster, head: slower) : nil }

  /// ``comparison``'s factor, or where there are too few rounds that of the medians; nil where one was not timed.
  public var ratio: String? {
    guard isComparable else { return nil }
    if let comparison { return Phrases.factor(comparison.ratio) }
    guard let time = slower.typicalTime, let other = faster.typicalTime, other > 0 else { return nil }
    return NumberFormat.ratio(time / other)
  }

  /// `sqlite, save-one, 1,000 records, durable`: what the two rows share.
  public var place: String {
    var parts: [String] = []
    // What differs in its options stands without them.
    if slower.cell.backend == faster.cell.backend {
      parts.append(Phrases.name(slower))
    } else if slower.cell.backend.id == faster.cell.backend.id {
      parts.append(Phrases.name(Spec(id: slower.cell.backend.id), isLookalike: slower.fidelity == .lookalike))
    }
    if slower.cell.workload == faster.cell.workload {
      parts.append("\(slower.cell.workload)")
    } else if slower.cell.workload.id == faster.cell.workload.id {
      parts.append(slower.cell.workload.id)
    }
    parts.append("\(Quantity.grouped(slower.cell.records)) \(slower.cell.records == 1 ? "record" : "records")")
    if slower.cell.recordBytes != 100 { parts.append("\(Quantity.grouped(slower.cell.recordBytes)) bytes") }
    if slower.cell.threads != 1 { parts.append("\(slower.cell.threads) threads") }
    if slower.cell.cache == .cold { parts.append("cold") }
    if let durability = slower.cell.durability { parts.append(durability.rawValue) }
    return parts.joined(separator: ", ")
  }

  /// What only one of the rows has: `sqlite:statements=fresh`.
  static func way(_ row: SummaryRow, against other: SummaryRow) -> String {
    var parts: [String] = []
    if row.cell.backend != other.cell.backend { parts.append(Phrases.name(row)) }
    if row.cell.workload != other.cell.workload { parts.append("\(row.cell.workload)") }
    return parts.joined(separator: " ")
  }
}
