// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 2)) struct DegradationPlanTests {
  typealias NeedID = DegradationPlan.NeedID

  @Test(.requirement("A24")) func `levels are in order, and comparison keeps it`() {
    #expect(FeatureLevel.allCases.sorted() == [.minimal, .offline, .basic, .limited, .full])
    for left in FeatureLevel.allCases {
      for right in FeatureLevel.allCases {
        #expect([left < right, left == right, left > right].count { $0 } == 1)
      }
    }
  }

  @Test(
    .requirement("A25"),
    arguments: [
      ([.memory], .minimal), ([.processor], .minimal), ([.heat], .minimal), ([.network], .offline),
      ([.storage], .basic), ([.analytics], .basic), ([.camera], .limited),
      ([.location], .limited), ([.notifications], .limited), ([], .full),
      ([.camera, .network], .offline), ([.network, .memory, .storage], .minimal),
      (["unheard-of"], .full),
    ] as [(Set<NeedID>, FeatureLevel)])
  func `the level is what the worst of what is missing leaves`(
    missing: Set<NeedID>, level: FeatureLevel
  ) {
    #expect(DegradationPlan.standard.level(missing: missing) == level)
  }

  @Test(.requirement("A25")) func `whatever else goes missing, the level never rises`() {
    var generator = SeededGenerator(seed: 25)
    for _ in 0..<RandomDose.cases {
      let needs = (0..<8).map { number in
        DegradationPlan.Need(
          NeedID(rawValue: "\(number)"),
          orElse: FeatureLevel.allCases.randomElement(using: &generator) ?? .full,
          because: "It is away.")
      }
      let features = needs.map { need in
        DegradationPlan.Feature(
          need.id.rawValue, needs: [need.id],
          fromLevel: FeatureLevel.allCases.randomElement(using: &generator) ?? .full)
      }
      let plan = DegradationPlan(needs: needs, features: features)
      var (missing, level) = (Set<NeedID>(), FeatureLevel.full)
      var available = Set(plan.features(missing: []).filter(\.isAvailable).map(\.feature.name))
      for need in needs.shuffled(using: &generator) {
        missing.insert(need.id)
        let next = plan.level(missing: missing)
        #expect(next <= level)
        let left = Set(
          plan.features(missing: missing).filter(\.isAvailable).map(\.feature.name))
        #expect(left.isSubset(of: available))
        (level, available) = (next, left)
      }
    }
  }

  @Test(.requirement("A28")) func `a feature goes with what it needs, and says what is left`() {
    let plan = DegradationPlan.standard.with(features: [
      .init("read"), .init("scan", needs: [.camera], alternative: "Type the number."),
      .init("sync", needs: [.network]), .init("share", fromLevel: .basic),
      .init("twice"), .init("twice", needs: [.network]),
    ])
    func available(_ missing: Set<NeedID>) -> [String] {
      plan.features(missing: missing).filter(\.isAvailable).map(\.feature.name)
    }
    #expect(available([]) == ["read", "scan", "sync", "share", "twice"])
    #expect(available([.network]) == ["read", "scan", "twice"])
    #expect(available([.camera]) == ["read", "sync", "share", "twice"])
    let scan = plan.features(missing: [.camera]).first { $0.feature.name == "scan" }
    #expect(scan?.missing == [.camera] && scan?.feature.alternative?.pattern == "Type the number.")
  }

  @Test(.requirement("A26")) func `reasons come worst first, and there is none at full`() {
    let plan = DegradationPlan.standard
    #expect(plan.reasons(missing: []).isEmpty)
    let reasons = plan.reasons(missing: [.camera, .memory, .network])
    #expect(reasons.map(\.id) == [.memory, .network, .camera])
    for need in plan.needs {
      #expect(!need.reason.string(in: Locale(identifier: "de")).isEmpty)
      #expect(need.reason.string(in: Locale(identifier: "de")) != need.reason.pattern)
    }
  }
}
