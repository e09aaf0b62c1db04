// swift-tools-version: 6.2
import PackageDescription

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
  name: "storage-bench",
  products: [
    .executable(name: "storage-bench", targets: ["storage-bench"]),
    .library(name: "Contract", targets: ["Contract"]),
    .library(name: "Backends", targets: ["Backends"]),
    .library(name: "Workloads", targets: ["Workloads"]),
    .library(name: "Bench", targets: ["Bench"]),
    .library(name: "Verify", targets: ["Verify"]),
    .library(name: "Report", targets: ["Report"]),
    .library(name: "ObjectGraph", targets: ["ObjectGraph"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2"),
  ],
  targets: [
    .executableTarget(name: "storage-bench", dependencies: ["Backends", "Bench", "Workloads"]),

    // What everything else is written against; imports nothing of ours.
    .target(name: "Contract"),
    .target(name: "Statistics"),
    .target(name: "CInstrument"),
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),

    .target(name: "Backends", dependencies: ["Contract", "CLMDB", "ObjectGraph", grdb, grdbSQLite]),
    .target(name: "ObjectGraph", dependencies: [grdbSQLite]),
    .target(name: "Workloads", dependencies: ["Contract"]),
    .target(name: "Verify", dependencies: ["CInstrument", "Contract"]),
    .target(name: "Report", dependencies: ["Contract", "Statistics"]),
    .target(
      name: "Bench",
      dependencies: [
        "CInstrument", "Contract", "Report", "Statistics", "Workloads",
        argumentParser, histogram, subprocess, system, yams,
      ]
    ),

    .testTarget(name: "ContractTests", dependencies: ["Contract"]),
    .testTarget(name: "WorkloadsTests", dependencies: ["Contract", "Workloads"]),
    .testTarget(
      name: "BenchTests",
      dependencies: ["Backends", "Bench", "CInstrument", "Contract", "Report", "Statistics", "Workloads"]),
    .target(name: "CGNUCalls", path: "Tests/Fixtures/CGNUCalls"),
    .testTarget(name: "CInstrumentTests", dependencies: ["CGNUCalls", "CInstrument"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Backends", "Contract", "CostlyBench", "MisbehavingBench", "Report", "Workloads", "reproduce", "storage-bench",
        grdbSQLite,
      ]),
    // Backends that crash, hang and lie: the only place where they exist.
    .executableTarget(
      name: "MisbehavingBench", dependencies: ["Backends", "Bench", "Contract", "Workloads"],
      path: "Tests/Fixtures/MisbehavingBench"),
    // Every backend, each save costing a little more: what a gate has to see.
    .executableTarget(
      name: "CostlyBench", dependencies: ["Backends", "Bench", "Contract", "Workloads"],
      path: "Tests/Fixtures/CostlyBench"),
    .testTarget(name: "StatisticsTests", dependencies: ["Statistics"]),
    .testTarget(name: "ReportTests", dependencies: ["Contract", "Report", "Shapes", "Statistics"]),
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
        "ObjectGraph", "SampleModels", "graph-child", "graph-memory", "graph-stress", "students-store", grdbSQLite,
      ]),
    .testTarget(name: "VerifyTests", dependencies: ["Backends", "Contract", "MisbehavingBench", "Verify"]),
    .testTarget(
      name: "BackendsTests", dependencies: ["Backends", "CInstrument", "Contract", "Verify", grdb, grdbSQLite]),

    // The workloads of several threads, for the thread sanitizer: scripts/thread-stress.
    .executableTarget(
      name: "thread-stress", dependencies: ["Backends", "Contract", "Workloads"],
      path: "Tests/Fixtures/ThreadStress"),

    // How much the adapters and the loop add to the same calls made in C: scripts/fidelity.
    .target(name: "CBaseline", dependencies: ["CLMDB", grdbSQLite], path: "Tests/Fidelity/CBaseline"),
    .executableTarget(
      name: "fidelity", dependencies: ["Backends", "Bench", "CBaseline", "Contract", "Statistics", "Workloads"],
      path: "Tests/Fidelity/Fidelity"),
    // What others have found, looked for in a run of ours: scripts/reproduce.
    .target(name: "Shapes", dependencies: ["Contract", "Report", "Statistics"], path: "Tests/Reproduction/Shapes"),
    .executableTarget(
      name: "reproduce", dependencies: ["Contract", "Report", "Shapes"], path: "Tests/Reproduction/Reproduce"),
    // What the object graph costs over the same records in SQLite: scripts/graph-cost.
    .executableTarget(
      name: "graph-cost", dependencies: ["Backends", "Contract", "ObjectGraph", "Statistics"],
      path: "Tests/Fidelity/GraphCost"),
  ],
  swiftLanguageModes: [.v6]
)
