// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// 5xx: trying again, circuit breakers and queues.
  static let retrying: [Rule] = [
    fixedRetryDelay, noJitter, unboundedRetry, breakHitsSwitch, uncappedBackoff, retriesEverything,
    nonidempotentRetry, nestedRetry, unboundedErrorStore, queueMutatedWhileDrained, breakerPerCall,
    stateCheckAcrossAwait, keyNotKept,
  ]
}
