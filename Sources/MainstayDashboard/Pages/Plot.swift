// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// Numbers over time as a picture, and as words and a table for whoever cannot see it.
struct Plot: Sendable {
  /// The size of the drawing, in units of its own.
  private static let (width, height) = (600.0, 120.0)
  /// How many points of a line are drawn, and how many numbers the table has.
  private static let (columns, tableRows) = (150, 10)

  struct Series: Sendable {
    var name: String
    /// The latest number.
    var value: String
    /// How the line looks: `line1` and so on.
    var style: String
    var lines: [Line]
  }

  /// A part of a series without a gap.
  struct Line: Sendable {
    var style: String
    var points: String
  }

  struct TableRow: Sendable {
    var time: String
    var values: [String]
  }

  var title: String
  /// What the picture shows, in words.
  var summary: String
  var maximum = "0"
  var start = ""
  var series: [Series] = []
  var bars: String?
  var rows: [TableRow] = []
  /// Whether there are lines, which templates cannot find out by themselves.
  var hasRows = false

  /// Lines over the samples of an outbox, with gaps where nothing is known; nil where there are too
  /// few to draw.
  init?(
    _ title: String, of points: [Memory.Point],
    _ lines: [(name: String, value: @Sendable (Memory.Point) -> Int?)]
  ) {
    guard let first = points.first, let last = points.last, first.reading < last.reading else {
      return nil
    }
    self.title = title
    let shown = Self.thinned(points, to: Self.columns)
    let top = Self.top(of: lines.flatMap { line in points.compactMap(line.value) }.max() ?? 0)
    maximum = Words.number(top)
    start = "\(Words.span(last.reading - first.reading)) ago"
    let length = (last.reading - first.reading) / .seconds(1)
    series = lines.enumerated().map { index, line in
      let style = "line\(index + 1)"
      let places = shown.map { point in
        line.value(point).map { value in
          let x = (point.reading - first.reading) / .seconds(1) / length * Self.width
          let y = Self.height - Double(value) / Double(top) * (Self.height - 4) - 2
          return (x: Int(x.rounded()), y: Int(y.rounded()))
        }
      }
      return Series(
        name: line.name, value: Self.words(line.value(last)), style: style,
        lines: places.split { $0 == nil }.map { part in
          Line(style: style, points: Self.points(part.compactMap(\.self)))
        })
    }
    let words = lines.map { line in
      let values = points.compactMap(line.value)
      return """
        \(line.name) \(Self.words(line.value(last))), from \(Words.number(values.min() ?? 0)) \
        to \(Words.number(values.max() ?? 0))
        """
    }
    hasRows = true
    summary =
      "\(title) in the last \(Words.span(last.reading - first.reading)): "
      + words.joined(separator: "; ") + "."
    rows = Self.thinned(points, to: Self.tableRows).reversed().map { point in
      TableRow(
        time: point.reading == last.reading
          ? "now" : "\(Words.span(last.reading - point.reading)) ago",
        values: lines.map { Self.words($0.value(point)) })
    }
  }

  /// A number; a dash where it is not known.
  private static func words(_ value: Int?) -> String { value.map(Words.number) ?? "–" }

  /// The points of a line; one alone is drawn as a short one, since no line would be seen.
  private static func points(_ places: [(x: Int, y: Int)]) -> String {
    let places = places.count == 1 ? places + places.map { ($0.x + 1, $0.y) } : places
    return places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
  }

  /// Bars for counts in spans of the same length, the newest last.
  init(_ title: String, _ counts: [Int], each span: ErrorMonitor.Span) {
    self.title = title
    let top = Self.top(of: counts.max() ?? 0)
    maximum = Words.number(top)
    start = "\(Words.plural(counts.count, span.rawValue, "\(span.rawValue)s")) ago"
    bars = Bars.path(counts, top: top, width: Self.width, height: Self.height)
    let sum = counts.reduce(0, +)
    summary = """
      \(title): \(Words.number(sum)) in all, at most \(Words.number(counts.max() ?? 0)) in \
      \(span == .hour ? "an" : "a") \(span.rawValue), \(Words.number(counts.last ?? 0)) in the \
      latest.
      """
  }

  /// At most so many of the points, and always the last one.
  private static func thinned(_ points: [Memory.Point], to count: Int) -> [Memory.Point] {
    guard points.count > count else { return points }
    return (1...count).map { points[$0 * points.count / count - 1] }
  }

  /// The number at the top of the drawing: the next one, two or five with zeros.
  private static func top(of maximum: Int) -> Int {
    var step = 1
    while true {
      for factor in [1, 2, 5] where factor * step >= maximum { return factor * step }
      guard step < Int.max / 100 else { return maximum }
      step *= 10
    }
  }
}

/// Small bars beside a number.
struct Bars: Sendable {
  var path: String

  init(_ counts: [Int]) {
    path = Self.path(counts, top: max(counts.max() ?? 0, 1), width: 120, height: 24)
  }

  /// An outline for all bars together.
  static func path(_ counts: [Int], top: Int, width: Double, height: Double) -> String {
    let step = width / Double(max(counts.count, 1))
    return counts.enumerated().compactMap { index, count in
      guard count > 0 else { return nil }
      let tall = max(Double(count) / Double(top) * height, 1.5)
      let (x, w) = (Double(index) * step, step * 0.8)
      return "M\(Self.short(x)) \(Self.short(height))v-\(Self.short(tall))h\(Self.short(w))"
        + "v\(Self.short(tall))z"
    }.joined()
  }

  private static func short(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
