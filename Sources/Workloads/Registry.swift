/// The workloads of this package.
public enum Workloads {
  /// Every workload, in the order in which reports list them. To add one, write its file and add its line here.
  public static let all: [any Workload.Type] = [
    SaveOne.self,
    FourLines.self,
    InsertOne.self,
    DeleteOne.self,
    SaveAll.self,
    Import.self,
    LaunchCold.self,
    LaunchWarm.self,
    LoadAll.self,
    Iterate.self,
    ReadOne.self,
    ReadHot.self,
    ReadMissing.self,
    ReadBytes.self,
    Settings.self,
    Config.self,
    CountryCRUD.self,
    Relations.self,
    Cascade.self,
    Reclaim.self,
    Migrate.self,
  ]
}
