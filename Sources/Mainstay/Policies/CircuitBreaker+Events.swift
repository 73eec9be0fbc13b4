// SPDX-License-Identifier: Apache-2.0

// The events: written down under the lock, told outside of it by one caller at a time, in order.
extension CircuitBreaker {
  struct Guarded {
    var machine: CircuitBreakerStateMachine
    var configuration: Configuration
    var random: SplitMix64
    var mailbox = EventMailbox()

    mutating func post(
      _ event: CircuitBreakerStateMachine.Event?, of policy: String, at reading: Duration
    ) {
      switch event {
      case nil: break
      case .opened(let failures, let breakFor, let leaseExpired):
        if leaseExpired { post(.probeExpired, of: policy, at: reading) }
        post(.circuitOpened(failures: failures, breakFor: breakFor), of: policy, at: reading)
      case .halfOpened: post(.circuitHalfOpened, of: policy, at: reading)
      case .closed: post(.circuitClosed, of: policy, at: reading)
      case .isolated: post(.circuitIsolated, of: policy, at: reading)
      case .reset: post(.circuitReset, of: policy, at: reading)
      case .settingsChanged: post(.settingsChanged, of: policy, at: reading)
      case .stale(let succeeded, let admittedIn, let endedIn):
        post(
          .staleResult(succeeded: succeeded, admittedIn: admittedIn, endedIn: endedIn),
          of: policy, at: reading)
      }
    }

    mutating func post(_ what: PolicyEvent.What, of policy: String, at reading: Duration) {
      mailbox.post(what, of: policy, at: reading)
    }
  }

  /// Moves the machine, with a reading of the clock, and tells what there is to tell.
  func step(_ move: (inout Guarded, Duration) -> CircuitBreakerStateMachine.Event?) {
    let now = timeline.now
    let isHeard = !audience.isEmpty
    let delivers = change { guarded in
      let event = move(&guarded, now)
      guard isHeard else { return false }
      guarded.post(event, of: name, at: now)
      return guarded.mailbox.beginDelivery()
    }
    if delivers { deliver() }
  }

  func deliver() {
    audience.deliver { guarded.withLock { $0.mailbox.takeForDelivery() } }
  }
}
