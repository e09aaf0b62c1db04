/// The list of all conformance checks. To add a check, write a file in `Checks` and add a line to this list.
enum ConformanceChecks {
  static let all: [any ConformanceCheck.Type] = [
    DescriptionCheck.self,
    ValuesCheck.self,
    LargeValuesCheck.self,
    ChangesCheck.self,
    OrderCheck.self,
    BodiesCheck.self,
    AllOrNothingCheck.self,
    MissingFileCheck.self,
    DamagedFileCheck.self,
    AcknowledgedCheck.self,
    LevelCheck.self,
    CountsCheck.self,
    FullDiskCheck.self,
    ReadOnlyCheck.self,
    ConfinementCheck.self,
    LeakCheck.self,
    QueryCheck.self,
    TransactionCheck.self,
    RelationCheck.self,
    MigrationCheck.self,
    CompactionCheck.self,
    BackupCheck.self,
    BulkCheck.self,
    SharingCheck.self,
  ]
}
