// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "rocksdb-bench",
  dependencies: [
    // In a package of your own: .package(url: "...", from: "...")
    .package(name: "storage-bench", path: "../..")
  ],
  targets: [
    .systemLibrary(name: "CRocksDB", pkgConfig: "rocksdb", providers: [.apt(["librocksdb-dev"])]),
    .executableTarget(
      name: "rocksdb-bench",
      dependencies: [
        "CRocksDB",
        .product(name: "StorageContract", package: "storage-bench"),
        .product(name: "StorageBackends", package: "storage-bench"),
        .product(name: "StorageWorkloads", package: "storage-bench"),
        .product(name: "StorageBench", package: "storage-bench"),
      ]
    ),
    .testTarget(
      name: "rocksdb-benchTests",
      dependencies: ["rocksdb-bench", .product(name: "StorageVerify", package: "storage-bench")]),
  ],
  swiftLanguageModes: [.v6]
)
