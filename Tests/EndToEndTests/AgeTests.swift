import Foundation
import Testing

extension EndToEnd.Measuring {
  @Suite struct AgeTests {
    private let workplace = Workplace()

    @Test func `an aged store holds what the young one does, and tells how it lies`() async throws {
      let results = try await workplace.run(
        "-b plist,sqlite,lmdb,text:append=yes -w save-one,read-one,reclaim -n 300 --aged 0,3 --rounds 1",
        "--trial-time 5ms", into: "run")
      #expect(results.names.count == 24)
      for name in results.names where !name.hasSuffix("/aged=3") {
        let (young, aged) = (try results.row(name), try results.row("\(name)/aged=3"))
        #expect(young["status"] == "ok" && aged["status"] == "ok", "\(name): \(aged["note"] ?? "")")
        #expect(young["digest"]?.isEmpty == false && young["digest"] == aged["digest"], "\(name)")
        #expect(young["stream_hash"] == aged["stream_hash"] && aged["aged"] == "3")
      }
      let (young, aged) = (try results.row("sqlite/read-one/300/-"), try results.row("sqlite/read-one/300/-/aged=3"))
      #expect(young["findings"]?.contains("fragmentation=0 ") == true)
      #expect(aged["findings"]?.contains("page_count=") == true && aged["findings"] != young["findings"])
      #expect(try aged.number("file_bytes") >= young.number("file_bytes"))
      #expect(try results.row("plist/read-one/300/-/aged=3")["findings"] == "")
    }

    /// The counts are exact, as for any other cell, because the ageing is seeded.
    @Test func `counts of aged cells repeat`() async throws {
      try await workplace.bench("check costs.csv --update -b sqlite,lmdb -w save-one,read-one -n 60 --aged 2")
      #expect(try workplace.text("costs.csv").split(separator: "\n").count { $0.contains("aged=2") } == 4)
      try await workplace.bench("check costs.csv")
    }
  }
}
