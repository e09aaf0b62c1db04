import CGNUCalls
import CStorageInstrument
import Foundation
import Testing

/// Every family of calls is logged as it was made. Each test runs in a separate process.
@Suite struct LogTests {
  @Test func openingAndMaking() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let log = try files.log {
        close(try files.open("a"))
        close(try files.open("a"))
        close(try files.open("a", O_WRONLY | O_TRUNC))
        close(creat(files.root + "/b", 0o600))
        close(creat(files.root + "/b", 0o600))
        #expect(error(of: { open(files.root + "/a", O_RDWR | O_CREAT | O_EXCL, 0o600) }) == EEXIST)
        #expect(error(of: { open(files.root + "/none", O_WRONLY) }) == ENOENT)
        // Files that are only read, or that are outside the store, are not logged.
        close(try files.open("a", O_RDONLY))
        close(try files.open("other", inside: false))
        // A directory is not a file.
        close(open(files.root, O_RDONLY | O_DIRECTORY))
        close(open(files.root, O_RDONLY))
      }
      #expect(
        log == [
          "create a", "open a", "open empty a", "create b", "open empty b", "open a failed \(EEXIST)",
          "open none failed \(ENOENT)",
        ])
    }
  }

  @Test func writing() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      let other = try files.open("other", inside: false)
      let log = try files.log {
        #expect(write(store, "hello", 5) == 5)
        #expect(write(store, "world", 5) == 5)
        #expect(pwrite(store, "at", 2, 100) == 2)
        var (first, second) = (Array("one".utf8), Array("two".utf8))
        first.withUnsafeMutableBytes { first in
          second.withUnsafeMutableBytes { second in
            let parts = [
              iovec(iov_base: first.baseAddress, iov_len: 3), iovec(iov_base: nil, iov_len: 0),
              iovec(iov_base: second.baseAddress, iov_len: 3),
            ]
            #expect(writev(store, parts, 3) == 6)
            #expect(pwritev(store, parts, 3, 200) == 6)
          }
        }
        #expect(write(other, "elsewhere", 9) == 9)
        #expect(lseek(other, 0, SEEK_SET) == 0)
        #expect(sendfile(store, other, nil, 4) == 4)
        var from: Int64 = 4
        #expect(gnu_copy_file_range(other, &from, store, 5) == 5)
        #expect(gnu_dprintf(store, "printed") == 7)
        // A failed write is logged without data.
        #expect(error(of: { pwrite(store, "x", 1, -1) }) == EINVAL)
        #expect(error(of: { write(store, nil, 10) }) == EFAULT)
        #expect(write(store, "", 0) == 0)
      }
      #expect(
        log == [
          "write a 0+5 hello", "write a 5+5 world", "write a 100+2 at", "write a 10+6 onetwo", "write a 200+6 onetwo",
          "write a 16+4 else", "write a 20+5 where", "write a 25+7 printed", "write a 32+10 failed \(EFAULT)",
          "write a 32+0",
        ])
      #expect(Array(files.contents("a").prefix(32)) == Array("helloworldonetwoelsewhereprinted".utf8))
    }
  }

  /// The maximum number of parts of a call, for which the log's own call lacks space.
  @Test func aWriteOfManyPartsIsWhole() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      var bytes = (0..<10_240).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
      let entries = try files.entries {
        bytes.withUnsafeMutableBytes { bytes in
          let parts = (0..<1_024).map { iovec(iov_base: bytes.baseAddress! + 10 * $0, iov_len: 10) }
          #expect(writev(store, parts, 1_024) == 10_240)
        }
      }
      #expect(entries.count == 1)
      #expect(entries.first?.data == bytes)
      #expect(files.contents("a") == bytes)
    }
  }

  @Test func streams() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let log = try files.log(reads: true) {
        let file = try #require(fopen(files.root + "/a", "w"))
        fputs("one ", file)
        #expect(gnu_fprintf(file, "two") == 5)
        fflush(file)
        fsync(fileno(file))
        fputs(" three", file)
        #expect(fclose(file) == 0)
        let more = try #require(fdopen(try files.open("a", O_WRONLY), "a"))
        fputs("!", more)
        fclose(more)
        let reader = try #require(fopen(files.root + "/a", "r"))
        var line = [CChar](repeating: 0, count: 100)
        fgets(&line, 100, reader)
        #expect(String(cString: line) == "one <two> three!")
        fclose(reader)
        #expect(fopen(files.root + "/none", "r") == nil)
        #expect(errno == ENOENT)
      }
      #expect(
        log == [
          "create a", "write a 0+9 one <two>", "sync a", "write a 9+6  three", "open a", "write a 15+1 !",
          "open reading a", "read a 0+4096 did 16", "read a 16+4096 did 0",
          "open reading none failed \(ENOENT)",
        ])
      #expect(files.text("a") == "one <two> three!")
    }
  }

  @Test func streamsWriteTheBlocksThatLibcWrites() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let entries = try files.entries {
        let file = try #require(fopen(files.root + "/a", "w"))
        for number in 0..<3_000 { fputs("\(10_000 + number)", file) }
        fclose(file)
      }
      var status = stat()
      #expect(stat(files.root, &status) == 0)
      let block = UInt64(status.st_blksize)
      let lengths = stride(from: 0, to: UInt64(15_000), by: Int(block)).map { min(block, 15_000 - $0) }
      #expect(entries.map(\.header.length) == [0] + lengths)
      #expect(entries.flatMap(\.data) == files.contents("a"))
    }
  }

  @Test func temporaryFiles() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let log = try files.log {
        for (suffix, make) in [
          ("", { mkstemp($0) }), (".txt", { gnu_mkostemps($0, 4, O_CLOEXEC) }),
        ] as [(String, (UnsafeMutablePointer<CChar>) -> Int32)] {
          var template = Array((files.root + "/t-XXXXXX" + suffix).utf8CString)
          let file = template.withUnsafeMutableBufferPointer { make($0.baseAddress!) }
          #expect(write(file, "x", 1) == 1)
          let name = String(cString: template)
          #expect(name.hasSuffix(suffix) && !name.contains("XXXXXX"))
          #expect(rename(name, files.root + "/a" + suffix) == 0)
          close(file)
        }
        var directory = Array((files.root + "/d-XXXXXX").utf8CString)
        #expect(mkdtemp(&directory) != nil)
        #expect(rmdir(String(cString: directory)) == 0)
        var wrong = Array("no template".utf8CString)
        #expect(error(of: { mkstemp(&wrong) }) == EINVAL)
      }
      // The random part of names is removed.
      let names = log.map { $0.replacing(/(t|d)-[A-Za-z0-9]{6}/) { "\($0.output.1)-" } }
      #expect(
        names == [
          "create t-", "write t- 0+1 x", "rename t- -> a", "create t-.txt", "write t-.txt 0+1 x",
          "rename t-.txt -> a.txt", "make-directory d-", "remove-directory d-",
        ])
    }
  }

  @Test func lengths() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      let log = try files.log {
        #expect(ftruncate(store, 100) == 0)
        #expect(truncate(files.root + "/a", 50) == 0)
        #expect(error(of: { truncate(files.root + "/none", 50) }) == ENOENT)
        #expect(posix_fallocate(store, 0, 4_096) == 0)
        #expect(gnu_fallocate(store, 4_096, 4_096) == 0)
        #expect(posix_fallocate(-1, 0, 1) == EBADF)
      }
      #expect(log == ["truncate a 100", "truncate a 50", "allocate a 0+4096", "allocate a 4096+4096"])
      #expect(files.contents("a").count == 8_192)
    }
  }

  @Test func names() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      close(try files.open("a"))
      #expect(chdir(files.root) == 0)
      let entries = try files.entries {
        let store = try files.open("a")
        #expect(rename("a", "./b") == 0)
        // The name that the file has now.
        #expect(write(store, "x", 1) == 1)
        #expect(link("b", "c") == 0)
        close(try files.open("d"))
        #expect(rename("c", files.root + "//d") == 0)
        #expect(unlink("b") == 0)
        #expect(mkdir("sub", 0o700) == 0)
        #expect(rename("d", "sub/../sub/e") == 0)
        // The file is moved out of the store and back.
        #expect(rename("sub/e", "../outside/e") == 0)
        #expect(rename("../outside/e", "f") == 0)
        #expect(remove("f") == 0)
        #expect(remove("sub") == 0)
        // The file has no name any more.
        #expect(write(store, "y", 1) == 1)
        #expect(error(of: { unlink("none") }) == ENOENT)
        close(store)
      }
      #expect(
        entries.map(\.text) == [
          "open a", "rename a -> b", "write b 0+1 x", "link b -> c", "create d", "rename c -> d", "unlink b",
          "make-directory sub", "rename d -> sub/e", "rename sub/e", "rename -> f", "unlink f",
          "unlink sub failed \(EISDIR)", "remove-directory sub", "write b 1+1 y", "unlink none failed \(ENOENT)",
        ])
      // The entries of one file, under all its names, have the same number. The replaced file is logged, too.
      let numbers = entries.map(\.header.file)
      let ofOneFile: [Int] = [0, 1, 2, 3, 5, 6, 8, 9, 10, 11, 14]
      #expect(Set(ofOneFile.map { numbers[$0] }).count == 1)
      #expect(entries[5].header.other == numbers[4] && numbers[4] != numbers[0])
      #expect(entries[1].header.other == 0)
    }
  }

  @Test func filesThatAreMadeWithoutAName() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let entries = try files.entries {
        let file = gnu_open_unnamed(files.root)
        #expect(write(file, "data", 4) == 4)
        #expect(gnu_link_descriptor(file, files.root + "/a") == 0)
        close(file)
      }
      #expect(entries.map(\.kind) == ["create", "write", "link"])
      #expect(entries[0].header.flags == UInt32(CI_ENTRY_UNNAMED))
      #expect(entries[2].otherName == "a")
      #expect(Set(entries.map(\.header.file)).count == 1)
      #expect(files.text("a") == "data")
    }
  }

  @Test func syncing() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      let synchronous = try files.open("a", O_WRONLY | O_DSYNC)
      let strict = try files.open("a", O_WRONLY | O_SYNC)
      let directory = open(files.root, O_RDONLY | O_DIRECTORY)
      let other = try files.open("other", inside: false)
      let log = try files.log {
        fsync(store)
        fdatasync(store)
        fsync(directory)
        fsync(other)
        gnu_syncfs(store)
        write(synchronous, "x", 1)
        pwrite(strict, "y", 1, 5)
        ci_acknowledge(1)
        sync()
        ci_acknowledge(0)
      }
      #expect(
        log == [
          "sync a", "sync a", "sync-directory", "sync-all a", "write synchronous a 0+1 x", "write synchronous a 5+1 y",
          "acknowledge", "sync-all", "acknowledge",
        ])
    }
  }

  @Test func mappings() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      ftruncate(store, 16_384)
      let earlier = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, store, 0)
      let log = try files.log {
        let map = mmap(nil, 8_192, PROT_READ | PROT_WRITE, MAP_SHARED, store, 4_096)
        let bytes = try #require(map)
        bytes.storeBytes(of: 7, as: UInt8.self)
        #expect(msync(bytes + 4_096, 4_096, MS_SYNC) == 0)
        #expect(msync(bytes, 4_096, MS_ASYNC) == 0)
        #expect(munmap(bytes, 8_192) == 0)
        // The first map cannot change the file, and the second is not shared.
        munmap(mmap(nil, 4_096, PROT_READ, MAP_SHARED, store, 0), 4_096)
        munmap(mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_PRIVATE, store, 0), 4_096)
        // This file was mapped before the log began.
        #expect(msync(earlier, 4_096, MS_SYNC) == 0)
      }
      #expect(log == ["map a 4096+8192", "sync-map 8192+4096", "sync-map 0+4096"])
    }
  }

  @Test func reads() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      write(store, "hello world", 11)
      var bytes = [UInt8](repeating: 0, count: 100)
      let log = try files.log(reads: true) {
        lseek(store, 6, SEEK_SET)
        #expect(read(store, &bytes, 100) == 5)
        #expect(pread(store, &bytes, 5, 0) == 5)
        bytes.withUnsafeMutableBytes { bytes in
          let parts = [iovec(iov_base: bytes.baseAddress, iov_len: 2), iovec(iov_base: bytes.baseAddress, iov_len: 3)]
          #expect(preadv(store, parts, 2, 1) == 5)
          #expect(readv(store, parts, 2) == 0)
        }
        #expect(error(of: { pread(store, &bytes, 5, -1) }) == EINVAL)
        close(try files.open("a", O_RDONLY))
      }
      #expect(log == ["read a 6+100 did 5", "read a 0+5", "read a 1+5", "read a 11+5 did 0", "open reading a"])
      #expect(try files.log { _ = pread(store, &bytes, 5, 0) }.isEmpty)
    }
  }

  /// libc closes and opens these descriptors itself, without calls that can be observed.
  @Test func aNumberThatStandsForAnotherFileIsNoticed() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let log = try files.log {
        let directory = try #require(opendir(files.root))
        let number = dirfd(directory)
        // From this call on, the file of the number is known.
        fsync(number)
        closedir(directory)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        try #require(ends.contains(number), "the number is not used again")
        #expect(error(of: { fsync(number) }) == EINVAL)
      }
      #expect(log == ["sync-directory"])
    }
  }
}
