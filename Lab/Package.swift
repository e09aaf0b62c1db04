// swift-tools-version: 6.2
import PackageDescription

func ours(_ name: String) -> Target.Dependency { .product(name: name, package: "storage-bench") }

// Studies of the suite itself, started by scripts/lab. They are a separate package, so that users of the suite need
// not build it.
let package = Package(
  name: "storage-bench-lab",
  dependencies: [
    .package(name: "storage-bench", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // The same engine calls as in the adapters, written in C.
    .target(
      name: "CBaseline", dependencies: [ours("CStorageLMDB"), .product(name: "GRDBSQLite", package: "GRDB.swift")]),
    .executableTarget(
      name: "lab",
      dependencies: [
        "CBaseline", ours("CStorageInstrument"), ours("ObjectGraph"), ours("StorageBackends"), ours("StorageBench"),
        ours("StorageContract"), ours("StorageReport"), ours("StorageRunFiles"), ours("StorageStatistics"),
        ours("StorageTrial"), ours("StorageVerify"), ours("StorageWorkloads"),
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Yams", package: "Yams"),
      ]),
    .testTarget(name: "LabTests", dependencies: ["lab"]),
  ],
  swiftLanguageModes: [.v6]
)
