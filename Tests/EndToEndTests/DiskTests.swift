import Foundation
import StorageRunFiles
import Testing

extension EndToEnd.Measuring {
  @Suite struct DiskTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Whether disk images can be created and mounted.
    private static let canMountImages: Bool = {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [
        "-c", "command -v mkfs.ext4 && test -e /dev/loop-control && unshare -m mount -t tmpfs none /mnt",
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      guard getuid() == 0, (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()

    @Test(.enabled(if: canMountImages, "mounting a disk image takes root, mkfs.ext4 and loop devices"))
    func `ext4 with and without a journal are two machines`() async throws {
      let script = """
        set -e
        for journal in has_journal ^has_journal; do
          truncate -s 24M "$journal.img"; mkfs.ext4 -q -F -O "$journal" "$journal.img"
          mkdir "$journal"; mount -o loop "$journal.img" "$journal"
          "$0" run --allow-debug -q -b sqlite -w save-one -n 10 --rounds 6 --trial-time 1ms --scratch "$journal" \
            -o "run-$journal"
          umount "$journal"
        done
        """
      let program = Program.products.appendingPathComponent("storage-bench").path
      let made = try await place.start(
        ["-m", "sh", "-c", script, program], program: "unshare", from: URL(fileURLWithPath: "/bin")
      ).finish()
      try #require(made.status == 0, "\(made.errors)")
      var machines: Set<String> = []
      for (journal, words) in [
        ("has_journal", "ext4 with a journal in a loop image"),
        ("^has_journal", "ext4 without a journal in a loop image"),
      ] {
        let environment = try RunDirectory(path: "\(place.path)/run-\(journal)").environment()
        #expect(environment.fileSystem == words)
        machines.insert(environment.machine)
        #expect(try String(contentsOfFile: "\(place.path)/run-\(journal)/report.md", encoding: .utf8).contains(words))
      }
      #expect(machines.count == 2)
      let compared = try await place.bench("compare", "run-has_journal", "run-^has_journal")
      #expect(compared.output.unwrapped.contains("counts are compared, times are not"), "\(compared.output)")
    }
  }
}
