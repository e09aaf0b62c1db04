import CStorageLMDB
import Foundation
import StorageContract

/// The backend `mdbx`: libmdbx, a library derived from LMDB. The data file grows by itself, up to the size of the
/// memory map.
final class MDBXBackend: LMDBBackend {
  override class var description: BackendDescription { mdbxDescription }

  private static let largestMap = OptionSpec(
    "map", .size(or: "auto"), most: 64 << 40,
    help: "greatest size of the data file, for which addresses are reserved; auto is 64GiB")

  private static let mdbxDescription = BackendDescription(
    id: "mdbx", appearance: Appearance(name: "libmdbx", mark: 16),
    summary: "libmdbx, which was made from LMDB: a memory-mapped B+ tree whose file grows by itself",
    safety: """
      At shipped, no acknowledged save is lost, unless a power cut comes while the store is made: such a store can take \
      saves and be refused later; pages have no checksum; reading a data file that was cut short ends the process with \
      SIGBUS; with writemap=yes, a stray pointer of the program can overwrite the store.
      """,
    options: LMDBBackend.description.options.map { $0.name == "map" ? largestMap : $0 },
    kind: { _ in .page },
    mapped: LMDBBackend.description.mapped,
    engineVersion: { missing == nil ? "libmdbx \(String(cString: storage_mdbx_version()))" : "libmdbx" },
    library: { _ in "libmdbx.so" },
    compileOptions: { missing == nil ? String(cString: storage_mdbx_options()) : "" },
    origin: { missing == nil ? file : nil },
    missing: { missing },
    deviations: { options in
      LMDBBackend.description.deviations(options) + [
        Deviation(
          .shortFiles,
          "A data file of less than three pages is replaced by an empty store, since libmdbx takes it for one that was "
            + "not finished.")
      ]
    },
    isDefault: false)

  override class func promise(_ durability: Durability, _ options: Options) -> Promise {
    // The level with MDBX_SAFE_NOSYNC is only `crash`: mdbx.h says that a power cut leaves an earlier save, but no test
    // can change the boot id by which libmdbx notices a power cut.
    let skipsMetaSync = options[sync] == "nometasync"
    return switch durability {
    case .crash: .level(.crash)
    case .shipped: .level(skipsMetaSync ? .crash : .durable)
    case .intact, .durable:
      skipsMetaSync ? .unavailable("with sync=nometasync a power cut can damage the store") : .level(.durable)
    }
  }

  override class func flags(_ durability: Durability, _ options: Options) -> UInt32 {
    // At `intact`, MDBX_NOMETASYNC is not used: after a power cut, pages of the commit before a lost one may be
    // overwritten.
    super.flags(durability == .intact ? .durable : durability, options)
  }

  private static var file: String { "\(EngineDirectory.path)/libmdbx.so" }

  /// The reason why libmdbx cannot be used, with a remedy; nil if libmdbx is loaded.
  private static let missing: String? = {
    guard FileManager.default.fileExists(atPath: file) else {
      return "libmdbx is not installed; run scripts/install engines"
    }
    guard SharedObject(file)?.isComplete == true else { return unusable("it is not a complete shared library") }
    return storage_mdbx_load(file).map { unusable(String(cString: $0)) }
  }()

  private static func unusable(_ reason: String) -> String {
    "\(file) cannot be loaded (\(reason)); remove it, then run scripts/install engines"
  }

  override class func engine() throws -> MDB {
    if let missing { throw StoreError.failed(missing) }
    return storage_mdbx()
  }
}
