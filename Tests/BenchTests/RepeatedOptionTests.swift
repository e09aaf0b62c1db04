import Testing

@testable import StorageBench

@Suite struct RepeatedOptionTests {
  @Test(arguments: [
    (["check", "c.csv", "-w", "a", "-w", "b"], ["check", "c.csv", "-w", "a,b"]),
    (["run", "-b=x", "--backend", "y", "-n", "1", "--records=2"], ["run", "--backend=x,y", "-n", "1,2"]),
    (["run", "--skip", "a", "--skip", "b"], ["run", "--skip", "a", "--skip", "b"]),
    (["run", "-q", "-q", "--seed", "1", "--seed=1"], ["run", "-q", "-q", "--seed", "1"]),
    (["compare", "--", "-w", "-w"], ["compare", "--", "-w", "-w"]),
    (["run", "--label"], ["run", "--label"]),
    (["-b", "x", "-b", "y"], ["-b", "x,y"]),
    (["report", "-f", "csv", "a", "-f=html"], ["report", "-f", "csv,html", "a"]),
  ])
  func `lists add up and all else stays`(_ given: [String], _ expected: [String]) throws {
    #expect(try RootCommand.joined(given) == expected)
  }

  @Test func `of one value there is one`() {
    for arguments in [
      ["run", "--seed", "1", "--seed", "2"], ["run", "-o", "a", "--out=b"], ["crashtest", "-n", "5", "-n", "6"],
    ] {
      expectUsageError("is given twice") { try RootCommand.joined(arguments) }
    }
  }
}
