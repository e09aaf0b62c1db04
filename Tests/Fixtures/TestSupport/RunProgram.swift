import StorageContract

/// Runs the program at the path that is the first word, without an input, and waits for its end.
package func runProgram(_ words: [String]) throws -> (output: String, errors: String, status: Int32) {
  let process = try SpawnedProcess(words, streams: [0: .pipe, 1: .pipe, 2: .pipe])
  process.closeInput()
  let (output, errors) = try process.readAll()
  return (String(decoding: output, as: UTF8.self), String(decoding: errors, as: UTF8.self), process.wait().status)
}
