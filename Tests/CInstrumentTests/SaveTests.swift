import CGNUCalls
import CStorageInstrument
import Foundation
import Testing

/// The calls that made saves safe before they were acknowledged. Each test runs in a separate process.
@Suite struct SaveTests {
  @Test func aSyncCountsForTheFileThatWasWritten() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let (store, other) = (try files.open("a"), try files.open("b"))
      let outside = try files.open("other", inside: false)
      let again = open(files.root + "/a", O_RDONLY)
      let copy = dup(store)
      let seen = try files.saves([
        // Synced: by the same descriptor, by another one of the file, by a copy, without metadata, with all other
        // files.
        { change(store) { fsync(store) } },
        { change(store) { fsync(again) } },
        { change(store) { fsync(copy) } },
        {
          pwrite(store, [1], 1, 9); fdatasync(store)
        },
        { change(store) { gnu_syncfs(other) } },
        { change(store) { sync() } },
        { change(store) { change(other) { fsync(other) } } },
        // Not synced: no sync, a sync of another file, of one outside the store, of the directory, before the write.
        { write(store, [1], 1) },
        { change(store) { fsync(other) } },
        { change(store) { fsync(outside) } },
        { change(store) { fsync(open(files.root, O_RDONLY | O_DIRECTORY)) } },
        {
          write(store, [1], 1); fsync(store); write(store, [1], 1)
        },
        // The sync is for the file of an earlier save.
        { change(other) { fsync(store) } },
        // Nothing is written.
        {},
        { fsync(store) },
      ])
      #expect(seen.acknowledged == 15)
      #expect(seen.unsynced == 6)
      #expect(seen.synced_elsewhere == 4)
      #expect(seen.unwritten == 2)
      #expect(seen.unnamed == 0)
    }
  }

  @Test func aSynchronousWriteIsSyncedAndTakesNothingElseAlong() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      let synchronous = try files.open("a", O_WRONLY | O_DSYNC)
      let seen = try files.saves([
        { write(synchronous, [1], 1) },
        // The order of LMDB: the data, a sync, the page that makes the data valid.
        {
          write(store, [1], 1); fdatasync(store); pwrite(synchronous, [1], 1, 0)
        },
        { change(store) { pwrite(synchronous, [1], 1, 0) } },
      ])
      #expect(seen.acknowledged == 3)
      #expect(seen.unsynced == 1)
    }
  }

  @Test func renamedFilesKeepWhatIsKnownOfThem() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let directory = open(files.root, O_RDONLY | O_DIRECTORY)
      try FileManager.default.createDirectory(atPath: files.root + "/sub", withIntermediateDirectories: true)
      let sub = open(files.root + "/sub", O_RDONLY | O_DIRECTORY)
      /// Renames a file that was written and closed, and syncs a directory. If the file is synced, it is opened again
      /// for this.
      func replace(_ target: String, synced: Bool, thenSync directory: Int32? = nil) throws {
        var name = Array((files.root + "/tmp-XXXXXX").utf8CString)
        let file = mkstemp(&name)
        write(file, [1, 2, 3], 3)
        close(file)
        let path = String(cString: name)
        if synced {
          let again = open(path, O_RDONLY)
          fsync(again)
          close(again)
        }
        #expect(rename(path, files.root + "/" + target) == 0)
        if let directory { fsync(directory) }
      }
      let seen = try files.saves([
        { try replace("a", synced: true, thenSync: directory) },
        { try replace("sub/a", synced: true, thenSync: sub) },
        // The name may be lost: no sync of the directory, a sync of another one, a sync before the rename.
        { try replace("a", synced: true) },
        { try replace("sub/a", synced: true, thenSync: directory) },
        {
          fsync(directory); try replace("a", synced: true)
        },
        // The data may be lost, although the name is synced.
        { try replace("a", synced: false, thenSync: directory) },
      ])
      #expect(seen.acknowledged == 6)
      #expect(seen.unnamed == 3)
      #expect(seen.unsynced == 1)
      #expect(seen.renamed == 6)
      #expect(seen.renamed_unsynced == 1)
    }
  }

  /// A file system gives the number of a deleted file to the next new file.
  @Test func aNewFileIsNotTakenForOneThatIsGone() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let other = try files.open("log")
      let seen = try files.saves(
        (0..<50).map { number in
          {
            let unsynced = try files.open("a")
            write(unsynced, [1], 1)
            close(unsynced)
            unlink(files.root + "/a")
            // The file is empty, so it needs no sync.
            close(try files.open("b"))
            #expect(rename(files.root + "/b", files.root + "/c") == 0)
            write(other, [1], 1)
            fsync(other)
          }
        })
      #expect(seen.acknowledged == 50)
      #expect(seen.unsynced == 0)
      #expect(seen.renamed_unsynced == 0)
    }
  }

  /// A record that is a file is deleted by removing its name: nothing is written, but the directory has to be synced.
  @Test func aRemovalIsAChange() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      for name in ["a", "b", "c"] { close(try files.open(name)) }
      let directory = open(files.root, O_RDONLY | O_DIRECTORY)
      let seen = try files.saves([
        { unlink(files.root + "/a") },
        {
          unlink(files.root + "/b")
          fsync(directory)
        },
        // Neither call removes anything below the root.
        { unlink(files.root + "/a") },
        { unlink(files.root + "-not-there") },
        // A synced removal does not replace the sync of a written file.
        {
          write(try files.open("d"), [1], 1)
          unlink(files.root + "/c")
          fsync(directory)
        },
      ])
      #expect(seen.acknowledged == 5)
      #expect(seen.unwritten == 2)
      #expect(seen.unnamed == 1)
      #expect(seen.unsynced == 1)
    }
  }

  /// A save with more files than are remembered. Forgotten files are not reported as unsynced.
  @Test func saveOfManyFiles() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let seen = try files.saves([
        {
          for number in 0..<3_000 {
            let file = try files.open("\(number)")
            write(file, [1], 1)
            close(file)
          }
          let first = try files.open("0")
          fsync(first)
        },
        { write(try files.open("0"), [1], 1) },
      ])
      #expect(seen.acknowledged == 2)
      #expect(seen.unsynced == 1)
    }
  }

  @Test func onlyChangesAreJudgedAndOnlyWhileCounting() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      ci_acknowledge(1)
      ci_begin(files.root)
      write(store, [1], 1)
      ci_acknowledge(0)
      ci_acknowledge(0)
      ci_end()
      write(store, [1], 1)
      ci_acknowledge(1)
      var seen = ci_saves()
      ci_read_saves(&seen)
      #expect(seen.acknowledged == 0 && seen.unsynced == 0 && seen.unwritten == 0)
    }
  }
}

extension CountedFiles {
  /// Returns the observations of saves, each of which is a body.
  fileprivate func saves(_ bodies: [() throws -> Void]) throws -> ci_saves {
    var seen = ci_saves()
    ci_begin(root)
    for body in bodies {
      try body()
      ci_acknowledge(1)
    }
    ci_end()
    ci_read_saves(&seen)
    return seen
  }
}
