import StorageContract

/// The pairs of rows at the end of a run, a line each.
enum PairLines {
  /// What a screen holds; the page has them all.
  private static let most = 12

  /// The lines; none where the run has no pair that was timed.
  static func lines(_ rows: [SummaryRow], width: Int) -> [String] {
    let pairings = RowPairing.all(in: rows).filter { $0.ratio != nil }
    guard !pairings.isEmpty else { return [] }
    var lines = ["Two ways to do one thing: how much longer the first takes"]
    for pairing in pairings.prefix(most) {
      let text = "\(pairing.ratio ?? "-") \(pairing.pair.title), \(pairing.place)"
      lines += TerminalTable.filled(text.split(separator: " ").map(String.init), width: width)
    }
    if pairings.count > most { lines.append("... and \(pairings.count - most) more in the report.") }
    return lines
  }
}
