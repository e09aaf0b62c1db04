import StorageContract
import StorageTrial
import Testing

@Suite struct DebugBuildTests {
  @Test func `a debug build refuses to measure unless the user allows it`() throws {
    expectUsageError("this is a debug build") { try DebugBuild.refuse(unless: false, isDebug: true) }
    try DebugBuild.refuse(unless: true, isDebug: true)
    try DebugBuild.refuse(unless: false, isDebug: false)
  }
}
