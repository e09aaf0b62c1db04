// PropertyListEncoder and two texts that are equal in Swift but have different scalars.
import Foundation

let texts = ["e\u{301}", "\u{e9}"]
let encoder = PropertyListEncoder()
encoder.outputFormat = .binary
let decoded = try PropertyListDecoder().decode([String].self, from: encoder.encode(texts))
func scalars(_ texts: [String]) -> [[String]] {
  texts.map { $0.unicodeScalars.map { String($0.value, radix: 16) } }
}
print("expected: the scalars \(scalars(texts))")
print("observed: the scalars \(scalars(decoded))")
exit(scalars(decoded) == scalars(texts) ? 0 : 1)
