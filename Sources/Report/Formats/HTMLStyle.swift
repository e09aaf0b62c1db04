import Foundation
import StorageContract

/// The CSS of an HTML page, for light and dark mode, wide and narrow screens, and paper.
enum HTMLStyle {
  static let rules = """

    :root { \(ChartStyle.light) --link: #0b5fad; --bad: #b3261e; --good: #00684f; }
    @media (prefers-color-scheme: dark) { :root { \(ChartStyle.dark) --link: #8cc4ff; --bad: #ff8a80; --good: #5fd3ae; } }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; max-width: 1340px; padding: 0 16px 48px; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: break-word;
    }
    h1 { font-size: 26px; line-height: 1.2; margin: 28px 0 12px; }
    .chips { list-style: none; display: flex; flex-wrap: wrap; gap: 6px; padding: 0; margin: 0 0 8px; font-size: 13px; }
    .chips li { border: 1px solid var(--grid); border-radius: 12px; padding: 1px 10px; color: var(--muted); }
    .tab { border-top: 1px solid var(--grid); margin-top: 24px; padding-top: 12px; }
    .tab > summary { font-size: 21px; color: var(--ink); }
    h2 { font-size: 21px; margin: 0 0 8px; }
    h3 { font-size: 16px; margin: 20px 0 4px; }
    section { border-top: 1px solid var(--grid); padding: 16px 0 4px; margin-top: 16px; }
    p, li { max-width: 78ch; }
    p { margin: 8px 0; }
    ul { margin: 4px 0 12px; padding-left: 22px; }
    a { color: var(--link); }
    code { font: 0.88em ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
    .code { margin-left: 16px; white-space: pre-wrap; }
    nav { position: sticky; top: 0; z-index: 3; background: var(--paper); overflow-x: auto; }
    nav ul {
      list-style: none; display: flex; gap: 4px 16px; padding: 6px 0; margin: 0; white-space: nowrap; font-size: 14px;
    }
    section, .block, details, figure { scroll-margin-top: 40px; }
    footer { border-top: 1px solid var(--grid); margin-top: 24px; color: var(--muted); font-size: 14px; }
    .lists { display: grid; gap: 4px 40px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
    .answer { border-top: 0; margin-top: 0; padding-top: 8px; display: flex; flex-direction: column; }
    .answer > section { order: 1; border-top: 0; margin-top: 0; padding-top: 0; }
    .answer > .charts, .answer > .block { order: 2; }
    .answer > .lists { order: 3; display: block; }
    .answer > .guide { order: 4; }
    .answer .table { margin-top: 0; }
    .answer li { font-size: 15px; }
    .answer .number { white-space: nowrap; }
    .recommended { font-size: 18px; font-weight: 600; }
    summary > h3 { display: inline; }
    .switch { display: flex; flex-wrap: wrap; margin: 4px 0; }
    .switch > input { position: absolute; opacity: 0; }
    .switch > label {
      border: 1px solid var(--muted); margin-right: -1px; padding: 1px 10px; font-size: 14px; cursor: pointer;
    }
    .switch > :checked + label { background: var(--ink); color: var(--paper); }
    .switch > :focus-visible + label { outline: 2px solid var(--link); outline-offset: 1px; }
    .switch > figure { display: none; width: 100%; margin-top: 8px; }
    \(chosen), :root:not([data-script]) .switch > figure:target { display: block; }
    @media (min-width: 1000px) {
      .answer:has(> section, > .charts) {
        display: grid; grid-template: repeat(20, auto) 1fr / minmax(0, 1fr) 430px; column-gap: 32px; align-items: start;
      }
      .answer > * { grid-column: 1; }
      .answer > section, .answer > .charts { grid-area: 1 / 2 / -1; margin: 0; }
    }
    .charts {
      display: grid; gap: 20px 32px; margin: 16px 0;
      grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr));
    }
    figure { margin: 0; min-width: 0; }
    .chart { display: block; width: 100%; max-width: 620px; height: auto; }
    \(ChartStyle.rules)
    @media (min-width: 1000px) {
      /* One picture alone has the tables beside it, what is folded below; after lists it is the last of two columns. */
      .body:has(> .charts > figure:only-child) {
        display: grid; grid-template: repeat(30, auto) 1fr / minmax(0, 1fr) 400px; column-gap: 32px; align-items: start;
      }
      .body:has(> .charts > figure:only-child) > * { grid-column: 1; }
      .body:has(> .charts > figure:only-child) > .charts { grid-area: 1 / 2 / -1; margin: 0; break-inside: avoid; }
      .body:has(> .charts > figure:only-child) > details { grid-column: 1 / -1; }
      .body:has(> .lists + .charts > figure:only-child) { display: block; columns: 2; column-gap: 40px; }
      .body:has(> .lists + .charts > figure:only-child) > :not(.lists, .charts) { column-span: all; }
      .body:has(> .lists + .charts > figure:only-child) > .lists { display: block; }
      .body:has(> .lists + .charts > figure:only-child) > .lists > div { break-inside: avoid; }
      nav ul { flex-wrap: wrap; gap: 0 16px; }
      section, .block, details, figure { scroll-margin-top: 64px; }
    }
    .table { overflow: auto; max-height: 85vh; margin: 12px 0 4px; }
    table { border-collapse: collapse; font-size: 14px; line-height: 1.35; font-variant-numeric: tabular-nums; }
    caption { text-align: left; font-weight: 600; padding: 4px 0; }
    th, td { padding: 5px 10px; border-bottom: 1px solid var(--grid); text-align: left; vertical-align: top; }
    thead th {
      vertical-align: bottom; color: var(--muted); font-weight: 600; position: sticky; top: 0; z-index: 1;
      background: var(--paper);
    }
    tbody th { font-weight: 400; }
    table code { overflow-wrap: break-word; }
    .number { text-align: right; }
    .best { font-weight: 700; }
    .failed { color: var(--bad); font-weight: 700; }
    .absent { color: var(--muted); }
    .footer { font-size: 13px; color: var(--muted); }
    data { white-space: nowrap; }
    td data + data { font-size: 0.9em; font-weight: 400; }
    details { margin: 12px 0; }
    summary { cursor: pointer; font-weight: 600; color: var(--link); }
    .guide { font-size: 14px; color: var(--muted); }
    .guide li { max-width: 90ch; }
    .part { margin: 0; }
    .part > summary { color: var(--ink); list-style-position: outside; margin-left: 18px; }
    .part > summary h2 { display: inline; }
    .part > summary::marker { color: var(--muted); font-size: 14px; }
    .body { margin-top: 8px; }
    figcaption { font-size: 12px; }
    figcaption a, .anchor { color: var(--muted); text-decoration: none; padding: 0 4px; font-weight: 400; }
    figcaption a:hover, .anchor:hover { text-decoration: underline; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    button, select, input {
      font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--muted); border-radius: 4px;
      padding: 2px 6px;
    }
    button { cursor: pointer; }
    ::placeholder { color: var(--muted); opacity: 1; }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
    .controls { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; font-size: 14px; margin: 12px 0; }
    .controls label > span { display: block; color: var(--muted); font-size: 13px; }
    .controls input[type=number] { width: 9em; }
    .choices { position: relative; margin: 0; }
    .choices > summary { padding: 2px 6px; border: 1px solid var(--muted); border-radius: 4px; font-weight: 400; }
    .choices > fieldset {
      position: absolute; z-index: 4; left: 0; top: 100%; margin: 2px 0 0; padding: 8px; max-height: 320px;
      overflow: auto; width: max-content; max-width: 80vw; background: var(--paper); border: 1px solid var(--muted);
      border-radius: 4px;
    }
    .choices label { display: block; padding: 2px 0; }
    .choices button { margin: 6px 6px 0 0; }
    td button, th button { border: 0; padding: 0; background: none; font-weight: inherit; text-align: inherit; }
    th button { color: inherit; }
    td button { text-decoration: underline dotted var(--muted); text-underline-offset: 3px; }
    td button[aria-pressed=true] { outline: 2px solid var(--link); outline-offset: 2px; }
    .detail:not(:empty) { border: 1px solid var(--grid); border-radius: 4px; padding: 4px 12px; margin: 8px 0 16px; }
    .detail h4 { margin: 8px 0 4px; font-size: 15px; overflow-wrap: anywhere; }
    .detail dl {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: 4px 16px; margin: 8px 0;
      font-size: 13px;
    }
    .detail dl > div { min-width: 0; }
    .detail .wide { grid-column: 1 / -1; }
    dt { color: var(--muted); }
    dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
    .copy { font-size: 13px; }
    .download { font-size: 12px; padding: 0 6px; margin-right: 4px; color: var(--muted); border-color: var(--grid); }
    svg [role=button] { cursor: pointer; }
    #drawer {
      position: fixed; inset: 0 0 0 auto; width: min(460px, 100vw); height: 100%; max-height: 100%; margin: 0;
      overflow: auto; background: var(--paper); color: var(--ink); padding: 12px 16px;
    }
    #drawer > button { float: right; }
    .wrong { color: var(--bad); font-weight: 600; }
    .explorer figure { max-width: 760px; }
    .calculator { margin: 0 0 16px; }
    #tip {
      position: fixed; z-index: 9; max-width: min(420px, 92vw); padding: 4px 8px; border-radius: 4px; font-size: 13px;
      background: var(--ink); color: var(--paper); overflow-wrap: anywhere; pointer-events: none;
    }
    [data-tip] { cursor: help; }

    """ + heat + narrow + paper

  private static let chosen = (1...8).map {
    ".switch > input:nth-of-type(\($0)):checked ~ figure:nth-of-type(\($0))"
  }.joined(separator: ", ")

  private static let shades = 10

  /// Returns the colour strength of a field: 0 for the best value of a row, 9 for a value at least 1,000 times as
  /// large.
  static func shade(_ ratio: Double) -> Int {
    Quantity.whole(min(max(log10(max(ratio, 1)) / 3, 0), 1) * Double(shades - 1))
  }

  private static let heat: String = {
    let light = (1..<shades).map { ".h\($0) { background: rgba(178, 76, 0, \(share($0, 0.36))); }" }
    let dark = (1..<shades).map { ".h\($0) { background: rgba(235, 130, 40, \(share($0, 0.36))); }" }
    return light.joined(separator: "\n") + "\n@media (prefers-color-scheme: dark) {\n" + dark.joined(separator: "\n")
      + "\n}\n"
  }()

  private static func share(_ shade: Int, _ most: Double) -> String {
    String(format: "%.2f", Double(shade) / Double(shades - 1) * most)
  }

  private static let narrow = """
    @media (max-width: 700px) {
      body { padding: 0 14px 40px; }
      h1 { font-size: 20px; margin: 12px 0 4px; }
      .chips { gap: 0 12px; font-size: 12px; }
      .chips li { border: 0; padding: 0; }
      section { padding: 16px 0 4px; margin-top: 12px; }
      table { font-size: 13px; }
      th, td { padding: 4px 8px; }
      tbody th, thead th:first-child {
        position: sticky; left: 0; background: var(--paper); min-width: 6em; max-width: 42vw; overflow-wrap: break-word;
      }
      thead th:first-child { z-index: 2; }
      caption > span { display: inline-block; max-width: 88vw; }
      td button { white-space: nowrap; }
      .controls { position: relative; }
      .choices { position: static; }
      .choices > fieldset { top: auto; max-width: 100%; }
      .answer h2 { margin: 0; }
      .answer .calculator { margin: 0 0 8px; }
      .switch > label { padding: 1px 6px; font-size: 13px; }
    }

    """

  private static let paper = """
    @media print {
      :root { \(ChartStyle.light) --link: #1c2024; }
      body { max-width: none; font-size: 11pt; padding: 0; }
      nav, .controls, .copy, .download, .explorer, .calculator, #tip, figcaption, .anchor { display: none; }
      section, figure, tr { break-inside: avoid-page; }
      section { break-inside: auto; }
      .answer:has(> section, > .charts) { display: block; }
      .switch > input, .switch > label { display: none; }
      .switch > figure { display: block; }
      .table { overflow: visible; max-height: none; }
      thead th { position: static; }
      table { font-size: 8pt; }
      th, td { padding: 2px 5px; }
      .charts { grid-template-columns: 1fr 1fr; }
    }

    """
}
