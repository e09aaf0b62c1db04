// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "my-bench",
  dependencies: [
    // In a package of your own: .package(url: "the address that you cloned", branch: "main"), or a path to your clone.
    .package(name: "storage-bench", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "my-bench",
      dependencies: [
        .product(name: "StorageContract", package: "storage-bench"),
        .product(name: "StorageBackends", package: "storage-bench"),
        .product(name: "StorageWorkloads", package: "storage-bench"),
        .product(name: "StorageBench", package: "storage-bench"),
      ]
    ),
    .testTarget(
      name: "my-benchTests", dependencies: ["my-bench", .product(name: "StorageVerify", package: "storage-bench")]),
  ],
  swiftLanguageModes: [.v6]
)
