// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Which of an app's errors nobody has classified: a check that a conversion exists for each.
///
/// Hand it one sample of every error that a module throws, or have it look through the sources, and
/// expect no gaps:
///
/// ```swift
/// #expect(MappingCensus(of: [StoreError.sold, URLError(.timedOut)]).gaps.isEmpty)
/// #expect(try MappingCensus(below: "Sources").gaps.isEmpty)
/// ```
///
/// A gap is what keeps the code `unknown`, which no author gives. An error that is unclassified, by
/// its own `appError` or by a mapping with another code, is none: somebody decided that.
public struct MappingCensus: Sendable {
  /// An error without a conversion, or an exception that is none.
  public struct Gap: Sendable, Hashable {
    /// The type of the error, with its module where it was found by a sample.
    public let type: String
    /// What is wrong about it.
    public let problem: String
    /// What to do about it.
    public let cure: String
    /// The file of its declaration; nil where it was found by a sample.
    public let file: String?
    /// The line of its declaration, from one; nil where it was found by a sample.
    public let line: Int?
  }

  /// The errors without a conversion, each type once, in the order of the samples or of the files.
  public let gaps: [Gap]
  /// How many types of errors were looked at, so that a test can tell that there were any.
  public let count: Int

  init(gaps: [Gap], count: Int) {
    self.gaps = gaps
    self.count = count
  }

  /// Asks the mapping about each sample.
  ///
  /// - Parameters:
  ///   - samples: One error of each type, or of each case.
  ///   - mapping: The mapping that the app sets at launch; the default is `ErrorMapping.current`.
  public init(of samples: [any Error], mapping: ErrorMapping = .current) {
    var seen: Set<Gap> = []
    gaps = samples.compactMap { sample in
      guard !(sample is any AppErrorConvertible), mapping.map(sample).code == "unknown" else {
        return nil
      }
      let gap = Gap(unconverted: RecordedError(sample).type)
      return seen.insert(gap).inserted ? gap : nil
    }
    count = Set(samples.map { RecordedError($0).type }).count
  }
}

extension MappingCensus.Gap {
  init(unconverted type: String, file: String? = nil, line: Int? = nil) {
    self.init(
      type: type, problem: "has no conversion",
      cure: """
        Let \(type) conform to AppErrorConvertible, or add it to the ErrorMapping that is set \
        at launch
        """, file: file, line: line)
  }
}

extension MappingCensus.Gap: CustomStringConvertible {
  /// Place, type, problem and cure in one line.
  public var description: String {
    let place = [file, line.map(String.init)].compactMap(\.self) + [""]
    return (place.count > 1 ? place.joined(separator: ":") + " " : "")
      + "\(type) \(problem). \(cure)."
  }
}
