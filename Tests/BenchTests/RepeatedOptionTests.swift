import StorageBackends
import StorageContract
import StorageTrial
import StorageWorkloads
import Testing

@testable import StorageBench

/// Options that are given more than once.
@Suite struct RepeatedOptionTests {
  @Test(arguments: [
    (["check", "c.csv", "-w", "a", "-w", "b"], ["check", "c.csv", "-w", "a,b"]),
    (["run", "-b=x", "--backend", "y", "-n", "1", "--records=2"], ["run", "--backend=x,y", "-n", "1,2"]),
    (["run", "--skip", "a", "--skip", "b"], ["run", "--skip", "a", "--skip", "b"]),
    (["run", "-q", "-q", "--seed", "1", "--seed=1"], ["run", "-q", "-q", "--seed", "1"]),
    (["compare", "--", "-w", "-w"], ["compare", "--", "-w", "-w"]),
    (["run", "--label"], ["run", "--label"]),
  ])
  func `lists add up and all else stays`(_ given: [String], _ expected: [String]) throws {
    #expect(try RepeatedOptions.joined(given) == expected)
  }

  @Test func `of one value there is one`() {
    for arguments in [["run", "--seed", "1", "--seed", "2"], ["run", "-o", "a", "--out=b"]] {
      let error = #expect(throws: UsageError.self) { _ = try RepeatedOptions.joined(arguments) }
      #expect(error?.description.contains("is given twice") == true)
    }
  }

  /// An option that is added later is in the right list, too.
  @Test func `every option of every command is known`() throws {
    let catalog = Catalog(backends: Backends.all, workloads: Workloads.all)
    let tree = try Catalog.$current.withValue(catalog) { try CommandTree(of: RootCommand.self) }
    var seen: Set<String> = []
    func look(_ command: CommandTree) {
      for item in command.arguments ?? [] where !item.isPositional {
        for name in item.spellings {
          let long = RepeatedOptions.shortNames[name] ?? name
          seen.insert(long)
          #expect((item.kind == "flag") == RepeatedOptions.flags.contains(long), "\(command.commandName) \(name)")
          #expect(item.isRepeating == RepeatedOptions.repeatable.contains(long), "\(command.commandName) \(name)")
          let isList = item.valueName?.contains(",...") == true
          // crashtest makes the saves of one workload, and paired judges one backend: two of them are refused as such.
          let isOne = ["--workload", "--records", "--backend", "--durability"].contains(long)
          if !isOne { #expect(isList == RepeatedOptions.lists.contains(long), "\(command.commandName) \(name)") }
        }
      }
      for command in command.subcommands ?? [] where command.commandName != "help" { look(command) }
    }
    look(tree)
    #expect(RepeatedOptions.lists.union(RepeatedOptions.repeatable).isSubset(of: seen))
  }
}
