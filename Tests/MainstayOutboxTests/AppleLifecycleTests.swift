// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What is decided about files on devices that lock, suspend and share them.
@Suite(.requirement("O34")) struct AppleLifecycleTests {
  private static let closed = DeviceLock.File(isProtected: true, answer: .EPERM)

  @Test(arguments: [ResultCode.SQLITE_IOERR, .SQLITE_AUTH, .SQLITE_CANTOPEN])
  func `a file that the system keeps closed can be opened after the unlock`(code: ResultCode) {
    let failure = OutboxError(
      .unavailable, details: "/a", underlying: DatabaseError(resultCode: code))
    let error = DeviceLock.explained(failure, by: Self.closed)
    #expect(error.code == .deviceLocked && error.details == "/a")
    #expect((error.underlying as? DatabaseError)?.resultCode == code)
    #expect(error.appError.disposition == .transient())
    #expect(failure.appError.disposition == .needsUser)
  }

  @Test func `a file that nobody can make before the unlock is closed as well`() {
    let lock = OutboxError(.unavailable, details: "/a-owner", underlying: POSIXError(.EPERM))
    let folder = DeviceLock.File(isProtected: true, answer: nil)
    #expect(DeviceLock.explained(lock, by: folder).code == .deviceLocked)
  }

  @Test func `a file that cannot be used for another reason needs somebody`() {
    let failure = OutboxError(.unavailable, details: "/a")
    let others = [
      nil, DeviceLock.File(isProtected: false, answer: .EPERM),
      DeviceLock.File(isProtected: true, answer: .EACCES),
      DeviceLock.File(isProtected: true, answer: nil),
    ]
    for file in others { #expect(DeviceLock.explained(failure, by: file).code == .unavailable) }
    let refused = OutboxError(.unavailable, details: "/a", underlying: POSIXError(.EACCES))
    #expect(DeviceLock.explained(refused, by: Self.closed).code == .unavailable)
  }

  @Test func `what is wrong with a file is not explained by a lock`() {
    for code in OutboxError.Code.all where code != .unavailable && code != .deviceLocked {
      let error = DeviceLock.explained(OutboxError(code, details: "/a"), by: Self.closed)
      #expect(error.code == code)
    }
  }

  @Test func `only what an outbox has made is protected by it`() {
    let url = URL(filePath: "/data/outbox/a.sqlite")
    let nothing = FileProtection(of: url) { _ in false }
    #expect(nothing.newFolder?.hasPrefix("/data/outbox") == true)
    let made = ["/data/outbox/a.sqlite", "/data/outbox/a.sqlite-wal", "/data/outbox/b.sqlite"]
    #expect(nothing.newFiles { made.contains($0) } == Array(made.prefix(2)))
    let there = FileProtection(of: url) { !$0.hasSuffix("-reserve") }
    #expect(there.newFolder == nil)
    #expect(there.newFiles { _ in true } == ["/data/outbox/a.sqlite-reserve"])
  }

  @Test func `a file in an app group is refused, unless somebody asks for that`() {
    let home = "/Users/ada/Library"
    let groups = [
      "/private/var/mobile/Containers/Shared/AppGroup/1F2E/outbox.sqlite",
      "\(home)/Group Containers/group.app/a/outbox.sqlite",
    ]
    for path in groups {
      #expect(AppGroup.refusal(of: path, isAllowed: false)?.code == .unavailable)
      #expect(AppGroup.refusal(of: path, isAllowed: false)?.details.contains(path) == true)
      #expect(AppGroup.refusal(of: path, isAllowed: true) == nil)
    }
    for path in [
      "\(home)/Containers/app/Data/Library/outbox.sqlite", "/data/AppGroup/outbox.sqlite",
      "/data/Shared/AppGroup", "\(home)/Group Containers", "/", "",
    ] {
      #expect(AppGroup.refusal(of: path, isAllowed: false) == nil, "\(path)")
    }
  }

  @Test func `an outbox that works can be in no other place`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in })
    var configuration = outbox.configuration
    configuration.allowsAppGroup = true
    let error = #expect(throws: ConfigurationError.self) { try outbox.update(configuration) }
    #expect(error?.description.contains("allowsAppGroup") == true)
    await outbox.shutDown()
  }
}

/// What is decided about uploads that went on without the app.
@Suite(.requirement("O35")) struct UploadReconciliationTests {
  private func operation(
    _ effect: EffectCertainty = .notSent, state: OperationState = .ready, isCancelled: Bool = false
  ) -> StoredOperation {
    StoredOperation(
      id: OperationID(UUID()), type: PayloadType(kind: "upload", version: 1), lane: .main,
      orderingKey: nil, idempotencyKey: IdempotencyKey(), payload: Data(), state: state,
      effect: effect, enqueued: Date(timeIntervalSince1970: 0), isCancelled: isCancelled)
  }

  @Test func `an upload that goes on is adopted, and one that nobody wants is cancelled`() {
    let (begun, stopped) = (operation(.sentUnknown), operation(.sentUnknown, isCancelled: true))
    let uploads = UploadReconciliation(
      [
        .init(7, describedBy: "\(OperationID(UUID()))"), .init(4, describedBy: "\(stopped.id)"),
        .init(2, describedBy: begun.id.uuid.uuidString),
      ], with: [begun, stopped])
    #expect(uploads.adopted == [begun.id: 2])
    #expect(uploads.cancelled == [4, 7])
    #expect(uploads.lost == [stopped.id], "nobody knows what it had done before")
  }

  @Test func `of two uploads for one operation the first goes on`() {
    let begun = operation(.sentUnknown)
    let both = [5, 3].map { UploadReconciliation.Upload($0, describedBy: "\(begun.id)") }
    let uploads = UploadReconciliation(both, with: [begun])
    #expect(uploads.adopted == [begun.id: 3] && uploads.cancelled == [5] && uploads.lost.isEmpty)
  }

  @Test func `an upload that the session has lost is found out`() {
    let (lost, fresh) = (operation(.sentUnknown), operation())
    let (refused, runs) = (operation(.refused), operation(.sentUnknown, state: .leased))
    let uploads = UploadReconciliation([], with: [fresh, lost, refused, runs])
    #expect(uploads.lost == [lost.id] && uploads.adopted.isEmpty && uploads.cancelled.isEmpty)
  }

  @Test func `what belongs to nobody here is left alone`() {
    let uploads = UploadReconciliation(
      [.init(1, describedBy: nil), .init(2, describedBy: "avatar")], with: [operation()])
    #expect(uploads == UploadReconciliation([], with: []))
  }
}
