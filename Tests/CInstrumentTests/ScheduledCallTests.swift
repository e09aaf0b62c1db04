import CStorageInstrument
import Foundation
import Testing

/// Two processes that add one to a number in a file. The test runs in a separate process, because it forks.
@Suite struct ScheduledCallTests {
  /// The method by which a process adds one: by calls, through a map, or by calls behind a lock.
  enum Way { case calls, map, lock }

  /// The context of the forked processes.
  final class Adders {
    let (files, way): (CountedFiles, Way)
    let schedule: OpaquePointer
    var endings: [Int32] = [0, 0]
    static let stuck = Int32(CI_SCHEDULE_STUCK) << 8

    init(_ way: Way) throws {
      (files, self.way) = (try CountedFiles(), way)
      schedule = try #require(ci_schedule_create())
    }

    func add() {
      ci_begin(files.root)
      ci_watch(nil, 1)
      guard let file = try? files.open("number", O_RDWR) else { _exit(1) }
      switch way {
      case .map:
        let map = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        map?.assumingMemoryBound(to: Int64.self).pointee += 1
      case .calls: addByCalls(file)
      case .lock:
        while flock(file, LOCK_EX) != 0 {}
        addByCalls(file)
        flock(file, LOCK_UN)
      }
    }

    private func addByCalls(_ file: Int32) {
      var number: Int64 = 0
      guard pread(file, &number, 8, 0) == 8 else { _exit(2) }
      number += 1
      guard pwrite(file, &number, 8, 0) == 8 else { _exit(3) }
    }

    /// Returns the number after both processes.
    func run(first: UInt32 = 0, _ lengths: [UInt32], _ event: ci_switch = CI_SWITCH_WAITS) throws -> Int64 {
      var number = [Int64](repeating: 0, count: 512)
      let file = try files.open("number", O_RDWR | O_CREAT | O_TRUNC)
      #expect(write(file, &number, 4_096) == 4_096)
      let error = ci_schedule_run(
        schedule, first, lengths, UInt32(lengths.count), event,
        { context, _ in Unmanaged<Adders>.fromOpaque(context!).takeUnretainedValue().add() },
        Unmanaged.passUnretained(self).toOpaque(), 10, &endings)
      // The process that was killed, or that waited for a suspended one.
      let ended = event == CI_SWITCH_KILLS ? Int(first) : 1 - Int(first)
      let end = event == CI_SWITCH_KILLS ? SIGKILL : Self.stuck
      #expect(error == 0 && endings[1 - ended] == 0)
      #expect(endings[ended] == 0 || event != CI_SWITCH_WAITS && endings[ended] == end, "\(endings)")
      #expect(pread(file, &number, 8, 0) == 8)
      close(file)
      return number[0]
    }

    /// Returns the outcome of each schedule with two switches that the search does not leave out.
    func all() throws -> [Int64] {
      var outcomes: [Int64] = []
      for first: UInt32 in 0..<2 {
        var number: UInt32 = 0
        while number != UInt32.max {
          outcomes.append(try run(first: first, [number]))
          number = ci_schedule_next(schedule, first, number)
        }
      }
      return outcomes
    }
  }

  @Test func `an addition between a read and a write is lost`() async {
    await #expect(processExitsWith: .success) {
      let adders = try Adders(.calls)
      #expect(try adders.run([]) == 2)
      // The points are the opening, the read and the write.
      #expect(try adders.run([1]) == 2)
      #expect(try adders.run([2]) == 1)
      #expect(try adders.run([3]) == 2)
      #expect(Set(try adders.all()) == [1, 2])
    }
  }

  @Test func `an access to a shared map is a point`() async {
    await #expect(processExitsWith: .success) {
      let adders = try Adders(.map)
      guard ci_schedule_steps() == 1 else { return }
      #expect(try adders.run([]) == 2)
      #expect(Set(try adders.all()) == [1, 2])
      var count: UInt32 = 0
      let points = UnsafeBufferPointer(start: ci_schedule_points(adders.schedule, &count), count: Int(count))
      #expect(points.contains { $0.call == CI_CALL_LOAD.rawValue && $0.offset == 0 })
      #expect(points.contains { $0.call == CI_CALL_STORE.rawValue && $0.offset == 0 && $0.result == 2 })
    }
  }

  /// The kernel releases the lock of the killed process, which is still held after its second point.
  @Test(arguments: [UInt32(0), 1]) func `a process is killed at its switch and the other one goes on`(
    _ first: UInt32
  ) async {
    await #expect(processExitsWith: .success) { [first] in
      let adders = try Adders(.lock)
      let numbers = try (0..<7).map { try adders.run(first: first, [$0], CI_SWITCH_KILLS) }
      #expect(numbers.first == 1 && numbers.last == 2 && numbers == numbers.sorted(), "\(numbers)")
      #expect(adders.endings == [0, 0])
    }
  }

  /// The holder of the lock continues only when the other process has given up.
  @Test func `a process waits in vain for a suspended one`() async {
    await #expect(processExitsWith: .success) {
      let adders = try Adders(.lock)
      var waits = 0
      for number: UInt32 in 0..<7 {
        let sum = try adders.run([number], CI_SWITCH_SUSPENDS)
        let isStuck = adders.endings == [0, Adders.stuck]
        #expect(sum == (isStuck ? 1 : 2))
        waits += isStuck ? 1 : 0
      }
      #expect((1...5).contains(waits))
      // Without a lock, the suspended process overwrites what the other one has written.
      #expect(try (0..<7).map { try Adders(.calls).run([$0], CI_SWITCH_SUSPENDS) }.contains(1))
    }
  }

  /// A process that waits for a lock hands over its turn, and the search leaves equal schedules out.
  @Test func `a lock loses nothing and stops no process`() async {
    await #expect(processExitsWith: .success) {
      let outcomes = try Adders(.lock).all()
      #expect(Set(outcomes) == [2] && (4...12).contains(outcomes.count), "\(outcomes)")
    }
  }

  @Test func `a process that dies or waits without end does not stop the other one`() async {
    await #expect(processExitsWith: .success) {
      let schedule = try #require(ci_schedule_create())
      var endings: [Int32] = [0, 0]
      let dying: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { _, process in
        if process == 0 { kill(getpid(), SIGKILL) }
      }
      #expect(ci_schedule_run(schedule, 0, nil, 0, CI_SWITCH_WAITS, dying, nil, 10, &endings) == 0)
      #expect(endings == [SIGKILL, 0])
      let waiting: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { _, _ in
        while true { _ = ci_schedule_wait() }
      }
      #expect(ci_schedule_run(schedule, 0, nil, 0, CI_SWITCH_WAITS, waiting, nil, 10, &endings) == 0)
      #expect(endings.allSatisfy { $0 == CI_SCHEDULE_STUCK << 8 })
      let spinning: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { _, process in
        while process == 1 {}
      }
      #expect(ci_schedule_run(schedule, 0, nil, 0, CI_SWITCH_WAITS, spinning, nil, 1, &endings) == 0)
      #expect(endings == [0, SIGALRM])
    }
  }
}
