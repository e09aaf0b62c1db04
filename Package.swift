// swift-tools-version: 6.2
import PackageDescription

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

// For modules in which nothing is measured. Those that compute for seconds are compiled for size, which takes the compiler a
// tenth less and reports a fiftieth longer; the one that waits for other processes is not optimized at all, and is compiled in
// a quarter of the time. Since tools version 6.2 a package with such flags can be depended on by version.
func notMeasured(_ flag: String) -> [SwiftSetting] { [.unsafeFlags([flag], .when(configuration: .release))] }

let package = Package(
  name: "storage-bench",
  products: [
    .executable(name: "storage-bench", targets: ["storage-bench"]),
    .library(name: "StorageContract", targets: ["StorageContract"]),
    .library(name: "StorageBackends", targets: ["StorageBackends"]),
    .library(name: "StorageWorkloads", targets: ["StorageWorkloads"]),
    .library(name: "StorageBench", targets: ["StorageBench"]),
    .library(name: "StorageVerify", targets: ["StorageVerify"]),
    .library(name: "StorageRunFiles", targets: ["StorageRunFiles"]),
    .library(name: "StorageStatistics", targets: ["StorageStatistics"]),
    .library(name: "StorageReport", targets: ["StorageReport"]),
    .library(name: "ObjectGraph", targets: ["ObjectGraph"]),
    // For Lab.
    .library(name: "StorageTrial", targets: ["StorageTrial"]),
    .library(name: "CStorageInstrument", targets: ["CStorageInstrument"]),
    .library(name: "CStorageLMDB", targets: ["CStorageLMDB"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  // Folder X is module StorageX, so that a package with a module called Report or Statistics can depend on this one.
  targets: [
    .executableTarget(name: "storage-bench", dependencies: ["StorageBackends", "StorageBench", "StorageWorkloads"]),

    // The base of all other targets. It imports none of them.
    .target(name: "StorageContract", path: "Sources/Contract"),
    .target(name: "StorageStatistics", path: "Sources/Statistics"),
    .target(name: "StorageRunFiles", dependencies: ["StorageContract"], path: "Sources/RunFiles"),
    .target(name: "CStorageInstrument", path: "Sources/CInstrument"),
    .target(
      name: "CStorageLMDB", path: "Sources/CLMDB", linkerSettings: [.linkedLibrary("lmdb"), .linkedLibrary("sqlite3")]),

    .target(
      name: "StorageBackends",
      dependencies: ["StorageContract", "CStorageLMDB", "ObjectGraph", grdb, grdbSQLite], path: "Sources/Backends"),
    .target(name: "ObjectGraph", dependencies: [grdbSQLite]),
    .target(name: "StorageWorkloads", dependencies: ["StorageContract"], path: "Sources/Workloads"),
    .target(
      name: "StorageVerify", dependencies: ["CStorageInstrument", "StorageContract"], path: "Sources/Verify",
      swiftSettings: notMeasured("-Osize")),
    // The script and the styles of the page: in the executable, which is one file, and in the sources as what they are.
    .target(name: "CStoragePage", path: "Sources/CPage"),
    .target(
      name: "StorageReport", dependencies: ["CStoragePage", "StorageContract", "StorageRunFiles", "StorageStatistics"],
      path: "Sources/Report",
      exclude: [
        "calculator.js", "charts.css", "downloads.js", "drawer.js", "elements.js", "explorer.js", "numbers.js",
        "page.css", "page.js", "plot.js", "view.js",
      ].map { "Page/\($0)" },
      swiftSettings: notMeasured("-Osize")),
    // The process that is measured, and what measures it.
    .target(
      name: "StorageTrial",
      dependencies: [
        "CStorageInstrument", "StorageContract", "StorageRunFiles", "StorageVerify", "StorageWorkloads", histogram,
      ],
      path: "Sources/Trial"),
    .target(
      name: "StorageBench",
      dependencies: [
        "CStorageInstrument", "StorageContract", "StorageReport", "StorageRunFiles", "StorageStatistics",
        "StorageTrial", "StorageVerify", "StorageWorkloads",
        argumentParser, system, yams,
      ],
      path: "Sources/Bench", swiftSettings: notMeasured("-Onone")),

    // Tests. Folder names follow those of Sources.
    .testTarget(name: "ArchitectureTests"),
    .testTarget(name: "ContractTests", dependencies: ["StorageContract", "StorageVerify", "TestSupport"]),
    .testTarget(name: "StatisticsTests", dependencies: ["StorageStatistics", "TestSupport"]),
    .testTarget(name: "WorkloadsTests", dependencies: ["StorageContract", "StorageWorkloads", "TestSupport"]),
    .testTarget(
      name: "BackendsTests",
      dependencies: [
        "StorageBackends", "CStorageInstrument", "StorageContract", "StorageVerify", "TestSupport", grdb, grdbSQLite,
      ]),
    .testTarget(name: "ObjectGraphTests", dependencies: ["ObjectGraph", "TestSupport", "test-child", grdbSQLite]),
    .testTarget(
      name: "VerifyTests",
      dependencies: ["StorageBackends", "StorageContract", "MisbehavingBench", "StorageVerify", "TestSupport"]),
    .testTarget(name: "CInstrumentTests", dependencies: ["CGNUCalls", "CStorageInstrument", "test-child"]),
    .testTarget(
      name: "BenchTests",
      dependencies: [
        "StorageBackends", "StorageBench", "CStorageInstrument", "MisbehavingBench", "StorageContract",
        "StorageReport", "StorageRunFiles", "StorageStatistics", "StorageTrial", "StorageVerify", "StorageWorkloads",
        "TestSupport",
      ]),
    .testTarget(
      name: "ReportTests",
      dependencies: [
        "check-run", "StorageContract", "StorageReport", "StorageRunFiles", "StorageStatistics", "TestSupport",
      ],
      exclude: ["Page/Checks/checks.js"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "StorageBackends", "StorageBench", "StorageContract", "MisbehavingBench", "StorageReport", "StorageRunFiles",
        "StorageTrial", "StorageWorkloads", "storage-bench",
      ]),
    // Sample runs for the tests of reports, sample models for those of the object graph, and a check that work is linear in
    // its input.
    .target(
      name: "TestSupport",
      dependencies: ["ObjectGraph", "StorageContract", "StorageReport", "StorageRunFiles", "StorageStatistics"],
      path: "Tests/Fixtures/TestSupport"),
    .target(name: "CGNUCalls", path: "Tests/Fixtures/CGNUCalls"),
    // The processes that tests of the object graph and of the call log start, and the stress runs of scripts/lab.
    .executableTarget(
      name: "test-child",
      dependencies: [
        "CStorageInstrument", "ObjectGraph", "StorageBackends", "StorageContract", "StorageWorkloads", "TestSupport",
      ],
      path: "Tests/Fixtures/TestChild"),
    // Backends that crash, hang, lie or cost too much: the only place where they exist.
    .executableTarget(
      name: "MisbehavingBench",
      dependencies: [
        "CStorageInstrument", "StorageBackends", "StorageBench", "StorageContract", "StorageWorkloads",
      ],
      path: "Tests/Fixtures/MisbehavingBench"),
    // Compares the sentences of a finished run's reports with its tables, by code that shares nothing with what wrote them.
    .executableTarget(name: "check-run", path: "Tests/RunCheck"),
  ],
  swiftLanguageModes: [.v6]
)

// `scripts/test` builds the tests in release, so that the code under test is optimized. The tests themselves are not, because
// that would take the compiler ten minutes more.
for target in package.targets where target.type == .test { target.swiftSettings = notMeasured("-Onone") }
