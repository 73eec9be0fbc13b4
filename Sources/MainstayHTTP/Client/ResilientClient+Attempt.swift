// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

// One call and its attempts. What is asked of the service stands in `Request`, what is known about
// it in `SendBook`; nothing else is kept.
extension ResilientClient.Core {
  typealias Request = ResilientClient.Request

  /// Sends a request under the policies of its origin, and reads the answer.
  func carry<T: Sendable>(
    _ request: Request, _ read: @escaping @Sendable (HTTPReply, RequestWay) async throws -> T
  ) async throws(AppError) -> T {
    let key = request.effect
    let book = SendBook(
      isRepeatable: request.mayBeRepeated, body: request.body, person: authorization?.person)
    let use = NetworkUse.part()
    defer { if request.mayChange, book.mayHaveEffect { NetworkUse.begun() } }
    do {
      let value: T
      if let use {
        value = try await use.during { try await perform(request, key, book, read) }
      } else {
        value = try await perform(request, key, book, read)
      }
      if let kept { await kept.invalidate(book.changed) }
      return value
    } catch {
      if let kept { await kept.invalidate(book.changed) }
      throw final(error, request, book, use)
    }
  }

  private func perform<T: Sendable>(
    _ request: Request, _ key: IdempotencyKey?, _ book: SendBook,
    _ read: @escaping @Sendable (HTTPReply, RequestWay) async throws -> T
  ) async throws -> T {
    let (address, origin) = try place(of: request)
    let attempt: @Sendable () async throws -> T = {
      try await self.attempt(request, address, key, book, read)
    }
    // The name of the effect lets a retry repeat what has an unknown outcome; what cannot be
    // repeated at all has none to go by, not even that of a task around it.
    let name = book.isRepeatable ? key ?? IdempotencyKey.current : nil
    guard name == IdempotencyKey.current else {
      return try await IdempotencyKey.$current.withValue(name) {
        try await run(origin, request, book, attempt)
      }
    }
    return try await run(origin, request, book, attempt)
  }

  private func run<T: Sendable>(
    _ origin: HTTPOrigin, _ request: Request, _ book: SendBook,
    _ attempt: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let isTransfer = request.isLong
    // The call may be one that fetches the body of another one, whose book is none of its own.
    let own = book.isRepeatable ? nil : book
    if own == nil, SendBook.current.get() == nil {
      return try await lanes.run(origin, isTransfer: isTransfer, attempt)
    }
    return try await SendBook.current.withValue(own) {
      try await lanes.run(origin, isTransfer: isTransfer, attempt)
    }
  }

  private func place(of request: Request) throws(AppError) -> (WireAddress, HTTPOrigin) {
    let address = try base.address(of: request.path)
    guard let origin = base.origin else {
      throw HTTPOrigin.illegal("The client \(name) needs an address with http or https")
    }
    return (address, origin)
  }

  /// One attempt, as policies see it: with its redirections, and with a new sign-in where the old
  /// one is not taken.
  private func attempt<T: Sendable>(
    _ request: Request, _ address: WireAddress, _ key: IdempotencyKey?, _ book: SendBook,
    _ read: @Sendable (HTTPReply, RequestWay) async throws -> T
  ) async throws -> T {
    let number = try book.begin(for: name)
    var course = Course(way: RequestWay(request.verb, address), number: number)
    do {
      let reply = try await answer(request, key, book, &course)
      let value = try await read(reply.moving(request.patience), course.way)
      book.end(.succeeded)
      return value
    } catch {
      let failure = judged(error, course, isRepeatable: book.isRepeatable)
      let seen = Self.asPoliciesSeeIt(failure.error, isAtHome: course.way.isAtHome)
      book.end(failure.ending, failure: seen as? AppError)
      throw seen
    }
  }

  /// A portal is none of the service's failures, and nobody signs in within seconds: policies take
  /// it for a refusal, which they neither repeat nor count.
  ///
  /// What fails at another host, where a redirection has led, is repeated and not counted either:
  /// the service itself has answered.
  private static func asPoliciesSeeIt(_ error: any Error, isAtHome: Bool) -> any Error {
    if let error = error as? AppError, error.kind == .portal, case .transient = error.disposition {
      return error.with(disposition: .rejected())
    }
    guard !isAtHome else { return error }
    guard error.isCancellation else { return ErrorMapping.current.map(error).elsewhere() }
    // The limit that has passed would not know whom it was waited for.
    return TimedOut.ofCurrentTask.map { ErrorMapping.current.map($0).elsewhere() } ?? error
  }

  /// How far one attempt has come.
  struct Course: Sendable {
    var way: RequestWay
    let number: Int
    /// Whether bytes may be on their way of which nobody knows what became of them.
    var isOpen = false
    /// Whether somebody has answered, other than that the sign-in is not taken.
    var isAnswered = false
    var hasSignedAnew = false
    /// Whether something else than the service has answered, such as with a page for people.
    var isPortal = false
    /// Whether the service may have done its work although the course goes on: it sent a request
    /// that changes something to look elsewhere, or failed itself.
    var mayBeDone = false
    /// Whether an answer to a change has sent it to look elsewhere: then it counts as done, maybe,
    /// whatever becomes of that.
    var wasSentOn = false
  }

  private func judged(
    _ error: any Error, _ course: Course, isRepeatable: Bool
  ) -> (error: any Error, ending: SendStateMachine.Ending) {
    guard !error.isCancellation else {
      if course.isOpen || course.mayBeDone { return (error, .mayHaveArrived) }
      return (error, course.isAnswered ? .refused : .notSent)
    }
    let failure = ErrorMapping.current.map(error)
    if !isRepeatable, course.mayBeDone {
      let told = failure.with(disposition: .unknownOutcome)
      return (told.adding(metadata: ["http.sent": "maybe"]), .mayHaveArrived)
    }
    if course.wasSentOn { return (failure, .mayHaveArrived) }
    guard course.isOpen else {
      guard course.isAnswered else { return (failure, .notSent) }
      if failure.disposition == .unknownOutcome { return (failure, .mayHaveArrived) }
      // The service, or a portal before it, has said what it made of the request.
      return (failure, course.mayBeDone ? .failed : .refused)
    }
    // Of what was answered a connection that is lost later says nothing.
    guard failure.mayHaveArrived || course.isAnswered else { return (failure, .notSent) }
    guard !isRepeatable, failure.disposition != .unknownOutcome else {
      return (failure, .mayHaveArrived)
    }
    return (failure.with(disposition: .unknownOutcome), .mayHaveArrived)
  }

  /// Sends, until there is an answer that counts.
  private func answer(
    _ request: Request, _ key: IdempotencyKey?, _ book: SendBook, _ course: inout Course
  ) async throws -> HTTPReply {
    while true {
      var ticket: AuthorizationStateMachine.Ticket?
      if course.way.isAtHome, let authorization, let person = book.person {
        ticket = try await authorization.ticket(for: person)
      }
      let message = try await message(request, key, ticket, course.way, book)
      let (mayBeDone, wasSentOn) = (course.mayBeDone, course.wasSentOn)
      let (reply, step) = try await exchange(message, request, book, &course)
      guard !course.isPortal else { throw AppError.portal() }
      if let ticket, isWorthAnotherToken(reply, ticket, course), request.canSendAgain {
        course.hasSignedAnew = true
        course.isAnswered = false
        continue
      }
      switch step {
      case .follow: continue
      case .refused(isPortal: true):
        (course.mayBeDone, course.wasSentOn) = (mayBeDone, wasSentOn)
        throw AppError.portal()
      case .stay, .refused:
        try await check(reply, request, hasKey: key != nil, course)
        return reply
      }
    }
  }

  /// What an answer says of the token of its request.
  ///
  /// - Returns: Whether the same request may be taken with another one.
  private func isWorthAnotherToken(
    _ reply: HTTPReply, _ ticket: AuthorizationStateMachine.Ticket, _ course: Course
  ) -> Bool {
    guard reply.status == 401 else {
      // What fails may not have come to look at it.
      if reply.status < 500 { authorization?.taken(ticket) }
      return false
    }
    let isBetter = authorization?.refused(
      ticket, isAgain: course.hasSignedAnew, at: timeline.now)
    return isBetter == true && !course.hasSignedAnew
  }

  /// The bytes and fields of one request.
  private func message(
    _ request: Request, _ key: IdempotencyKey?, _ ticket: AuthorizationStateMachine.Ticket?,
    _ way: RequestWay, _ book: SendBook
  ) async throws -> HTTPTransmission {
    var headers = settings.headers
    headers.merge(request.headers)
    if request.isConditional, way.move != nil {
      // A version is that of one resource, and the same text may name one of another.
      headers["if-none-match"] = nil
      headers["if-modified-since"] = nil
    }
    // What a change leads to is asked for, and no longer made.
    let isStillItself = way.verb == request.verb
    if !isStillItself {
      headers.removeThoseOfChange()
      headers[settings.keyField] = nil
    }
    if !headers.contains("accept") { headers.append("Accept", request.accepted(settings)) }
    var body = HTTPTransmission.Body.none
    if way.hasBody, let content = request.body {
      if let type = content.contentType, !headers.contains("content-type") {
        headers.append("Content-Type", type)
      }
      if let stamp = try content.stamp { try book.send(stamp) }
      body = try await content.transmitted().moving(request.patience)
    }
    for (name, value) in Trace.headers where !headers.contains(name) {
      headers.append(name, value)
    }
    if let field = settings.deadlineField,
      let remaining = request.patience?.longestRemaining ?? Deadline.remaining
    {
      headers[field] = String(max(remaining.inMilliseconds, 0))
    }
    if way.isAtHome {
      if let key, isStillItself { headers[settings.keyField] = key.rawValue }
      if let ticket { authorization?.sign(&headers, with: ticket) }
    } else {
      headers["cookie"] = nil
      headers["authorization"] = nil
      headers[settings.keyField] = nil
      authorization?.unsign(&headers)
    }
    if let field = headers.firstIllegalName {
      throw HTTPOrigin.illegal("The header field \(field) cannot be sent")
    }
    return HTTPTransmission(
      way.verb, way.address, headers: headers, body: body,
      isRepeatable: book.isRepeatable || (way.verb.isSafe && way.verb != request.verb))
  }

  /// One request, the head of its answer, which observers are told of, and where that leads.
  private func exchange(
    _ message: HTTPTransmission, _ request: Request, _ book: SendBook, _ course: inout Course
  ) async throws -> (HTTPReply, RequestWay.Step) {
    let start = listener == nil ? .zero : timeline.now
    let isChange = !course.way.verb.isSafe
    course.isOpen = true
    course.isAnswered = false
    do {
      let reply = try await transport.send(message)
      course.isAnswered = true
      course.isPortal = isPortal(reply, request, course.way)
      // Nobody but the service itself can answer over TLS: then it may have done what it was asked.
      let isOwn =
        !course.isPortal || course.way.address.url.scheme?.lowercased() == "https"
      // A success counts once its body is here as well.
      course.isOpen = isOwn && (200...299).contains(reply.status)
      // A service that failed may have done its work before; one that sends a change elsewhere has
      // mostly done it (303), or may have.
      if isChange, isOwn, reply.status >= 500 || (301...303).contains(reply.status) {
        course.mayBeDone = true
        course.wasSentOn = course.wasSentOn || reply.status < 400
      }
      if isChange, kept != nil, Self.leavesDoubt(reply.status) {
        book.change(at: course.way.address)
      }
      let step = course.isPortal ? .stay : step(after: reply, to: request, &course)
      let isPortal = course.isPortal || step == .refused(isPortal: true)
      if !isPortal, NetworkUse.isWanted, HTTPOrigin(message.url)?.isLoopback == false {
        NetworkUse.answered()
      }
      tell(message, course, start, reply, isPortal ? .portal() : nil)
      return (reply, step)
    } catch {
      // A limit that has passed cancels the request: what that says is that nobody answered.
      let timeout = error.isCancellation ? TimedOut.ofCurrentTask : nil
      let failure = timeout.map { .timeout(cause: $0) } ?? ErrorMapping.current.map(error)
      if isChange, kept != nil, failure.mayHaveArrived { book.change(at: course.way.address) }
      tell(message, course, start, nil, failure)
      throw error
    }
  }

  /// Where an answer leads.
  private func step(
    after reply: HTTPReply, to request: Request, _ course: inout Course
  ) -> RequestWay.Step {
    guard (300...399).contains(reply.status) else { return .stay }
    return course.way.receive(
      status: reply.status, location: reply.headers["location"],
      isLimited: ["cache-control", "expires", "pragma"].contains(where: reply.headers.contains),
      rule: settings.redirections, canSendAgain: request.canSendAgain)
  }

  /// Whether what is kept of an address may be wrong after such an answer to a change.
  ///
  /// Only one that says that it was not made leaves it right, unless there is nothing to make it
  /// on.
  private static func leavesDoubt(_ status: Int) -> Bool {
    status == 404 || status == 410 || !(400...499).contains(status)
  }

  private func tell(
    _ message: HTTPTransmission, _ course: Course, _ start: Duration, _ reply: HTTPReply?,
    _ error: AppError?
  ) {
    guard let listener, let origin = HTTPOrigin(message.url) else { return }
    let exchange = HTTPExchange(
      verb: message.verb, origin: origin,
      url: HTTPError.redacted(message.address.text), attempt: course.number,
      status: reply?.status, requestID: reply.flatMap { HTTPError.requestID(in: $0.headers) },
      duration: timeline.now - start, error: error)
    listener(exchange)
  }

  /// Whether it says that what the caller has is still right: of the address that was asked first.
  private func confirms(_ reply: HTTPReply, _ request: Request, _ way: RequestWay) -> Bool {
    reply.status == 304 && request.isConditional && way.move == nil
  }

  private func isPortal(_ reply: HTTPReply, _ request: Request, _ way: RequestWay) -> Bool {
    if confirms(reply, request, way) { return false }
    if reply.status == 511 || settings.isPortal(reply.status, reply.headers) { return true }
    // Many services name a page as the type of an answer that has no content.
    guard reply.headers.isPage, (200...299).contains(reply.status), !acceptsPages(request),
      request.verb != .head, reply.status != 204, reply.status != 205, reply.body.length != 0
    else { return false }
    return true
  }

  /// Whether the answer may be a page for people.
  private func acceptsPages(_ request: Request) -> Bool {
    let accepted = request.accepted(settings).lowercased()
    return ["html", "text/*", "*/*"].contains(where: accepted.contains)
  }

  /// Throws what an answer that is no success means.
  private func check(
    _ reply: HTTPReply, _ request: Request, hasKey: Bool, _ course: Course
  ) async throws {
    if (200...299).contains(reply.status) { return }
    if confirms(reply, request, course.way) { return }
    // What it says about itself helps, and is no reason to fail otherwise.
    let isDocument =
      reply.headers.isProblem || HTTPError.mayNameFields(reply.status, reply.headers.mediaType)
    let limit = isDocument ? ProblemDetails.maximumBytes : Self.maximumExcerpt
    let body = try? await HeededLimit.enforce {
      try await reply.body.collect(upTo: limit).bytes
    }
    // A limit that passes meanwhile takes nothing from what the status says.
    if TimedOut.ofCurrentTask == nil { try Task.checkCancellation() }
    throw HTTPError(
      status: reply.status, method: course.way.verb.rawValue, url: course.way.address.text,
      headers: reply.headers.byName, body: body ?? Data(),
      hasIdempotencyKey: hasKey || request.isRepeatable == true)
  }

  private static let maximumExcerpt = 64_000
}
