import Foundation
import StorageContract
import StorageTrial
import TestSupport
import Testing

@testable import StorageBench

@Suite struct MachineTests {
  @Test func `the compiler's version is exact, or asks for its line`() throws {
    let text = try runProgram(["/usr/bin/env", "swift", "--version"]).output
    let told = try #require(text.firstMatch(of: /Swift version (\d+\.\d+(?:\.\d+)?)/)?.output.1)
    let exact = told.split(separator: ".").count == 2 ? "\(told).0" : String(told)
    #expect(compilerVersion == exact, "CompilerVersion.swift needs a line for \(exact)")
  }

  @Test func `a virtual machine has a name, where the processor tells`() throws {
    let environment = MachineProbe(scratch: "/tmp").environment()
    #if arch(x86_64)
      let told = try #require(environment.system["virtual machine"])
      let flags = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
      #expect((told == "no") == !flags.contains(" hypervisor"))
    #endif
    #expect(environment.build["swift"] == compilerVersion)
    let version = try String(contentsOfFile: "/proc/sys/kernel/version", encoding: .utf8)
    #expect((environment.system["preemption"] != nil) == version.contains("PREEMPT"))
  }

  @Test func `the features of ext4 are read from its superblock`() throws {
    let directory = TemporaryDirectory()
    let path = "\(directory.path)/image"
    func features(_ compatible: UInt8, _ incompatible: UInt8, _ readOnly: UInt8, magic: [UInt8] = [0x53, 0xEF]) throws
      -> String?
    {
      var image = [UInt8](repeating: 0, count: 4_096)
      image.replaceSubrange(1_024 + 0x38..<1_024 + 0x3A, with: magic)
      (image[1_024 + 0x5C], image[1_024 + 0x60], image[1_024 + 0x64]) = (compatible, incompatible, readOnly)
      try Data(image).write(to: URL(fileURLWithPath: path))
      return Ext4Features.text(of: path)
    }
    #expect(try features(0b0000_0100, 0b0100_0010, 0b0000_0001) == "has_journal filetype extent sparse_super")
    #expect(try features(0, 0b1000_0000, 0) == "64bit")
    #expect(try features(0b0100_0000, 0, 0) == "FEATURE_C6")
    #expect(try features(0b0000_0100, 0, 0, magic: [0, 0]) == nil)
    try Data(count: 100).write(to: URL(fileURLWithPath: path))
    #expect(Ext4Features.text(of: path) == nil)
    #expect(Ext4Features.text(of: "/nonexistent") == nil)
  }

  @Test func `syncs that cost sixteen times as much now and then are doubtful`() throws {
    let steady = try #require(SyncSteadiness((0..<24).map { 90_000 + Double($0 % 5) * 2_000 }))
    #expect(steady.isGood)
    #expect(steady.text == "a sync costs 94 µs (90 µs to 98 µs in 24 tries)")
    let unsteady = try #require(SyncSteadiness((0..<24).map { [4.0e6, 0.25e6, 3.6e6][$0 / 2 % 3] }))
    #expect(!unsteady.isGood)
    #expect(unsteady.text.contains("250 µs to 4.0 ms in 24 tries: rows that sync cannot be compared"))
    let fast = try #require(SyncSteadiness((0..<24).map { _ in 3_000 }))
    #expect(!fast.isGood)
    #expect(fast.text.contains("this disk does not flush"))
    #expect(SyncSteadiness([]) == nil)
  }

  @Test func `a debug build refuses to measure unless the user allows it`() throws {
    expectUsageError("this is a debug build") { try DebugBuild.refuse(unless: false, isDebug: true) }
    try DebugBuild.refuse(unless: true, isDebug: true)
    try DebugBuild.refuse(unless: false, isDebug: false)
  }

  @Test func `the free space that a device needs holds the smallest image`() {
    #expect(Quantity.size(DeviceDisk.leastFree) == "683MiB")
    #expect(DeviceDisk.leastFree / 4 * 3 >= 512 << 20)
  }
}
