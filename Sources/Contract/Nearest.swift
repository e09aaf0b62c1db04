/// Finds what the user probably meant.
public enum Nearest {
  /// The candidate with the fewest edits to the text, the first of several.
  public static func candidate(to text: String, among candidates: [String]) -> String? {
    candidates.min { distance(text, $0) < distance(text, $1) }
  }

  /// One sentence for an unknown word: names it, the nearest valid one, and all of them if they are few.
  ///
  /// - Parameters:
  ///   - kind: What kind of word it is: `backend`, `option`.
  ///   - text: What was written.
  ///   - owner: Whose word it is, or empty.
  ///   - candidates: The valid words.
  public static func sentence(
    _ kind: String, _ text: String, of owner: String = "", among candidates: [String]
  ) -> String {
    let what = "unknown \(kind) '\(text)'" + (owner.isEmpty ? "" : " of \(owner)")
    guard let best = candidate(to: text, among: candidates) else { return "\(what): it has none" }
    let all = candidates.count > 12 ? "" : "; there are: \(candidates.joined(separator: ", "))"
    // What is further away than a third of the word is another word.
    let isNear = 3 * distance(text, best) <= max(text.count, best.count)
    return "\(what)\(isNear ? "; the nearest is '\(best)'" : "")\(all)"
  }

  /// Levenshtein's distance: insertions, deletions and replacements from one text to the other.
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in right.indices {
        let replaced = diagonal + (right[j] == character ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[right.count]
  }
}
