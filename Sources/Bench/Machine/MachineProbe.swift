import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads

struct MachineProbe {
  let scratch: String

  /// Returns a description of the machine, the build, the disk of the stores, and the storage engines.
  ///
  /// - Parameter plan: A plan whose backend options may select further storage engines, such as SQLCipher. Nil to
  ///   describe only the engines of the default options.
  func environment(_ plan: Plan? = nil) -> MachineEnvironment {
    let mount = Linux.mount(of: scratch)
    let system = Linux.system
    var storage = Linux.disk(of: scratch)
    storage["scratch"] = scratch
    storage["filesystem"] = Linux.fileSystem(of: scratch)
    storage["device"] = mount?.device
    storage["mount options"] = mount?.options
    var environment = MachineEnvironment(
      machine: fingerprint(system, storage), system: system, storage: storage, build: Self.build(),
      engines: engines(plan?.cells.map(\.cell.backend).unique ?? []))
    environment.syncCost = syncCost()
    environment.clockCost = SystemTime.readingCost
    environment.warnings = warnings(environment)
    return environment
  }

  /// Returns a hash of the machine's properties that affect times. Only times with equal hashes can be compared.
  private func fingerprint(_ system: [String: String], _ storage: [String: String]) -> String {
    var hash = StableHash()
    for key in ["cpu", "cores", "memory", "kernel"] { hash.add(system[key] ?? "") }
    hash.add(storage["filesystem"].map { MachineEnvironment.fileSystem($0, storage) } ?? "")
    hash.add(storage["write cache"] ?? "")
    return String(hash.text.prefix(8))
  }

  private func engines(_ specs: [Spec]) -> [String: String] {
    var engines: [String: String] = [:]
    for spec in specs {
      let backend = Catalog.current.backends.first { $0.description.id == spec.id }
      guard let loaded = backend?.description.loaded(spec.options), loaded.obstacle == nil else { continue }
      engines[spec.engine] = loaded.version
      engines["\(spec.engine) compiled with"] = loaded.compileOptions
    }
    for backend in Catalog.current.backends where backend.description.missing() == nil {
      engines[backend.description.id] = backend.description.engineVersion()
      let options = backend.description.compileOptions()
      if !options.isEmpty { engines["\(backend.description.id) compiled with"] = options }
    }
    return engines
  }

  private static func build() -> [String: String] {
    var build = ["version": suiteVersion, "mode": DebugBuild.isThisBuild ? "debug" : "release"]
    #if arch(x86_64)
      build["architecture"] = "x86_64"
    #elseif arch(arm64)
      build["architecture"] = "arm64"
    #endif
    build["swift"] = compilerVersion
    build["git revision"] = gitRevision()
    build["executable"] = executable
    return build
  }

  /// A hash of this program's executable file, which distinguishes builds; nil if the file cannot be read.
  private static let executable: String? = {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: ProcessInfo.executable), options: .alwaysMapped) else {
      return nil
    }
    // FNV-1a, as in StableHash, but over words, because an executable has millions of bytes.
    let hash = data.withUnsafeBytes { bytes in
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
        hash = (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x100_0000_01b3
      }
      return hash ^ UInt64(bytes.count)
    }
    return PathNumber.text(hash, digits: 16, radix: 16)
  }()

  private static func gitRevision() -> String? {
    var directory = URL(fileURLWithPath: ProcessInfo.executable)
    while directory.path != "/" {
      directory.deleteLastPathComponent()
      let git = directory.appendingPathComponent(".git").path
      guard let head = Linux.text("\(git)/HEAD") else { continue }
      guard head.hasPrefix("ref: ") else { return String(head.prefix(12)) }
      let reference = head.dropFirst("ref: ".count)
      if let revision = Linux.text("\(git)/\(reference)") { return String(revision.prefix(12)) }
      return Linux.text("\(git)/packed-refs")?.split(separator: "\n")
        .first { $0.hasSuffix(" \(reference)") }.map { String($0.prefix(12)) }
    }
    return nil
  }

  /// Returns the median time of 15 synced writes of 4 KiB, in nanoseconds; nil if writing fails.
  func syncCost() -> Double? {
    let times = FitnessProbe.write([UInt8](repeating: 0x5A, count: 4096), times: 15, in: scratch).sorted()
    return times.isEmpty ? nil : Double(times[times.count / 2])
  }

  private func warnings(_ environment: MachineEnvironment) -> [String] {
    var warnings: [String] = []
    if Linux.isRAMDisk(scratch) {
      warnings.append(
        "The stores lie in memory (\(environment.storage["filesystem"] ?? "tmpfs")): syncs cost nothing here.")
    }
    if environment.build["mode"] == "debug" { warnings.append("This is a debug build: its times say nothing.") }
    if let load = Linux.load, load > Double(ProcessInfo.processInfo.activeProcessorCount) / 2 {
      warnings.append(String(format: "The machine was busy when the run began: load %.1f.", load))
    }
    if let steal = Linux.steal, steal > 0.1 {
      warnings.append(String(format: "The hypervisor gave %.0f %% of the time to others since boot.", steal * 100))
    }
    return warnings
  }
}
