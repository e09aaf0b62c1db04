import StorageContract
import Testing

@Suite struct FindingTests {
  @Test func findingsOfTrialsCombineByTheirRule() {
    var findings: [Finding] = []
    Finding.combine([Finding("lost", 2), Finding("wait", 5, .max), Finding("size", 7, .first)], into: &findings)
    Finding.combine([Finding("size", 9, .first), Finding("wait", 3, .max), Finding("lost", 1)], into: &findings)
    Finding.combine([Finding("wait", 8, .max), Finding("late", 1)], into: &findings)
    #expect(findings.map(\.name) == ["lost", "wait", "size", "late"])
    #expect(findings.map(\.value) == [3, 8, 7, 1])
  }

  @Test(arguments: [
    (0, "0s"), (1, "1ns"), (1_500, "1500ns"), (2_000, "2us"), (50_000_000, "50ms"), (90_000_000_000, "90s"),
    (600_000_000_000, "10m"), (7_200_000_000_000, "2h"),
  ])
  func timesAreNamedInTheLargestWholeUnit(nanoseconds: Int64, text: String) {
    #expect(Quantity.time(nanoseconds) == text)
    #expect(Quantity.nanoseconds(text) == nanoseconds)
  }

  @Test func sizesAreNamedInTheLargestWholeUnit() {
    for (bytes, text) in [(64 << 20, "64MiB"), (1 << 30, "1GiB"), (100_000_000, "100MB"), (4_097, "4097"), (0, "0")] {
      #expect(Quantity.size(bytes) == text)
      #expect(Quantity.bytes(text) == bytes)
    }
  }

  @Test func somethingIsCountedInItsNumber() {
    #expect(Quantity.counted(1, "cell") == "1 cell")
    #expect(Quantity.counted(12_345, "cell") == "12,345 cells")
  }

  @Test func whatHasNothingInCommonIsNotTheNearest() {
    #expect(Nearest.sentence("profile", "quik", among: ["quick", "full"]).contains("nearest is 'quick'"))
    #expect(
      Nearest.sentence("backend", "coredata", among: ["realm", "plist"])
        == "unknown backend 'coredata'; there are: realm, plist")
    #expect(!Nearest.sentence("backend", "grdb", among: ["lmdb"]).contains("nearest"))
    #expect(Nearest.sentence("operator", "x", among: ["<", ">"]) == "unknown operator 'x'; there are: <, >")
  }
}
