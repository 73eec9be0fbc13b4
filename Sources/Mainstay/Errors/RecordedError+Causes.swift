// SPDX-License-Identifier: Apache-2.0

extension RecordedError {
  /// Records what caused an error, each with what caused it: 64 in all, the nearest first, and
  /// sixteen below each other.
  ///
  /// What comes again below itself is left out there.
  static func causes(of error: any Error) -> [RecordedError] { Tree(below: error).records }

  private struct Tree {
    private struct Link {
      let error: any Error
      let parent: Int
      let depth: Int
    }

    private static let maximumCount = 64
    private static let maximumDepth = 16

    private var links: [Link]

    init(below error: any Error) {
      links = [Link(error: error, parent: 0, depth: 0)]
      var index = 0
      while index < links.count, links.count <= Self.maximumCount {
        let link = links[index]
        if link.depth < Self.maximumDepth {
          for cause in ErrorChain.causes(of: link.error).prefix(Self.maximumCount + 1 - links.count)
          where !isAbove(cause, from: index) {
            links.append(Link(error: cause, parent: index, depth: link.depth + 1))
          }
        }
        index += 1
      }
    }

    /// Whether an error is one of those that lead to it.
    private func isAbove(_ error: any Error, from index: Int) -> Bool {
      guard let identity = ErrorChain.identity(of: error) else { return false }
      var index = index
      while true {
        if ErrorChain.identity(of: links[index].error) == identity { return true }
        if index == 0 { return false }
        index = links[index].parent
      }
    }

    var records: [RecordedError] {
      var below: [[RecordedError]] = Array(repeating: [], count: links.count)
      for index in links.indices.dropFirst().reversed() {
        let record = RecordedError(links[index].error, causes: below[index].reversed())
        below[links[index].parent].append(record)
      }
      return below[0].reversed()
    }
  }
}
