import Foundation
@testable import SampleRuns
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

extension PageTests {
  /// The page's calculator against `advise`: two programs, one answer.
  @Suite struct CalculatorTests {
    /// What both say for an app.
    struct Answer: Codable, Equatable {
      struct Candidate: Codable, Equatable {
        var name: String
        var durability: String
        var place: Int?
        var exceeds: Bool
        /// The total, a save, a read and a launch, as they are shown; the distance to the first.
        var words: [String]
        /// The same in nanoseconds; -1 for what is not known.
        var times: [Double]
      }
      struct Ranking: Codable, Equatable {
        var level: String
        var candidates: [Candidate]
      }
      var rankings: [Ranking]
      /// Names and reasons.
      var refusals: [String]
      var caveats: [String]
    }

    /// What is asked, as the page's script is given it.
    private struct App: Encodable {
      var records: Int
      var readsPerSave: Double
      var recordBytes: Int?
      var durability: String
      var launchBudget: Double?

      init(_ app: AppDescription) {
        (records, readsPerSave, recordBytes) = (app.records, app.readsPerSave, app.recordBytes)
        (durability, launchBudget) = (app.durability.rawValue, app.launchBudget)
      }
    }

    private static let script = """
      (apps => apps.map(app => {
        const { Advice, Numbers, data } = storageBench;
        const { rankings, refusals, caveats } = Advice.advise(
          { ...app, recordBytes: app.recordBytes ?? null, launchBudget: app.launchBudget ?? null }, data.advice);
        return {
          rankings: rankings.map(({ level, candidates }) => ({ level, candidates: candidates.map((one, place) => ({
            name: one.name, durability: one.durability, place: one.place ?? undefined, exceeds: one.exceeds,
            words: [one.inShort, Advice.time(one.save), Advice.time(one.read), Advice.time(one.launch),
              Advice.distance(candidates, place)],
            times: [one.time, one.save.time, one.read?.time ?? -1, one.launch?.time ?? -1] })) })),
          refusals: refusals.map(({ name, reason }) => `${name} ${reason}`), caveats };
      }))
      """

    /// What `advise` says.
    private func answer(_ app: AppDescription, _ model: ReportModel) -> Answer {
      let advice = Advice(app, by: model)
      return Answer(
        rankings: advice.rankings.map { ranking in
          .init(
            level: ranking.level.rawValue,
            candidates: ranking.candidates.enumerated().map { place, one in
              .init(
                name: one.name, durability: one.durability.rawValue, place: ranking.place(place), exceeds: one.exceeds,
                words: [
                  one.totalInShort, one.save.inShort,
                  one.read?.inShort ?? "-", one.launch?.inShort ?? "-",
                  AdviceSentences.distance(ranking.candidates, place),
                ], times: [one.total, one.save.time, one.read?.time ?? -1, one.launch?.time ?? -1])
            })
        }, refusals: advice.refusals.map { "\($0.name) \($0.reason)" }, caveats: advice.caveats)
    }

    /// Apps of every kind: sizes on, between and beyond those measured, odd ones among them.
    private func apps(_ count: Int) -> [AppDescription] {
      var random = SystemRandomNumberGenerator()
      return (0..<count).map { _ in
        let power = Double.random(in: 0...5.5, using: &random)
        return AppDescription(
          records: Bool.random(using: &random)
            ? Int(pow(10, power)) : [100, 1000, 3000, 10_000, 30_000].randomElement(using: &random)!,
          readsPerSave: [0, 0.5, 1, 10, 1000, Double.random(in: 0...100, using: &random)].randomElement(
            using: &random)!,
          recordBytes: [nil, 100, 4000].randomElement(using: &random)!,
          durability: Durability.allCases.randomElement(using: &random)!,
          launchBudget: [nil, 1e6, 50e6, 1e9, Double.random(in: 1e6...1e9, using: &random)].randomElement(
            using: &random)!)
      }
    }

    private func compare(_ model: ReportModel, _ page: Page, count: Int) async throws -> [Answer] {
      let apps = apps(count)
      let asked = String(decoding: try JSONEncoder().encode(apps.map(App.init)), as: UTF8.self)
      let answers: [Answer] = try await page.evaluate("\(Self.script)(\(asked))", seconds: 60)
      #expect(answers.count == count)
      for (app, found) in zip(apps, answers) {
        var (found, known) = (found, answer(app, model))
        // Figures have nine digits in the page.
        func all(_ answer: Answer) -> [Double] { answer.rankings.flatMap(\.candidates).flatMap(\.times) }
        let pairs = Array(zip(all(found), all(known)))
        #expect(pairs.allSatisfy { abs($0 - $1) <= abs($1) * 1e-6 }, "\(app)")
        func strip(_ answer: inout Answer) {
          for ranking in answer.rankings.indices {
            for one in answer.rankings[ranking].candidates.indices {
              answer.rankings[ranking].candidates[one].times = []
            }
          }
        }
        strip(&found)
        strip(&known)
        #expect(found == known, "\(app)")
      }
      #expect(page.problems == [])
      return answers
    }

    @Test func `a thousand apps get the same order and figures as from advise`() async throws {
      let page = try await Browser.open(ReportFiles.example.get().page)
      let answers = try await compare(ReportModel(reading: ReportFiles.run), page, count: 1000)
      // It would prove little if nothing was ever ranked, or refused, or doubtful.
      #expect(answers.contains { $0.rankings.contains { $0.candidates.count > 4 } })
      #expect(answers.contains { $0.refusals.count > 2 } && answers.contains { $0.caveats.count > 2 })
      let words = Set(answers.flatMap(\.rankings).flatMap(\.candidates).flatMap(\.words))
      for mark in ["*", "?", "x (", "first", "not judged"] {
        #expect(words.contains { $0.contains(mark) }, "\(mark) never came up")
      }
      try await page.close()
    }

    /// More sizes, so that curves have constants and are read beyond their ends, and three kinds of noise.
    @Test func `so do apps by runs with known laws`() async throws {
      var words: Set<String> = []
      for (seed, noise) in [(UInt64(1), SyntheticRun.Noise.normal(0.02)), (2, .normal(0.15)), (3, .bursts)] {
        let (plan, trials) = SyntheticRun.everyKind(noise: noise, seed: seed)
        let url = try SampleRun.write(plan: plan, trials: trials)
        defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
        let model = try ReportModel(reading: RunDirectory(url: url))
        try model.write(formats: [HTMLFormat()])
        let page = try await Browser.open(url.appendingPathComponent("report.html"))
        words.formUnion(
          try await compare(model, page, count: 150).flatMap(\.rankings).flatMap(\.candidates).flatMap(\.words))
        try await page.close()
      }
      // What was timed at one size only bounds smaller ones.
      #expect(words.contains { $0.contains("<") })
    }

    @Test func `what is typed is ranked, told in the address, and refused in a sentence where it is no number`()
      async throws
    {
      let model = try ReportModel(reading: ReportFiles.run)
      let page = try await Browser.open(ReportFiles.example.get().page, fragment: "advice")
      func shown() async throws -> [[String]] {
        try await page.evaluate(
          "[...document.querySelectorAll('#calculator tbody tr')].map(row => [...row.children].map(e => e.textContent))"
        )
      }
      func expected(_ app: AppDescription) -> [[String]] {
        Advice(app, by: model).rankings.flatMap { ranking in
          ranking.candidates.enumerated().map { place, one in
            let setting =
              app.durability != .shipped && one.durability != .shipped ? " (\(one.durability.rawValue))" : ""
            return [
              ranking.place(place).map { "\($0)." } ?? "-", one.name + (one.exceeds ? "^" : "") + setting,
              one.totalInShort, AdviceSentences.distance(ranking.candidates, place), one.save.inShort,
              one.read?.inShort ?? "-", one.launch?.inShort ?? "-",
            ]
          }
        }
      }
      #expect(try await shown() == expected(AppDescription(records: 1000, readsPerSave: 10)))
      try await page.click("#calculator input[name=records]")
      try await page.run("document.activeElement.select()")
      try await page.type("5000")
      #expect(try await shown() == expected(AppDescription(records: 5000, readsPerSave: 10)))
      try await page.choose("#calculator select", "durable")
      try await page.click("#calculator input[name=launch]")
      try await page.type("60")
      let app = AppDescription(records: 5000, readsPerSave: 10, durability: .durable, launchBudget: 60_000_000)
      #expect(try await shown() == expected(app))
      let address: String = try await page.evaluate("location.hash")
      #expect(address == "#advice?records=5000&survive=durable&launch=60")
      let command = try await page.text("#calculator code")
      #expect(
        command
          == "storage-bench advise DIR --records 5000 --reads-per-save 10 --durability durable --launch-budget 60ms")
      let before = try await shown()
      try await page.reload()
      #expect(try await shown() == before)
      for (name, text) in [("records", "0"), ("records", "1.5"), ("reads", "-1"), ("launch", "0")] {
        try await page.go(toFragment: "advice?\(name)=\(text)")
        #expect(try await page.text("#calculator .wrong").contains("must be a"), "\(name)=\(text)")
        #expect(try await shown().isEmpty)
      }
      #expect(page.problems == [])
      try await page.close()
    }
  }
}
