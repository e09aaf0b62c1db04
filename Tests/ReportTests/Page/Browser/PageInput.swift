import Foundation

/// A key that is no letter.
enum Key: String, Sendable, CaseIterable {
  case tab = "Tab"
  case enter = "Enter"
  case space = " "
  case escape = "Escape"
  case up = "ArrowUp"
  case down = "ArrowDown"
  case left = "ArrowLeft"
  case right = "ArrowRight"
  case home = "Home"
  case end = "End"
  case pageUp = "PageUp"
  case pageDown = "PageDown"
  case backspace = "Backspace"
  case delete = "Delete"

  /// The key's place on the keyboard, as `KeyboardEvent.code` has it.
  var code: String { self == .space ? "Space" : rawValue }

  /// The text that it types; nil for none.
  var text: String? {
    switch self {
    case .enter: "\r"
    case .space: " "
    default: nil
    }
  }

  /// The number that browsers know it by.
  var number: Int {
    switch self {
    case .backspace: 8
    case .tab: 9
    case .enter: 13
    case .escape: 27
    case .space: 32
    case .pageUp: 33
    case .pageDown: 34
    case .end: 35
    case .home: 36
    case .left: 37
    case .up: 38
    case .right: 39
    case .down: 40
    case .delete: 46
    }
  }
}

/// What a reader does with a page. Events come from the browser, as those of a hand do; none is made by a script, but for
/// ``choose(_:_:)``.
extension Page {
  /// Scrolls to the first element that a selector matches and clicks on its middle.
  ///
  /// - Throws: ``BrowserError`` if there is none, it is not shown, or something else lies on its middle.
  func click(_ selector: String) async throws {
    let place = try await place(of: selector)
    try await mouse("mouseMoved", place)
    try await mouse("mousePressed", place, ["button": "left", "buttons": 1, "clickCount": 1])
    try await mouse("mouseReleased", place, ["button": "left", "clickCount": 1])
    try await settle()
  }

  /// Scrolls to the first element that a selector matches and rests the pointer on its middle.
  ///
  /// - Throws: As ``click(_:)``.
  func hover(_ selector: String) async throws {
    try await mouse("mouseMoved", place(of: selector))
    try await settle()
  }

  /// Scrolls to the first element that a selector matches and touches its middle with a finger. The page must have been
  /// opened with `touch`.
  ///
  /// - Throws: As ``click(_:)``.
  func tap(_ selector: String) async throws {
    guard screen.isTouch else { throw BrowserError("tap: open the page with touch: true") }
    let place = try await place(of: selector)
    try await send(
      "Input.dispatchTouchEvent",
      ["type": "touchStart", "touchPoints": [["x": .number(place.x), "y": .number(place.y)]]])
    try await send("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
    try await settle()
  }

  /// Types a text into what has the focus, key by key.
  func type(_ text: String) async throws {
    for character in text {
      let letter = JSON.string(String(character))
      try await send("Input.dispatchKeyEvent", ["type": "keyDown", "text": letter, "key": letter])
      try await send("Input.dispatchKeyEvent", ["type": "keyUp", "key": letter])
    }
    try await settle()
  }

  /// Presses a key and lets it go.
  ///
  /// - Parameter shift: Whether the Shift key is held meanwhile.
  func press(_ key: Key, shift: Bool = false) async throws {
    try await hold(key, shift: shift)
    try await send("Input.dispatchKeyEvent", event(key, "keyUp", shift))
    try await settle()
  }

  /// Presses a key and holds it for so long that it comes a number of times.
  func hold(_ key: Key, shift: Bool = false, times: Int = 1) async throws {
    let down = event(key, key.text == nil ? "rawKeyDown" : "keyDown", shift)
    // All at once: an answer comes with the next frame only.
    try await withThrowingTaskGroup { group in
      for _ in 0..<times { group.addTask { try await self.send("Input.dispatchKeyEvent", down) } }
      try await group.waitForAll()
    }
  }

  private func event(_ key: Key, _ type: String, _ shift: Bool) -> JSON {
    var event: [String: JSON] = [
      "type": .string(type), "key": .string(key.rawValue), "code": .string(key.code),
      "windowsVirtualKeyCode": .number(Double(key.number)), "modifiers": shift ? 8 : 0,
    ]
    if type == "keyDown", let text = key.text { event["text"] = .string(text) }
    return .object(event)
  }

  /// Chooses the option of a `select` element that has a value. The list that Chromium opens for it lies outside of the
  /// page, so that a script sets the value and dispatches `input` and `change`.
  ///
  /// - Throws: ``BrowserError`` if there is no such element, or it has no such option, or it is disabled.
  func choose(_ selector: String, _ value: String) async throws {
    try await run(
      """
      (() => {
        const [selector, value] = [\(JSON.literal(selector)), \(JSON.literal(value))];
        const found = document.querySelector(selector);
        if (!(found instanceof HTMLSelectElement)) throw new Error(selector + ' matches no select element');
        const options = [...found.options].filter(option => !option.disabled).map(option => option.value);
        if (found.disabled || !options.includes(value)) {
          throw new Error(selector + ' has no option ' + value + ', but ' + options.join(', '));
        }
        found.focus();
        found.value = value;
        found.dispatchEvent(new Event('input', {bubbles: true}));
        found.dispatchEvent(new Event('change', {bubbles: true}));
      })()
      """)
    try await settle()
  }

  /// A place in the window, in CSS pixels from its upper left corner.
  private struct Place: Decodable {
    var x: Double
    var y: Double
  }

  /// The middle of an element (of its first line, where it has several), scrolled into the window.
  private func place(of selector: String) async throws -> Place {
    try await evaluate(
      """
      (() => {
        const selector = \(JSON.literal(selector));
        const found = document.querySelector(selector);
        if (!found) throw new Error('nothing matches ' + selector);
        found.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
        const box = [...found.getClientRects()].find(box => box.width > 0 && box.height > 0);
        if (!box) throw new Error(selector + ' is not shown');
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const hit = document.elementFromPoint(x, y);
        if (!hit || !(found.contains(hit) || found.control === hit.closest('label')?.control && found.control)) {
          const name = hit ? '<' + hit.tagName.toLowerCase() + '> ' + (hit.textContent ?? '').trim().slice(0, 40)
            : 'nothing';
          throw new Error(selector + ' cannot be hit: on its middle lies ' + name);
        }
        return {x, y};
      })()
      """)
  }

  private func mouse(_ type: String, _ place: Place, _ more: [String: JSON] = [:]) async throws {
    let event: [String: JSON] = ["type": .string(type), "x": .number(place.x), "y": .number(place.y)]
    try await send("Input.dispatchMouseEvent", .object(event.merging(more) { $1 }))
  }
}
