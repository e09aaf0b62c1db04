import Foundation

// A process for tests and for the stress runs of scripts/lab: `test-child TASK ARGUMENTS`. The comment of each task
// describes it.

let task = CommandLine.arguments.dropFirst().first ?? ""
let arguments = Array(CommandLine.arguments.dropFirst(2))

/// Prints a sentence to standard error and ends the process.
func fail(_ sentence: String, _ code: Int32) -> Never {
  FileHandle.standardError.write(Data("\(task): \(sentence)\n".utf8))
  exit(code)
}

do {
  switch task {
  case "graph-child": try GraphChild.run(arguments)
  case "graph-memory": try GraphMemory.run(arguments)
  case "graph-stress": try GraphStress.run(arguments)
  case "students-store": try StudentsStore.run(arguments)
  case "thread-stress": try ThreadStress.run(arguments)
  case "watched-work": try WatchedWork.run(arguments)
  default: fail("unknown task '\(task)'", 64)
  }
} catch {
  fail("\(error)", 74)
}
