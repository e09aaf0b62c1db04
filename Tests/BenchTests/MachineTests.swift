import Foundation
import StorageTrial
import Testing

@testable import StorageBench

@Suite struct MachineTests {
  @Test func `the compiler's version is exact, or asks for its line`() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "--version"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let told = try #require(text.firstMatch(of: /Swift version (\d+\.\d+(?:\.\d+)?)/)?.output.1)
    let exact = told.split(separator: ".").count == 2 ? "\(told).0" : String(told)
    #expect(compilerVersion == exact, "CompilerVersion.swift needs a line for \(exact)")
  }

  @Test func `a virtual machine has a name, where the processor tells`() throws {
    let environment = MachineProbe(catalog: .current, scratch: "/tmp").environment()
    #if arch(x86_64)
      let told = try #require(environment.system["virtual machine"])
      let flags = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
      #expect((told == "no") == !flags.contains(" hypervisor"))
    #endif
    #expect(environment.build["swift"] == compilerVersion)
    let version = try String(contentsOfFile: "/proc/sys/kernel/version", encoding: .utf8)
    #expect((environment.system["preemption"] != nil) == version.contains("PREEMPT"))
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
}
