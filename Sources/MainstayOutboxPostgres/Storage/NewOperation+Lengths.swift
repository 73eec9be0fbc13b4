// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

extension NewOperation {
  /// How many bytes an index of the server takes for sure, as functions of the database say, too.
  private static let longest = 2_500

  /// Refuses keys and names by which the server could not find it again.
  ///
  /// - Throws: `OutboxError` `tooLarge`, with the name of what is too long.
  func checkLengths() throws {
    let kind = type.kind.rawValue.utf8.count
    let constraints = wishes.constraints.map { $0.rawValue.utf8.count + 8 }.reduce(0, +)
    try check(orderingKey?.utf8.count ?? 0, "the ordering key")
    if let key = wishes.uniqueKey {
      try check(kind + key.value.utf8.count, "the kind and the unique key together")
    }
    let name = constraints == 0 ? "the kind and the lane" : "the kind, the lane and the constraints"
    try check(kind + lane.rawValue.utf8.count + constraints, "\(name) together")
  }

  private func check(_ count: Int, _ name: String) throws {
    guard count > Self.longest else { return }
    throw OutboxError(
      .tooLarge,
      details: "PostgreSQL takes at most \(Self.longest) bytes for \(name), and \(id) has "
        + "\(count): use a hash of what is long")
  }
}
