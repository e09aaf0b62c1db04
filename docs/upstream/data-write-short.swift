// Data.write(to:) after a short write. Linux writes at most 2,147,479,552 bytes in a call, so 2 GiB need two.
import Foundation

let directory = NSTemporaryDirectory() + "/short-write-\(getpid())"
let fifo = URL(fileURLWithPath: directory + "/fifo")
mkdir(directory, 0o700)
mkfifo(fifo.path, 0o600)
// The mapping takes one page of memory: all bytes but the last are 0.
let count = 1 << 31
let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
let bytes = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0)!
let reader = Process()
let output = Pipe()
reader.executableURL = URL(fileURLWithPath: "/usr/bin/tail")
reader.arguments = ["-c", "1", fifo.path]
reader.standardOutput = output
guard bytes != MAP_FAILED, (try? reader.run()) != nil else {
  try? FileManager.default.removeItem(atPath: directory)
  print("not tried: it needs 2 GiB of address space, and /usr/bin/tail")
  exit(2)
}
bytes.storeBytes(of: 7, toByteOffset: count - 1, as: UInt8.self)
let result = Result { try Data(bytesNoCopy: bytes, count: count, deallocator: .none).write(to: fifo) }
let last = output.fileHandleForReading.readDataToEndOfFile().first ?? 0
try? FileManager.default.removeItem(atPath: directory)
let isWrong = last != 7 && (try? result.get()) != nil
print("expected: an error, or 7 as the last byte of the file")
print("observed: \(isWrong ? "no error" : "\(result)"), and \(last) as the last byte of the file")
exit(isWrong ? 1 : 0)
