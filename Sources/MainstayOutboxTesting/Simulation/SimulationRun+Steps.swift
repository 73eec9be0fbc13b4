// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox
internal import MainstayTesting

extension SimulationRun {
  func make(_ step: SimulationStep) {
    let seed = step.seed
    switch step.action {
    case .edit(let device):
      let (edit, server) = (simulation.edit, server)
      act(device) { [world] outbox, life in
        var generator = SeededGenerator(seed: seed)
        let device = Simulation.Device(life: life, world: world, server: server)
        world.change { $0.edits += 1 }
        do { try await edit(outbox, device, &generator) } catch {
          world.change { $0.editError = "\(error)" }
          throw error
        }
      }
    case .link(let device, let link):
      world.change { $0.links[device] = link }
      if link == .up, seed % 2 == 0 {
        act(device) { outbox, _ in try await outbox.connectionImproved() }
      }
    case .mood(let mood): world.change { $0.mood = mood }
    case .crash(let device):
      guard let life = lives[device] else { return }
      world.change { state in
        state.kill(life, "between two steps")
        state.coverage["crashed: between two steps", default: 0] += 1
      }
    case .crashLater(let device, let steps): world.change { $0.countdown[device] = steps }
    case .lateEnd(let device): endLate(device, seed)
    case .pause(let device): set(device, isPaused: true)
    case .pauseKind(let device): pauseKind(device, seed)
    case .resume(let device):
      set(device, isPaused: false)
      resumeKinds(device)
    case .cancel(let device): cancel(device, seed)
    case .decide(let device):
      act(device) { [world, disk = disks[device]] outbox, life in
        let store = SimulatedStore(store: disk, life: life, world: world)
        try await Person(seed: seed).decide(outbox, store)
      }
    case .setClock(let device, let jump):
      world.change { state in
        state.clocks[device] += jump
        if jump > .zero { state.unaware.insert(device) }
        state.coverage["clock set \(jump < .zero ? "back" : "ahead")", default: 0] += 1
      }
    case .wait: break
    }
  }

  private func set(_ device: Int, isPaused: Bool) {
    act(device) { [world] outbox, life in
      if isPaused { await outbox.pause() } else { await outbox.resume() }
      world.change { state in
        if isPaused { state.paused.insert(life.number) } else { state.paused.remove(life.number) }
      }
    }
  }

  /// Stops a kind of which something waits, for all processes of the device.
  private func pauseKind(_ device: Int, _ seed: UInt64) {
    act(device) { [world] outbox, _ in
      let kinds = Set(try await outbox.operations(limit: .max).map(\.type.kind.rawValue)).sorted()
      guard !kinds.isEmpty else { return }
      let kind = OperationKind(rawValue: kinds[Int(seed % UInt64(kinds.count))])
      try await outbox.pause(kind: kind)
      world.change { state in
        state.note("“\(kind)” is paused on device \(device)")
        state.coverage["a kind is paused", default: 0] += 1
      }
    }
  }

  private func resumeKinds(_ device: Int) {
    act(device) { outbox, _ in
      for kind in try await outbox.pausedKinds() { try await outbox.resume(kind: kind) }
    }
  }

  /// Somebody whose lease is lost, since another process has it now, reports that all went well.
  private func endLate(_ device: Int, _ seed: UInt64) {
    guard outbox(device) != nil else { return }
    let leases = world.change { state in
      let all = state.book.stale.filter { $0.device == device }.map(\.lease)
      // Best while somebody else has it.
      let running = all.filter { state.book.entries[$0.id]?.lease != nil }
      return running.isEmpty ? all : running
    }
    guard !leases.isEmpty else { return }
    let lease = leases[Int(seed % UInt64(leases.count))]
    let isHeld = ask { [disk = disks[device]] in
      try await disk.settle(lease, OperationVerdict(.done))
    }
    guard isHeld == true else { return }
    world.change { state in
      state.violate(
        "only a lease that is held ends a run",
        "\(state.book.name(lease.id)) was ended by a lease that was lost in a crash")
    }
  }

  private func cancel(_ device: Int, _ seed: UInt64) {
    let wanted = world.change { $0.book.of(device).filter { $0.ending == nil }.map(\.id) }
    guard !wanted.isEmpty else { return }
    let id = wanted[Int(seed % UInt64(wanted.count))]
    world.change { $0.note("somebody cancels \($0.book.name(id))") }
    act(device) { outbox, _ in try await outbox.cancel(id) }
  }

  /// All goes well from here on: what was accepted must come to its end.
  func heal() {
    world.note("everything is well again")
    world.change { state in
      state.faultsAreOff = true
      state.mood = .well
      state.links = state.links.map { _ in .up }
      state.countdown = [:]
    }
    startAll()
    for round in 0..<100 where !world.isBroken {
      for device in lives.indices {
        set(device, isPaused: false)
        resumeKinds(device)
        act(device) { [world, disk = disks[device]] outbox, life in
          let store = SimulatedStore(store: disk, life: life, world: world)
          try await Person(seed: nil, givesUp: round > 3).decide(outbox, store)
        }
      }
      pass(.seconds(round < 2 ? 60 : 900))
      inspect()
      let left = disks.reduce(0) { sum, disk in
        sum + (ask { try await disk.snapshot() }?.pending ?? 0)
      }
      if left == 0 { return arrive() }
    }
    let stuck = disks.indices.flatMap { explanations($0) }
    world.change { state in
      state.violate(
        "everything comes to its end",
        "a day after all is well again, something is left: \(stuck.joined(separator: "; "))")
    }
  }

  /// What is still on its way has its effect, too, before anybody judges.
  private func arrive() {
    guard world.change({ !$0.events.isEmpty }) else { return }
    pass(.milliseconds(SimulatedFate.lateness.upperBound))
    inspect()
  }
}

/// Somebody who looks after what waits for a decision.
private struct Person {
  /// Nil for somebody who wants all of it to be done.
  let seed: UInt64?
  var givesUp = false

  func decide(_ outbox: Outbox, _ store: SimulatedStore) async throws {
    var generator = SeededGenerator(seed: seed ?? 0)
    func chance(_ percent: Int) -> Bool {
      seed == nil ? !givesUp : Int.random(in: 0..<100, using: &generator) < percent
    }
    let all = try await outbox.operations(limit: .max)
    if seed == nil {
      for constraint in all.flatMap(\.constraints) { await outbox.set(constraint, isMet: true) }
    }
    for lane in Set(all.map(\.lane.rawValue)).sorted() {
      if chance(70) || givesUp {
        try await outbox.resume(Lane(rawValue: lane), closedFor: .needsUser)
      }
    }
    for letter in try await outbox.deadLetters(limit: .max) {
      if chance(70) {
        try await outbox.redrive(letter.id)
      } else {
        try await outbox.discard(letter.id)
      }
    }
    for conflict in try await outbox.conflicts() {
      // Somebody who sends it again as something new makes sure that the old one is gone.
      let isUntouched = store.world.change { $0.book.isUntouched(conflict.id) }
      if chance(60), isUntouched {
        _ = try await store.resolve(
          conflict.id,
          with: .replaced(payload: conflict.operation.payload, idempotencyKey: IdempotencyKey()))
        try await outbox.connectionImproved()
      } else {
        try await outbox.acceptRemote(conflict.id)
      }
    }
  }
}
