/// The search for the valid word that is most similar to a misspelled word.
public enum Nearest {
  /// Returns the candidate with the smallest edit distance to the text, or nil without candidates.
  public static func candidate(to text: String, among candidates: [String]) -> String? {
    candidates.min { distance(text, $0) < distance(text, $1) }
  }

  /// Returns the text of an error message about the unknown word `text`. The message suggests valid words.
  ///
  /// - Parameters:
  ///   - kind: The kind of word, such as `backend` or `option`.
  ///   - owner: The text after `of` in the message, such as `backend sqlite`. If empty, the message has no `of`.
  ///   - candidates: The valid words.
  public static func sentence(
    _ kind: String, _ text: String, of owner: String = "", among candidates: [String]
  ) -> String {
    let what = "unknown \(kind) '\(text)'" + (owner.isEmpty ? "" : " of \(owner)")
    guard let best = candidate(to: text, among: candidates) else { return "\(what): it has none" }
    let all = candidates.count > 12 ? "" : "; there are: \(candidates.joined(separator: ", "))"
    // A valid word that differs by more than a third is not suggested.
    let isNear = 3 * distance(text, best) <= max(text.count, best.count)
    return "\(what)\(isNear ? "; the nearest is '\(best)'" : "")\(all)"
  }

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
