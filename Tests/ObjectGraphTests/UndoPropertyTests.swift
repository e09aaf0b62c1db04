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
    var index = 40
    func save(_ percent: Int) throws { if editor.random.chance(percent) { try context.save() } }
    func walk(back isUndo: Bool, saving percent: Int) throws {
      if isUndo { try context.undo() } else { try context.redo() }
      index += isUndo ? -1 : 1
      let state = try Graph(tangle: context)
      let differing = state.objects.filter { states[index].objects[$0.key] != $0.value }.keys.sorted()
      let what = isUndo ? "undo" : "redo"
      try #require(state == states[index], "seed \(seed), \(what) to \(index): \(differing) differ")
      try save(percent)
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
    for _ in 1...40 { try walk(back: true, saving: 20) }
    #expect(!undoManager.canUndo)
    for _ in 1...40 { try walk(back: false, saving: 20) }
    #expect(!undoManager.canRedo)
    for _ in 1...60 {
      let isRedo = index == 0 || (index < 40 && editor.random.chance(50))
      try walk(back: !isRedo, saving: 15)
    }
    try context.save()
    #expect(try Graph(tangle: stack.otherContext()) == states[index])
  }
}
