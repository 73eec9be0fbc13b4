// SPDX-License-Identifier: Apache-2.0
// The examples on the pages about state and levels.

import Foundation
import Mainstay

protocol Session: Sendable {
  func refresh() async throws
}

typealias ISBN = String

struct Image: Sendable {}

protocol Scanner: Sendable {
  func check() async throws
  func scan(_ image: Image) async throws -> ISBN
}

protocol Syncing: Sendable {
  func pause() async
}

nonisolated struct Cart: Codable, Sendable {
  var lines: [String: Int] = [:]
  var isSound: Bool { lines.values.allSatisfy { $0 > 0 } }
}

func shop(_ cart: StateClient<Cart>) async throws(AppError) {
  try await cart.update { $0.lines["9780141439518", default: 0] += 1 }
  await cart.markKnownGood()
}

func openCart(in folder: URL) async throws(AppError) -> StateClient<Cart> {
  let (client, opening) = try await StateClient.open(
    "cart", keptIn: folder.appending(path: "cart.json"), or: Cart(),
    invariants: [.init("every line has a number") { $0.isSound }])
  if case .setAside(let place, _) = opening { print("A damaged cart lies at \(place.path)") }
  return client
}

func save(
  _ cart: StateClient<Cart>, _ session: some Session,
  _ send: @escaping @Sendable (Cart) async throws -> Void
) async throws {
  let plan = RecoveryPlan([
    .restoringKnownGood(cart),
    .init("sign in again", for: .unauthorized) { _ in try await session.refresh() },
  ])
  try await Retry().recovering(by: plan).run { try await send(await cart.state) }
}

let plan = DegradationPlan.standard.with(features: [
  .init("search"),
  .init("scan", needs: [.camera], alternative: "Type the number under the bars."),
  .init("sync", needs: [.network]),
])

func watch(
  _ connectivity: ConnectivityMonitor, _ registry: CapabilityRegistry,
  pause: @escaping @Sendable () async -> Void
) -> DegradationController {
  let controller = DegradationController(plan)
  controller.follow(connectivity)
  controller.follow(registry)
  controller.follow()
  controller.onEnter(.minimal) { _ in await pause() }
  return controller
}

func tell(_ controller: DegradationController) async {
  for await change in controller.changes { print(change.notice) }
}

func needs() -> DegradationPlan {
  let plan = DegradationPlan(
    needs: [
      .network, .storage, .init("scanner", orElse: .limited, because: "The scanner is off."),
    ],
    features: [
      .init("scan", needs: ["scanner"], alternative: "Type in the number below the bars."),
      .init("sync", needs: [.network], fromLevel: .basic),
    ])
  return plan
}

func follow(
  _ connectivity: ConnectivityMonitor, _ sync: some Syncing,
  show: (DegradationController.Status) -> Void
) async {
  let controller = DegradationController(.standard)
  controller.follow(connectivity)
  controller.onEnter(.offline) { _ in await sync.pause() }
  for await status in controller.updates { show(status) }
}

func number(
  on image: Image, by camera: some Scanner, or service: some Scanner
) async throws -> ISBN {
  let scanner = Capability<Image, ISBN>(.camera, requires: [.storage]) {
    try await camera.check()
  } execute: { image in
    try await camera.scan(image)
  } fallback: { image in
    try await service.scan(image)
  }
  let registry = CapabilityRegistry()
  registry.register(scanner)
  await registry.validateAll()
  let isbn = try await registry.execute(scanner, image)
  return isbn
}
