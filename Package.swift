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

    // What everything else is written against; imports nothing of ours.
    .target(name: "StorageContract", path: "Sources/Contract"),
    .target(name: "StorageStatistics", path: "Sources/Statistics"),
    .target(name: "StorageRunFiles", dependencies: ["StorageContract"], path: "Sources/RunFiles"),
    .target(name: "CStorageInstrument", path: "Sources/CInstrument"),
    .systemLibrary(name: "CStorageLMDB", path: "Sources/CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),

    .target(
      name: "StorageBackends", dependencies: ["StorageContract", "CStorageLMDB", "ObjectGraph", grdb, grdbSQLite],
      path: "Sources/Backends"),
    .target(name: "ObjectGraph", dependencies: [grdbSQLite]),
    .target(name: "StorageWorkloads", dependencies: ["StorageContract"], path: "Sources/Workloads"),
    .target(
      name: "StorageVerify", dependencies: ["CStorageInstrument", "StorageContract"], path: "Sources/Verify",
      swiftSettings: notMeasured("-Osize")),
    // The script of the page: in the executable, which is one file, and in the sources as what it is.
    .target(name: "CStoragePage", path: "Sources/CPage"),
    .target(
      name: "StorageReport", dependencies: ["CStoragePage", "StorageContract", "StorageRunFiles", "StorageStatistics"],
      path: "Sources/Report",
      exclude: [
        "calculator", "elements", "explorer", "numbers", "page", "plot", "view",
      ].map { "Page/\($0).js" },
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

    // What docs/architecture.md says, against the sources.
    .testTarget(name: "ArchitectureTests"),
    .testTarget(name: "ContractTests", dependencies: ["StorageContract"]),
    .testTarget(name: "WorkloadsTests", dependencies: ["StorageContract", "StorageWorkloads"]),
    .testTarget(
      name: "TrialTests",
      dependencies: [
        "StorageBackends", "StorageContract", "StorageRunFiles", "StorageTrial", "StorageVerify", "StorageWorkloads",
      ]),
    .testTarget(
      name: "BenchTests",
      dependencies: [
        "SampleRuns", "StorageBackends", "StorageBench", "CStorageInstrument", "MisbehavingBench", "StorageContract",
        "StorageReport", "StorageRunFiles", "StorageStatistics", "StorageTrial", "StorageVerify", "StorageWorkloads",
        "WorkGrowth",
      ]),
    .target(name: "CGNUCalls", path: "Tests/Fixtures/CGNUCalls"),
    .testTarget(name: "CInstrumentTests", dependencies: ["CGNUCalls", "CStorageInstrument", "watched-work"]),
    // Real engines at work while their calls are logged, to be compared with what strace sees.
    .executableTarget(
      name: "watched-work", dependencies: ["CStorageInstrument", "StorageBackends", "StorageContract"],
      path: "Tests/Fixtures/WatchedWork"),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "StorageBackends", "StorageBench", "StorageContract", "CostlyBench", "MisbehavingBench", "StorageReport",
        "StorageRunFiles", "StorageTrial", "StorageWorkloads",
        "reproduce", "storage-bench",
        grdbSQLite,
      ]),
    // Backends that crash, hang and lie: the only place where they exist.
    .executableTarget(
      name: "MisbehavingBench",
      dependencies: [
        "CStorageInstrument", "StorageBackends", "StorageBench", "StorageContract", "StorageWorkloads",
      ],
      path: "Tests/Fixtures/MisbehavingBench"),
    // Every backend, each save costing a little more: what a gate has to see.
    .executableTarget(
      name: "CostlyBench", dependencies: ["StorageBackends", "StorageBench", "StorageContract", "StorageWorkloads"],
      path: "Tests/Fixtures/CostlyBench"),
    // Every backend under two names: what a run says of noise (scripts/self-study).
    .executableTarget(
      name: "TwinBench", dependencies: ["StorageBackends", "StorageBench", "StorageContract", "StorageWorkloads"],
      path: "Tests/Fixtures/TwinBench"),
    .testTarget(name: "StatisticsTests", dependencies: ["StorageStatistics", "WorkGrowth"]),
    .testTarget(
      name: "ReportTests",
      dependencies: [
        "RunChecks", "SampleRuns", "StorageContract", "StorageReport", "StorageRunFiles", "Shapes", "StorageStatistics",
        "WorkGrowth",
      ]),
    // Whether work is linear in its input, for tests.
    .target(name: "WorkGrowth", path: "Tests/Fixtures/WorkGrowth"),
    // The page in headless Chromium; skipped where there is none.
    .testTarget(
      name: "PageTests",
      dependencies: ["SampleRuns", "StorageContract", "StorageReport", "StorageRunFiles", "StorageStatistics"]),
    // Runs that were never run, for the tests of reports: one with a row of every fate, and such with known laws.
    .target(
      name: "SampleRuns", dependencies: ["StorageContract", "StorageReport", "StorageRunFiles", "StorageStatistics"],
      path: "Tests/Fixtures/SampleRuns"),
    // A finished run's reports read back by code that shares nothing with what wrote them: scripts/check-run.
    .target(name: "RunChecks", path: "Tests/RunCheck/Checks"),
    .executableTarget(name: "check-run", dependencies: ["RunChecks"], path: "Tests/RunCheck/CheckRun"),
    .target(name: "SampleModels", dependencies: ["ObjectGraph"], path: "Tests/Fixtures/SampleModels"),
    .executableTarget(
      name: "students-store", dependencies: ["ObjectGraph", "SampleModels"], path: "Tests/Fixtures/StudentsStore"),
    // Another process that saves and is killed, two threads that work on the same objects, and one process that looks
    // at many of them.
    .executableTarget(
      name: "graph-child", dependencies: ["ObjectGraph", "SampleModels"], path: "Tests/Fixtures/GraphChild"),
    .executableTarget(
      name: "graph-stress", dependencies: ["ObjectGraph", "SampleModels"], path: "Tests/Fixtures/GraphStress"),
    .executableTarget(
      name: "graph-memory", dependencies: ["ObjectGraph", "SampleModels"], path: "Tests/Fixtures/GraphMemory"),
    .testTarget(
      name: "ObjectGraphTests",
      dependencies: [
        "ObjectGraph", "SampleModels", "WorkGrowth", "graph-child", "graph-memory", "graph-stress", "students-store",
        grdbSQLite,
      ]),
    .testTarget(
      name: "VerifyTests", dependencies: ["StorageBackends", "StorageContract", "MisbehavingBench", "StorageVerify"]),
    .testTarget(
      name: "BackendsTests",
      dependencies: ["StorageBackends", "CStorageInstrument", "StorageContract", "StorageVerify", grdb, grdbSQLite]),

    // The workloads of several threads, for the thread sanitizer: scripts/thread-stress.
    .executableTarget(
      name: "thread-stress", dependencies: ["StorageBackends", "StorageContract", "StorageWorkloads"],
      path: "Tests/Fixtures/ThreadStress"),

    // How much the adapters and the loop add to the same calls made in C: scripts/fidelity.
    .target(name: "CBaseline", dependencies: ["CStorageLMDB", grdbSQLite], path: "Tests/Fidelity/CBaseline"),
    .executableTarget(
      name: "fidelity",
      dependencies: [
        "StorageBackends", "CBaseline", "CStorageInstrument", "StorageContract", "StorageStatistics", "StorageTrial",
        "StorageWorkloads", grdb,
      ],
      path: "Tests/Fidelity/Fidelity"),
    // How often the gate for times would cry wolf, drawn from recorded pairs: scripts/gate-study resample.
    .executableTarget(
      name: "gate-resampling",
      dependencies: ["StorageContract", "StorageReport", "StorageRunFiles", "StorageStatistics"],
      path: "Tests/Fidelity/GateResampling"),
    // What others have found, looked for in a run of ours: scripts/reproduce.
    .target(
      name: "Shapes", dependencies: ["StorageContract", "StorageReport", "StorageRunFiles", "StorageStatistics"],
      path: "Tests/Reproduction/Shapes"),
    .executableTarget(
      name: "reproduce", dependencies: ["StorageContract", "StorageReport", "StorageRunFiles", "Shapes"],
      path: "Tests/Reproduction/Reproduce"),
    // What file systems leave after a power cut, and whether crashtest's models allow it: scripts/power-cut.
    .executableTarget(
      name: "power-cut", dependencies: ["StorageBackends", "CStorageInstrument", "StorageContract", "StorageVerify"],
      path: "Tests/Reproduction/PowerCut"),
    // What the object graph costs between bare SQLite and plain objects: scripts/graph-cost.
    .executableTarget(
      name: "graph-cost", dependencies: ["StorageBackends", "StorageContract", "ObjectGraph", "StorageStatistics"],
      path: "Tests/Fidelity/GraphCost"),
  ],
  swiftLanguageModes: [.v6]
)
