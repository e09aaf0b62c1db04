import Foundation
import StorageContract

/// A session with gnome-keyring: a message bus and a keyring daemon for one open store. All their files are in the
/// store's directory.
final class KeyringSession {
  static let programs = [
    (name: "dbus-daemon", package: "dbus"), (name: "gnome-keyring-daemon", package: "gnome-keyring"),
  ]

  let address: String
  let wasInterrupted: Bool

  // A shell that kills the message bus and the keyring daemon when this process ends or closes the socket `lifeline`.
  private let shell: SpawnedProcess
  private var lifeline: Int32
  private var turn: KeyringTurn?

  /// The shell script that starts the message bus and the keyring daemon, and kills both after the line `end` or at the
  /// end of its input.
  private static let script = """
    exec 2> /dev/null
    trap '' PIPE HUP INT TERM
    cd "$1" || exit
    umask 077
    export HOME="$PWD" XDG_DATA_HOME="$PWD" XDG_CONFIG_HOME="$PWD" XDG_CACHE_HOME="$PWD" XDG_RUNTIME_DIR="$PWD/session"
    rm -rf session
    mkdir session session/control || exit
    mkfifo session/address
    cat > session/bus.conf <<END
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type><listen>unix:abstract=$2</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
      <limit name="max_message_size">1000000000</limit>
      <limit name="max_incoming_bytes">1000000000</limit><limit name="max_outgoing_bytes">1000000000</limit>
    </busconfig>
    END
    setpriv --pdeathsig KILL dbus-daemon --config-file=session/bus.conf --nofork --nopidfile --print-address=3 \\
      3> session/address > /dev/null < /dev/null &
    bus=$!
    read -r DBUS_SESSION_BUS_ADDRESS < session/address
    export DBUS_SESSION_BUS_ADDRESS
    rm session/address
    IFS= read -r password
    printf %s "$password" |
      gnome-keyring-daemon --foreground --unlock --components=secrets --control-directory=session/control > /dev/null &
    keyring=$!
    echo "$DBUS_SESSION_BUS_ADDRESS"
    exec > /dev/null
    read -r end
    kill -9 $keyring $bus
    wait
    rm -rf session/control
    [ -z "$end" ] || rm -rf session
    """

  /// Starts a message bus and a keyring daemon for the directory, without waiting for the daemon.
  ///
  /// - Throws: ``StoreError/busy(_:)`` if another process uses the keyring, or another session stays open in this
  ///   process for 10 s; ``StoreError/readOnly(_:)`` if the directory cannot be written.
  init(in directory: String, password: String) throws {
    turn = try KeyringTurn()
    let lock = try Self.lock(directory)
    defer { try? lock.close() }
    wasInterrupted = access("\(directory)/session", F_OK) == 0
    // A child process that inherited the socket would keep the session open, hence SOCK_CLOEXEC.
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw StoreError(errno: errno, doing: "making a socket for the keyring's session")
    }
    let name = "storage-bench-\(UUID().uuidString)"
    defer { Foundation.close(ends[1]) }
    do {
      // The shell gets a separate process group, so that Ctrl-C does not reach the shell. Descriptor 9 passes the
      // directory's lock to the shell.
      shell = try SpawnedProcess(
        ["/bin/sh", "-c", Self.script, "keyring-session", directory, name],
        environment: ["PATH": Self.searchPath], inherits: false,
        streams: [0: .descriptor(ends[1]), 1: .descriptor(ends[1]), 9: .descriptor(lock.fileDescriptor)],
        leadsGroup: true)
    } catch {
      Foundation.close(ends[0])
      throw StoreError(errno: error.code, doing: "starting /bin/sh for the keyring's session")
    }
    lifeline = ends[0]
    Self.send("\(password)\n", to: ends[0])
    address = Self.line(from: ends[0])
    guard !address.isEmpty else {
      end(isClean: true)
      throw StoreError.failed(
        "dbus-daemon does not start in \(directory); "
          + "check that dbus and util-linux are installed and the disk is not full")
    }
  }

  deinit { end(isClean: false) }

  /// Ends the message bus and the keyring daemon. If `isClean` is false, ``wasInterrupted`` is true in the next
  /// session.
  func end(isClean: Bool) {
    guard lifeline >= 0 else { return }
    if isClean { Self.send("end\n", to: lifeline) }
    Foundation.close(lifeline)
    lifeline = -1
    shell.wait()
    turn = nil
  }

  /// Returns a lock on the directory. Waits up to 5 s, because killed processes may keep the lock.
  private static func lock(_ directory: String) throws -> FileHandle {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno: errno, doing: "opening \(directory)") }
    let lock = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard access(directory, W_OK) == 0 else { throw StoreError(errno: errno, doing: "writing to \(directory)") }
    for _ in 0..<1_000 where flock(descriptor, LOCK_EX | LOCK_NB) != 0 { usleep(5_000) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw StoreError.busy("the keyring in \(directory) is in use by another process")
    }
    return lock
  }

  private static func send(_ text: String, to stream: Int32) {
    let bytes = Array(text.utf8)
    _ = Foundation.send(stream, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  private static func line(from stream: Int32) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = Foundation.read(stream, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1, byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }

  private static var searchPath: String { getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin" }

  static func hasProgram(_ name: String) -> Bool {
    searchPath.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }
}

/// A lock that lets only one session be open in this process. It is released when this object is destroyed.
private final class KeyringTurn {
  private static let free = DispatchSemaphore(value: 1)

  init() throws {
    guard Self.free.wait(timeout: .now() + 10) == .success else {
      throw StoreError.busy("another keychain is open in this process")
    }
  }

  deinit { Self.free.signal() }
}
