import Foundation

/// The minimum numbers of open files and threads. With fewer, Foundation and Dispatch crash or hang.
enum ProcessLimits {
  private static let files: rlim_t = 64
  private static let threads = 24

  /// Returns an error message if this process can open too few files or start too few threads; nil otherwise. Also
  /// opens missing standard streams, so call this function before any other code opens files.
  static func obstacle() -> String? {
    // No other file may get the number of a missing stream.
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open(Linux.nullDevice, O_RDONLY) }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < files {
      limit.rlim_cur = min(files, limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      if limit.rlim_cur < files {
        return "only \(limit.rlim_cur) files can be open at once; allow \(files) or more: ulimit -n \(files)"
      }
    }
    return canStartThreads() ? nil : "fewer than \(threads) more threads and processes can be started; raise ulimit -u"
  }

  /// A lock at which the threads of ``canStartThreads()`` wait until all have started.
  private static let gate = NSLock()

  private static func canStartThreads() -> Bool {
    var started: [pthread_t] = []
    gate.lock()
    defer {
      gate.unlock()
      for thread in started { pthread_join(thread, nil) }
    }
    for _ in 0..<threads {
      var thread = pthread_t()
      let error = pthread_create(&thread, nil, { _ in ProcessLimits.gate.withLock { nil } }, nil)
      guard error == 0 else { return false }
      started.append(thread)
    }
    return true
  }
}
