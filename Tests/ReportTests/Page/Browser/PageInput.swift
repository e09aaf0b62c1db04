import Foundation

/// A key that types no letter, with its number in browsers.
enum Key: Int, Sendable {
  case tab = 9
  case enter = 13
  case escape = 27

  /// The name of the key in browsers.
  var name: String { "\(self)".capitalized }
}

/// The input of a reader. The browser makes the events, as for a real device. Only ``choose(_:_:)`` uses a script.
extension Page {
  /// Scrolls to the first element that a selector matches and clicks on its middle.
  ///
  /// - Throws: ``BrowserError`` if there is none, it is not shown, or something else lies on its middle.
  func click(_ selector: String) throws {
    let point = try hover(selector)
    for (type, buttons) in [("mousePressed", 1), ("mouseReleased", 0)] {
      try send(
        "Input.dispatchMouseEvent",
        ["type": type, "x": point.x, "y": point.y, "button": "left", "buttons": buttons, "clickCount": 1])
    }
    try settle()
  }

  /// Scrolls to the first element that a selector matches and rests the pointer on its middle.
  ///
  /// - Throws: As ``click(_:)``.
  @discardableResult func hover(_ selector: String) throws -> Point {
    let point = try middle(of: selector)
    try send("Input.dispatchMouseEvent", ["type": "mouseMoved", "x": point.x, "y": point.y])
    try settle()
    return point
  }

  /// Scrolls to the first element that a selector matches and touches its middle with a finger.
  ///
  /// - Throws: As ``click(_:)``.
  func tap(_ selector: String) throws {
    let point = try middle(of: selector)
    let touches: [(String, [[String: Double]])] = [("touchStart", [["x": point.x, "y": point.y]]), ("touchEnd", [])]
    for (type, points) in touches {
      try send("Input.dispatchTouchEvent", ["type": type, "touchPoints": points])
    }
    try settle()
  }

  /// Types a text into what has the focus, key by key.
  func type(_ text: String) throws {
    for character in text {
      let letter = String(character)
      try send("Input.dispatchKeyEvent", ["type": "keyDown", "text": letter, "key": letter])
      try send("Input.dispatchKeyEvent", ["type": "keyUp", "key": letter])
    }
    try settle()
  }

  /// Presses a key and releases it.
  func press(_ key: Key) throws {
    try hold(key)
    try send("Input.dispatchKeyEvent", event(key, "keyUp"))
    try settle()
  }

  /// Presses a key and holds it until it has been repeated a number of times.
  func hold(_ key: Key, times: Int = 1) throws {
    let down = event(key, key == .enter ? "keyDown" : "rawKeyDown")
    // All at once, since an answer comes with the next frame only.
    try send("Input.dispatchKeyEvent", down, times: times)
  }

  private func event(_ key: Key, _ type: String) -> DevTools.Parameters {
    var event: DevTools.Parameters = [
      "type": type, "key": key.name, "code": key.name, "windowsVirtualKeyCode": key.rawValue,
    ]
    if type == "keyDown" { event["text"] = "\r" }
    return event
  }

  /// Unfolds all parts of the page, or of the element that a selector matches.
  func unfold(_ selector: String = "") throws {
    try run("document.querySelectorAll('\(selector) details').forEach(details => details.open = true)")
  }

  /// Chooses the option of a `select` element that has a value. Chromium shows the options outside of the page, so a script
  /// sets the value and dispatches `input` and `change`.
  ///
  /// - Throws: ``BrowserError`` if there is no such element, or it has no such option, or it is disabled.
  func choose(_ selector: String, _ value: String) throws {
    try run(
      """
      (() => {
        const [selector, value] = [\(Self.literal(selector)), \(Self.literal(value))];
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
    try settle()
  }

  /// A position in the window, in CSS pixels from its upper left corner.
  struct Point: Decodable {
    var x: Double
    var y: Double
  }

  /// The middle of an element (of its first line, where it has several), scrolled into the window.
  private func middle(of selector: String) throws -> Point {
    try evaluate(
      """
      (() => {
        const selector = \(Self.literal(selector));
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
}
