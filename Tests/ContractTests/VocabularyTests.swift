import Foundation
import Testing

@testable import StorageContract

@Suite struct VocabularyTests {
  private let journal = OptionSpec("journal", ["auto", "wal", "delete"], help: "")
  private let batch = OptionSpec("batch", .choiceOrNumber(["all"]), help: "")
  private let map = OptionSpec("map", .size(or: "auto"), help: "")
  private let fan = OptionSpec("fan", .number(10), help: "")
  private let threads = OptionSpec("threads", .choiceOrNumber(["1", "4"]), most: 1_024, help: "")
  private let every = OptionSpec("every", .duration("1s"), help: "")
  private let cache = OptionSpec("cache", .size(or: "auto"), most: 1 << 40, help: "")

  private let library = OptionSpec("library", .choiceOrPath(["linked", "sqlite3mc"]), help: "")

  private func parse(_ texts: String...) throws -> Options {
    try Options(parsing: texts, specs: [journal, batch, map, fan, threads, cache, every, library], owner: "backend x")
  }

  @Test func optionsDropDefaultsAndKeepDeclaredOrder() throws {
    let options = try parse("map=64MiB", "batch=all", "journal=delete", "fan=010")
    #expect(options.description == "journal=delete:map=64MiB")
    #expect(options[journal] == "delete" && options[batch] == "all" && options[fan] == "10")
    #expect(try parse("journal=auto").isEmpty)
    #expect(try parse("every=1000ms").isEmpty)
    #expect(try parse("every=0.5s").description == "every=500ms")
    #expect(try parse("batch=+7") == parse("batch=007"))
    #expect(Spec(id: "x", options: options).description == "x:journal=delete:map=64MiB")
    #expect(Spec(id: "x").description == "x")
  }

  @Test(arguments: [
    ("jornal=wal", "'jornal' of backend x; the nearest is 'journal'"),
    ("journal=wall", "'wall' of option journal of backend x; the nearest is 'wal'"),
    ("journal", "unknown value '' of option journal"),
    ("fan=0", "option fan of backend x '0' is not usable; give a whole number from 1 on"),
    ("fan=-3", "option fan of backend x '-3' is not usable"), ("batch=99999999999999999999", "from 1 on"),
    ("threads=1025", "option threads of backend x '1025' is not usable; give a whole number from 1 to 1,024"),
    ("threads=0", "from 1 to 1,024"), ("cache=0", "give a size from 1 to 1TiB"), ("cache=2TiB", "to 1TiB"),
    ("every=5", "'5' is not usable; give a time from 1ms to 1h"), ("every=2h", "from 1ms to 1h"),
    ("every=0s", "from 1ms to 1h"),
    ("fan=ten", "unknown value 'ten'"),
    ("library=sqlite3", "'sqlite3' of option library of backend x; the nearest is 'sqlite3mc'"),
    ("map=64Mi", "unknown value '64Mi'"),
    ("", "unknown option ''"),
  ]) func badOptionsAreNamedWithTheNearest(text: String, part: String) {
    #expect { try parse(text) } throws: { ($0 as? UsageError)?.description.contains(part) ?? false }
  }

  /// Processes with other working directories open the same file. Reports name the engine by its library.
  @Test func pathsAreMadeAbsolute() throws {
    let here = FileManager.default.currentDirectoryPath
    #expect(try parse("library=./b.so")[library] == "\(here)/b.so")
    #expect(try parse("library=/b.so")[library] == "/b.so")
    let (other, usual) = (try parse("library=/b.so"), try parse("fan=2"))
    #expect(Spec(id: "x", options: other).engine == "x//b.so")
    #expect(Spec(id: "x", options: usual).engine == "x")
  }

  @Test func optionsAreGivenOnce() {
    #expect(throws: UsageError("option fan of backend x is given twice; give it once")) {
      try parse("fan=1", "fan=2")
    }
  }

  @Test(arguments: ["", "=", "=v", "a=", "a", "a=b=c", ":", "a=1:b=2"]) func verbatimTextsNeverTrap(text: String) {
    _ = Options(verbatim: text)
    _ = Spec(verbatim: text)
    #expect(Options(verbatim: "a=b=c").description == "a=b=c")
    #expect(Spec(verbatim: ":a=1").id.isEmpty)
    #expect(Spec(verbatim: "import:batch=1:x=2").description == "import:batch=1:x=2")
  }

  @Test func globsMatchWholeNames() {
    let (queue, delete) = ("sqlite-queue/save-one/1000/shipped", "sqlite:journal=delete/save-one/1000/shipped")
    let plain = "sqlite/save-one/1000/shipped"
    #expect([plain, queue, delete].map(Glob("sqlite/*").matches) == [true, false, false])
    #expect([plain, queue, delete].map(Glob("sqlite*/*").matches) == [true, true, true])
    for (pattern, text, expected) in [
      ("", "", true), ("", "a", false), ("*", "", true), ("?", "", false), ("a?c", "abc", true),
      ("a?c", "a/c", true),
      ("*a*b", "xaaxb", true), ("*a*b", "xaaxbc", false), ("a**", "a", true), ("a", "aa", false),
      ("?", "日", true), ("{a,b*}c", "ac", true), ("{a,b*}c", "bxc", true), ("{a,b*}c", "c", false), ("{a", "{a", true),
      ("a}", "a}", true), ("{a,b}{c,d}", "bc", true), ("{a,b}{c,d}", "ab", false), ("x{}", "x", true),
    ] {
      #expect(Glob(pattern).matches(text) == expected, "\(pattern) on \(text)")
    }
    #expect(Glob.alternatives("{a,b}/{c,}") == ["a/c", "a/", "b/c", "b/"])
    let many = String(repeating: "{a,b}", count: 40)
    #expect(Glob.alternatives(many) == [many] && !Glob(many).matches("a"))
    #expect(Glob.alternatives(String(repeating: "{", count: 100_000)).count == 1)
    #expect(Glob.isPattern("a?") && Glob.isPattern("*") && !Glob.isPattern("a"))
  }

  @Test func sizesAreRead() {
    for (text, value) in [
      ("0", 0), ("1000", 1000), ("10k", 10_000), ("10K", 10_000), ("1M", 1_000_000), ("64KiB", 65_536),
      ("2GiB", 2 << 30), ("5B", 5), ("3kB", 3000), ("9223372036854775807", Int.max),
      ("1TiB", 1 << 40), ("2TB", 2_000_000_000_000), ("1.5GiB", 3 << 29), ("0.5KiB", 512), ("1.25MB", 1_250_000),
    ] {
      #expect(Quantity.bytes(text) == value, "\(text)")
    }
    for text in [
      "", "k", "-1", "+1", "1.5k", "1 k", "٣", "9223372036854775808", "9223372036854775807k", "12KB", "1.5",
      "1.0001KiB", "1.KiB", ".5KiB",
      "9000000TiB", "1.5.5GiB", "1.0000001GB",
    ] {
      #expect(Quantity.bytes(text) == nil, "\(text)")
    }
  }

  @Test func timesAreRead() {
    for (text, value) in [
      ("500ms", 500_000_000), ("30s", 30_000_000_000), ("5m", 300_000_000_000), ("1h", 3_600_000_000_000),
      ("7ns", 7), ("2us", 2000), ("2µs", 2000), ("1.5s", 1_500_000_000), ("1.001ms", 1_001_000), ("0s", 0),
    ] as [(String, Int64)] {
      #expect(Quantity.nanoseconds(text) == value, "\(text)")
    }
    for text in ["", "5", "ms", "-1s", "1e3s", ".s", "1.2.3s", "99999999999h", "nans"] {
      #expect(Quantity.nanoseconds(text) == nil, "\(text)")
    }
    #expect(
      [0, 999, 1000, -12_345, .min].map(Quantity.grouped) == [
        "0", "999", "1,000", "-12,345", "-9,223,372,036,854,775,808",
      ])
  }

  @Test func nearestCountsEdits() {
    #expect(Nearest.distance("", "abc") == 3 && Nearest.distance("kitten", "sitting") == 3)
    #expect(Nearest.distance("ab", "ab") == 0 && Nearest.distance("ab", "ba") == 2)
    #expect(Nearest.candidate(to: "sqlit", among: ["plist", "sqlite", "lmdb"]) == "sqlite")
    #expect(Nearest.candidate(to: "x", among: []) == nil)
    #expect(Nearest.candidate(to: "x", among: ["a", "b"]) == "a")
    #expect(
      Nearest.sentence("option", "x", of: "backend y", among: [])
        == "unknown option 'x' of backend y: it has none")
  }
}

@Suite struct CellTests {
  private let plain = Cell(
    backend: Spec(verbatim: "sqlite:journal=delete"), workload: Spec(verbatim: "save-one"), records: 1000,
    durability: .shipped)

  @Test func namesSayWhatDiffers() {
    #expect(plain.name == "sqlite:journal=delete/save-one/1000/shipped")
    var cell = plain
    cell.durability = nil
    cell.cache = .cold
    cell.threads = 4
    cell.recordBytes = 1000
    (cell.aged, cell.memory) = (10, 64 << 20)
    #expect(cell.name == "sqlite:journal=delete/save-one/1000/-/bytes=1000/threads=4/cold/aged=10/memory=64MiB")
    var other = cell
    (other.backend, other.workload, other.records, other.durability) = (
      Spec(id: "lmdb"), Spec(id: "read-one"), 5, .shipped
    )
    #expect(other.conditions == cell.conditions)
    other.aged = 0
    #expect(other.conditions != cell.conditions)
  }

  @Test func codingRoundTrips() throws {
    for durability in [nil, Durability.durable] {
      for (backend, workload) in [
        ("lmdb", "import:batch=1000"), ("sqlite:journal=wal:statements=fresh", "iterate"),
      ] {
        let cell = Cell(
          backend: Spec(verbatim: backend), workload: Spec(verbatim: workload), records: 7, recordBytes: 9,
          durability: durability, threads: 2, cache: .cold, aged: 3, memory: 64 << 20)
        let coded = try JSONEncoder().encode(cell)
        #expect(try JSONDecoder().decode(Cell.self, from: coded) == cell)
        #expect(String(decoding: coded, as: UTF8.self).contains("\"record_bytes\":9"))
      }
    }
  }
}
