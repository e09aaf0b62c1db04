import Foundation
import StorageRunFiles
import Testing

extension EndToEnd.Measuring {
  @Suite struct DiskTests {
    private let workplace = Workplace()

    /// Whether disk images can be created and mounted.
    private static let canMountImages =
      getuid() == 0
      && Program.succeeds("command -v mkfs.ext4 && test -e /dev/loop-control && unshare -m mount -t tmpfs none /mnt")

    /// A device gets at least the bytes that a synced save writes, and a journal more than once.
    @Test(.enabled(if: canMountImages, "mounting a disk image takes root, mkfs.ext4 and loop devices"))
    func `bytes that reach the device are counted`() async throws {
      let results = try await workplace.run(
        "--profile counts --device ext4 -b sqlite:journal=wal,sqlite:journal=wal:log=fresh,plist -w save-one -n 50",
        "--durability durable", into: "device")
      var bytes: [String: Double] = [:]
      for row in results.rows {
        let (device, written) = (Double(row["device_bytes"] ?? ""), Double(row["bytes_written"] ?? ""))
        let ratio = try #require(device) / #require(written)
        #expect((1.0...12).contains(ratio), "\(row["backend"] ?? "") \(row["options"] ?? ""): \(ratio)")
        bytes[row["options"] ?? ""] = ratio
      }
      #expect(results.rows.count == 3)
      // A log that grows changes the length of its file with each save, which the journal has to hold.
      #expect(try #require(bytes["journal=wal:log=fresh"]) > #require(bytes["journal=wal"]) * 1.3)
      #expect(FileManager.default.fileExists(atPath: "\(workplace.path)/device/scratch") == false)
    }

    @Test func `a device is refused without root, and an unknown one with its name`() async throws {
      try await workplace.expectRefused("run --device zfs".words, "unknown file system 'zfs'")
      guard getuid() != 0 else { return }
      let refused = try await workplace.start("run --allow-debug --device ext4 -b sqlite".words).finish()
      #expect(refused.status == 69 && refused.errors.contains("only root may do"))
    }

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
      try await workplace.start(shell: script, unshare: "-m").finish(exits: 0)
      var machines: Set<String> = []
      for (journal, words) in [
        ("has_journal", "ext4 with a journal in a loop image"),
        ("^has_journal", "ext4 without a journal in a loop image"),
      ] {
        let environment = try RunDirectory(path: "\(workplace.path)/run-\(journal)").environment()
        #expect(environment.fileSystem == words)
        machines.insert(environment.machine)
        let features = try #require(environment.storage["features"]).split(separator: " ")
        #expect(features.contains("has_journal") == (journal == "has_journal"))
        #expect(features.contains("extent") && features.contains("filetype"))
        #expect(environment.storage["options in effect"]?.split(separator: ",").contains("delalloc") == true)
        #expect(try workplace.text("run-\(journal)/report.md").contains(words))
      }
      #expect(machines.count == 2)
      let compared = try await workplace.start(["compare", "run-has_journal", "run-^has_journal"]).finish()
      #expect(compared.output.unwrapped.contains("counts are compared, times are not"), "\(compared.output)")
    }
  }
}
