import Foundation
import StorageContract
import StorageRunFiles
import Yams

/// A published claim about embedded storage, with the tests that decide whether it holds here.
struct Claim: Decodable {
  /// A comparison of measurements: a rule of `storage-bench check` that is kept if the claim is true.
  struct Test: Decodable {
    /// The condition under which the claim is tested, in words; nil if the claim has one test.
    var when: String?
    var rule: String
  }

  /// A comparison of results of `storage-bench crashtest`: `BACKEND/LEVEL/FAULT[:VARIANT] FIELD OP NUMBER`.
  struct Crash: Decodable {
    var when: String?
    var `case`: String
    /// The number of cases of each fault, for `--count`.
    var count: Int
  }

  /// A name that stays when claims are added or removed; it is the claim's anchor in the page.
  var id: String
  /// The claim in one sentence.
  var claim: String
  /// The author of the claim, a person or a project.
  var by: String
  /// The address of the source.
  var source: String
  var tests: [Test]?
  var crash: [Crash]?
  /// The limits of the verdict: systems, versions and sizes for which it need not hold.
  var elsewhere: String
  /// An objection of the author that can be expected.
  var author: String
  /// Why the claim is not contradicted if no test holds, but does not hold here. Nil if it is contradicted.
  var here: Difference?
  /// Present if the claim compares safety levels, so that the rows of a test may have different ones.
  var compares: Compared?

  /// A difference between what a claim is about and what is tested.
  enum Difference: String, Decodable {
    /// The library is other code on Linux.
    case linux
    /// The claim is about larger data, or data of another shape.
    case size
  }

  /// The subject of a comparison.
  enum Compared: String, Codable { case levels }

  var rules: [String] { (tests ?? []).map(\.rule) }
}

/// The file `Lab/claims.yaml`.
struct ClaimFile: Decodable {
  var claims: [Claim]

  /// Reads the claims of a file.
  ///
  /// - Parameter ids: The ids of the wanted claims; all claims if empty.
  /// - Throws: `UsageError` if the file cannot be read, an id exists twice or not at all, or a crash case has another
  ///   form.
  static func read(_ path: String, ids: [String]) throws -> [Claim] {
    let claims: [Claim]
    do {
      claims = try YAMLDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path))).claims
    } catch {
      throw UsageError("\(path) cannot be read as a list of claims: \(error)")
    }
    for (id, same) in Dictionary(grouping: claims, by: \.id) where same.count > 1 {
      throw UsageError("\(path) has \(same.count) claims named \(id); rename one")
    }
    for claim in claims { _ = try (claim.crash ?? []).map { try CrashCase($0) } }
    guard !ids.isEmpty else { return claims }
    return try ids.map { id in
      guard let claim = claims.first(where: { $0.id == id }) else {
        throw UsageError("there is no claim '\(id)'; docs/claims.md lists them")
      }
      return claim
    }
  }
}

/// A parsed ``Claim/Crash``. The field is `lost` (acknowledged saves are missing, within the promise or against it) or
/// another number of cases of `safety.json`.
struct CrashCase {
  let text: String
  let backend: String
  let level: String
  let fault: String
  let variant: String?
  let field: String
  /// Returns the number of cases that the field names.
  let counted: @Sendable (SafetyReport.FaultResult) -> Int
  let comparator: String
  let number: Int
  let count: Int

  init(_ crash: Claim.Crash) throws {
    text = crash.case
    count = crash.count
    let words = crash.case.split(separator: " ").map(String.init)
    // A variant may have several words: `damage:flip log`.
    let (cases, bound) = (words.dropLast(3).joined(separator: " "), Array(words.suffix(3)))
    let parts = cases.split(separator: "/").map(String.init)
    guard bound.count == 3, parts.count == 3, let number = Int(bound[2]), Self.operators[bound[1]] != nil,
      let count = Self.fields[bound[0]]
    else {
      throw UsageError("'\(crash.case)' is no crash case; write BACKEND/LEVEL/FAULT[:VARIANT] FIELD OP NUMBER")
    }
    let fault = parts[2].split(separator: ":", maxSplits: 1).map(String.init)
    (backend, level, self.fault, variant) = (parts[0], parts[1], fault[0], fault.dropFirst().first)
    (field, counted, comparator, self.number) = (bound[0], count, bound[1], number)
  }

  private static let fields: [String: @Sendable (SafetyReport.FaultResult) -> Int] = [
    "lost": { $0.lostWithinPromise + $0.lostAgainstPromise }, "torn": { $0.torn }, "refused": { $0.refused },
    "crashed": { $0.crashed }, "unnoticed": { $0.unnoticed }, "broken": { $0.broken }, "cases": { $0.cases },
  ]

  private static let operators: [String: @Sendable (Int, Int) -> Bool] = [
    "==": { $0 == $1 }, "<=": { $0 <= $1 }, ">=": { $0 >= $1 }, "<": { $0 < $1 }, ">": { $0 > $1 },
  ]

  /// The arguments of `crashtest`, by which equal calls are made once.
  var call: String { "-b \(backend) --durability \(level) --fault \(fault) --count \(count)" }

  func holds(_ value: Int) -> Bool { Self.operators[comparator]?(value, number) ?? false }
}
