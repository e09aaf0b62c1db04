import Foundation
import StorageRunFiles
import Testing

extension EndToEnd.Enduring {
  /// The suite installs the build of `scripts/test`, which the script builds before the tests begin.
  @Suite(.enabled(if: Program.isBuiltByScript, "only scripts/test has built the executable")) struct InstallTests {
    private let workplace = Workplace()
    private static let files = [
      "bin/storage-bench", "share/bash-completion/completions/storage-bench",
      "share/fish/vendor_completions.d/storage-bench.fish",
      "share/storage-bench/installed", "share/zsh/site-functions/_storage-bench",
    ]

    private func install(_ arguments: [String]) async throws -> Finished {
      try await workplace.start(arguments, program: "install", from: Program.root.appendingPathComponent("scripts"))
        .finish()
    }

    /// The paths of the files below the prefix.
    private var installed: [String] {
      let root = "\(workplace.path)/a prefix"
      let paths = FileManager.default.subpaths(atPath: root) ?? []
      return paths.filter { OwnedDirectory.lstat("\(root)/\($0)")?.st_mode.isDirectory == false }.sorted()
    }

    @Test func whatIsInstalledIsTakenAwayAgain() async throws {
      let finished = try await install(["--prefix", "a prefix"])
      #expect(finished.status == 0, "\(finished.errors)")
      #expect(installed == Self.files)
      let prefix = URL(fileURLWithPath: "\(workplace.path)/a prefix")
      let listed = try await workplace.start(["list", "profiles"], from: prefix.appendingPathComponent("bin")).finish()
      #expect(listed.status == 0 && listed.output.contains("quick"))
      // A second installation replaces the first one.
      #expect(try await install(["--prefix=a prefix"]).status == 0)
      #expect(try await install(["--prefix", "a prefix", "--uninstall"]).status == 0)
      #expect(workplace.names == [])
      let nothing = try await install(["--prefix", "a prefix", "--uninstall"])
      #expect(nothing.status == 64 && nothing.complaints.count == 1, "\(nothing.errors)")
    }

    @Test func whatOthersPutThereStays() async throws {
      let other = "\(workplace.path)/a prefix/bin"
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
      try workplace.write("a prefix/bin/storage-bench", "mine")
      let refused = try await install(["--prefix", "a prefix"])
      #expect(refused.status == 64 && refused.complaints.count == 1, "\(refused.errors)")
      #expect(refused.errors.contains("was not put there"))
      #expect(installed == ["bin/storage-bench"])
      try FileManager.default.removeItem(atPath: other + "/storage-bench")
      try workplace.write("a prefix/bin/other", "")
      #expect(try await install(["--prefix", "a prefix"]).status == 0)
      // A file that was changed since its installation.
      try workplace.write("a prefix/share/bash-completion/completions/storage-bench", "changed")
      let finished = try await install(["--prefix", "a prefix", "--uninstall"])
      #expect(finished.status == 0 && finished.errors.contains("left as it is"), "\(finished.errors)")
      #expect(installed == ["bin/other", "share/bash-completion/completions/storage-bench"])
    }

    @Test(arguments: [["--prefix"], ["--prefix", ""], ["--frobnicate"], ["--prefix", "file"], ["--prefix", "/proc"]])
    func badInputIsOneSentence(arguments: [String]) async throws {
      try workplace.write("file", "")
      let finished = try await install(arguments)
      #expect(finished.status == 64 && finished.complaints.count == 1, "\(finished.errors)")
      #expect(workplace.names == ["file"])
    }
  }
}
