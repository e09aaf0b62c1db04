import ObjectGraph
import TestSupport
import Testing

/// Semantic 25 as a property: after random groups of edits and saves, each undo restores the state before a group, and
/// each redo the state after it.
@Suite struct UndoPropertyTests {
  @Test("25: random groups are taken back and repeated, saves in between", arguments: 1...20)
  func random(seed: Int) throws {
    let stack = try Stack(model: try Tangle.model())
    let context = stack.context
    var editor = TangleEditor(seed: UInt64(seed))
    for _ in 1...20 { try editor.insert(context) }
    try context.save()
    let undoManager = UndoManager()
    context.undoManager = undoManager
    var states = [try Graph(tangle: context)]
    func save(_ percent: Int) throws { if editor.random.chance(percent) { try context.save() } }
    func check(_ index: Int, _ what: String) throws {
      let state = try Graph(tangle: context)
      let differing = state.objects.filter { states[index].objects[$0.key] != $0.value }.keys.sorted()
      try #require(state == states[index], "seed \(seed), \(what) to \(index): \(differing) differ")
    }
    for _ in 1...40 {
      // The editor fetches, which would end a group. An insertion is a change in any case.
      try undoManager.beginUndoGrouping()
      try editor.insert(context)
      for _ in 0..<Int.random(in: 0..<5, using: &editor.random) {
        if editor.random.chance(20) { try editor.delete(context) } else { try editor.change(context) }
      }
      try undoManager.endUndoGrouping()
      states.append(try Graph(tangle: context))
      try save(25)
    }
    for index in (0..<40).reversed() {
      try context.undo()
      try check(index, "undo")
      try save(20)
    }
    #expect(!undoManager.canUndo)
    for index in 1...40 {
      try context.redo()
      try check(index, "redo")
      try save(20)
    }
    #expect(!undoManager.canRedo)
    var index = 40
    for _ in 1...60 {
      if index == 0 || (index < 40 && editor.random.chance(50)) {
        try context.redo()
        index += 1
      } else {
        try context.undo()
        index -= 1
      }
      try check(index, "walk")
      try save(15)
    }
    try context.save()
    #expect(try Graph(tangle: stack.otherContext()) == states[index])
  }
}
