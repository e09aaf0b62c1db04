import StorageBackends
import StorageContract
import Testing

/// The names, colours and markers of the suite's backends in reports.
@Suite struct AppearanceTests {
  @Test func everyBackendHasItsOwnNameAndMark() {
    let looks = Backends.all.map { $0.description.appearance }
    #expect(looks.count > 10)
    #expect(Set(looks.map { $0.name }).count == looks.count && Set(looks.map { $0.mark }).count == looks.count)
    for look in looks { #expect((0...16).contains(look.mark) && look.name.count <= 24, "\(look.name)") }
  }

  @Test func aBackendWithoutALookGetsOneFromItsID() {
    let look = Appearance(id: "my-store")
    #expect(look == Appearance(id: "my-store") && look.name == "my-store" && (16...80).contains(look.mark))
    #expect(look.mark != Appearance(id: "other").mark)
  }
}
