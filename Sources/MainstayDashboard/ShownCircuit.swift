// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// A circuit as pages show it and forms name it.
struct ShownCircuit: Sendable {
  /// By what forms name it.
  let id: String
  let title: String
  let breaker: CircuitBreaker
}

extension Dashboard {
  /// The circuits that were given, and then those of the hosts that outboxes call, each once.
  var circuits: [ShownCircuit] {
    let given = breakers.map { ShownCircuit(id: $0.name, title: $0.name, breaker: $0) }
    let known = Set(breakers.map(ObjectIdentifier.init))
    let hosts = outboxes.sorted { $0.key < $1.key }.flatMap { name, outbox in
      outbox.circuits.sorted { $0.key < $1.key }
        .filter { !known.contains(ObjectIdentifier($0.value)) }
        .map { host, breaker in
          // No name of an outbox in an address has a slash that is not escaped.
          ShownCircuit(
            id: "outboxes/\(Site.escaped(name))/\(host)", title: "\(breaker.name) of \(name)",
            breaker: breaker)
        }
    }
    return given + hosts
  }
}
