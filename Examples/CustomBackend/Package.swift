// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "my-bench",
  dependencies: [
    // In a package of your own: .package(url: "...", from: "...")
    .package(name: "storage-bench", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "my-bench",
      dependencies: [
        .product(name: "Contract", package: "storage-bench"),
        .product(name: "Backends", package: "storage-bench"),
        .product(name: "Workloads", package: "storage-bench"),
        .product(name: "Bench", package: "storage-bench"),
      ]
    ),
    .testTarget(
      name: "my-benchTests", dependencies: ["my-bench", .product(name: "Verify", package: "storage-bench")]),
  ],
  swiftLanguageModes: [.v6]
)
