// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct AlarmRulesTests {
  private let page = planted(
    "EventsAndMetrics.md",
    """
    ## Metrics

    | Metric | Kind | Dimensions | Holds |
    |---|---|---|---|
    | `mainstay.policy.events` | counter | `policy`, `event` | how often |
    | `mainstay.call.duration` | timer | `policy`, `ending` | how long |
    | `mainstay.errors` | counter | `error.type` | how many |

    ### Alarms

    | Alarm on | Since |
    |---|---|
    | `mainstay.policy.events` with `event` of `gaveUp` | it is an outage |

    ## Events of policies

    | Event | Means |
    |---|---|
    | `gaveUp` | No further attempt is made. |

    ## How a call ended

    | Event | Means |
    |---|---|
    | `failed` | It failed. |
    | `timedOut` | Its time was over. |
    """)

  private func rules(_ alarms: String) -> [String] {
    AlarmRules.violations(planted("alarms.yml", alarms), page: page).map(\.rule)
  }

  @Test func `what is written as it is counted is right`() {
    let found = rules(
      """
      # mainstay_anything in a comment
      expr: rate(mainstay_policy_events{event="gaveUp", policy=~"a.*"}[5m]) > 0
      expr: rate(mainstay_call_duration_count{ending=~"failed|timedOut"}[5m]) > 0
      expr: mainstay_errors{error_type="a"} > 0
      """)
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `finds metrics, labels and values that nothing writes, and alarms that are missing`() {
    let found = rules(
      """
      expr: rate(mainstay_policy_event[5m]) > 0
      expr: mainstay_call_duration > 1
      expr: mainstay_errors_count > 1
      expr: mainstay_errors{type="a"} > 0
      expr: mainstay_call_duration_sum{ending="failed|late"} > 0
      """)
    #expect(
      found == [
        "nothing writes the metric mainstay_policy_event",
        "nothing writes the metric mainstay_call_duration",
        "nothing writes the metric mainstay_errors_count",
        "mainstay.errors has no type",
        "no ending is late",
        "no alarm is about mainstay.policy.events, as the page wants",
      ])
  }
}
