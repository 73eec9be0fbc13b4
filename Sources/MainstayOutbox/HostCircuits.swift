// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// One circuit breaker for each host that the workers of an outbox call.
struct HostCircuits {
  /// By the names of their hosts, in small letters.
  private(set) var all: [String: CircuitBreaker] = [:]
  let make: @Sendable (_ host: String) -> CircuitBreaker

  init(_ make: @escaping @Sendable (_ host: String) -> CircuitBreaker) { self.make = make }

  /// The workers by what they read, each behind the circuit of its host.
  ///
  /// - Throws: ``OutboxError`` `duplicateWorker`.
  mutating func guarding(
    _ workers: [Worker]
  ) throws(OutboxError) -> [PayloadType: Worker] {
    var byType: [PayloadType: Worker] = [:]
    for worker in workers {
      guard byType.updateValue(guarding(worker), forKey: worker.type) == nil else {
        throw OutboxError(
          .duplicateWorker, details: "\(worker.type.kind), version \(worker.type.version)")
      }
    }
    return byType
  }

  /// A worker behind the circuit of its host, unless it has one of its own.
  private mutating func guarding(_ worker: Worker) -> Worker {
    guard let host = worker.gates.host, worker.gates.circuit == nil else { return worker }
    let circuit = all[host] ?? make(host)
    all[host] = circuit
    return worker.guarded(by: circuit)
  }
}

extension CircuitBreaker {
  /// What it keeps from running; nil where calls go through, and where it is to be tried out.
  var obstacle: Obstacle? {
    guard mode == .enabled else { return nil }
    switch state {
    case .open(let wait): return wait > .zero ? .circuitIsOpen(name, wait) : nil
    case .isolated: return .circuitIsOpen(name, nil)
    case .closed, .halfOpen: return nil
    }
  }
}
