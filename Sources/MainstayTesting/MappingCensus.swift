// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Which of an app's errors nobody has classified: a check that a conversion exists for each.
///
/// Hand it one sample of every error that a module throws, and expect no gaps:
///
/// ```swift
/// #expect(MappingCensus(of: [StoreError.sold, URLError(.timedOut)]).gaps.isEmpty)
/// ```
///
/// A gap is what keeps the code `unknown`, which no author gives. An error that is unclassified, by
/// its own `appError` or by a mapping with another code, is none: somebody decided that.
public struct MappingCensus: Sendable {
  /// An error without a conversion.
  public struct Gap: Sendable, Hashable {
    /// The type of the error, with its module.
    public let type: String
    /// What to do about it.
    public let cure: String
  }

  /// The errors without a conversion, each type once, in the order of the samples.
  public let gaps: [Gap]

  /// Asks the mapping about each sample.
  ///
  /// - Parameters:
  ///   - samples: One error of each type, or of each case.
  ///   - mapping: The mapping that the app sets at launch; the default is `ErrorMapping.current`.
  public init(of samples: [any Error], mapping: ErrorMapping = .current) {
    var seen: Set<Gap> = []
    gaps = samples.compactMap { sample in
      guard !(sample is any AppErrorConvertible),
        mapping.map(sample).code == "unknown"
      else { return nil }
      let type = RecordedError(sample).type
      let gap = Gap(
        type: type,
        cure: """
          Let \(type) conform to AppErrorConvertible, or add it to the ErrorMapping that is set \
          at launch
          """)
      return seen.insert(gap).inserted ? gap : nil
    }
  }
}

extension MappingCensus.Gap: CustomStringConvertible {
  /// Type and cure in one line.
  public var description: String { "\(type) has no conversion. \(cure)." }
}
