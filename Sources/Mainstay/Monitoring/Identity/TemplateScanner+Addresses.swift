// SPDX-License-Identifier: Apache-2.0

/// Addresses of web, hosts and networks, UUIDs and bundle ids.
extension TemplateScanner {
  /// The address that begins with a run, and its mark.
  func address(_ run: AlphanumericRun, next: UInt8) -> (end: Int, mark: StaticString)? {
    if let end = endOfToken(run) { return (end, "<token>") }
    switch next {
    case UInt8(ascii: ":"):
      if let end = endOfURL(run) { return (end, "<url>") }
      if let end = endOfDrivePath(run) { return (end, "<path>") }
      if let end = endOfMAC(run) { return (end, "<mac>") }
      if let end = endOfIPv6(from: run.start) { return (end, "<ip>") }
    case UInt8(ascii: "@"): if let end = endOfEmail(from: run.start) { return (end, "<email>") }
    case UInt8(ascii: "-"):
      if let end = endOfUUID(run) { return (end, "<uuid>") }
      return endOfWordAddress(run)
    case UInt8(ascii: "."):
      if let end = endOfIPv4(run) { return (end, "<ip>") }
      return endOfWordAddress(run)
    case UInt8(ascii: "_"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      return endOfWordAddress(run)
    default: break
    }
    return nil
  }

  private func endOfWordAddress(_ run: AlphanumericRun) -> (end: Int, mark: StaticString)? {
    if let end = endOfURL(run) { return (end, "<url>") }
    if let end = endOfEmail(from: run.start) { return (end, "<email>") }
    if let found = endOfHost(run) { return found }
    if let end = endOfRelativePath(run) { return (end, "<path>") }
    return nil
  }

  /// Where a JSON web token ends.
  private func endOfToken(_ run: AlphanumericRun) -> Int? {
    guard run.count >= 10, bytes[run.start..<run.end].starts(with: "eyJ".utf8) else { return nil }
    var end = run.end
    while isLabel(end) || byte(end) == UInt8(ascii: "."), end < bytes.count { end += 1 }
    return end - run.start >= 20 ? trimmed(end) : nil
  }

  // MARK: URLs

  private func endOfURL(_ run: AlphanumericRun) -> Int? {
    guard Byte.isLetter(bytes[run.start]) else { return nil }
    var colon = run.end
    while colon < run.start + 24, isScheme(colon) { colon += 1 }
    guard begins("://", at: colon) else { return nil }
    let end = endOfURLText(from: colon + 3)
    return end > colon + 3 ? end : nil
  }

  private func isScheme(_ index: Int) -> Bool {
    isAlphanumeric(index) || byte(index) == UInt8(ascii: "+") || byte(index) == UInt8(ascii: ".")
      || byte(index) == UInt8(ascii: "-")
  }

  func begins(_ text: StaticString, at index: Int) -> Bool {
    for offset in 0..<text.utf8CodeUnitCount
    where byte(index + offset) != text.utf8Start[offset] { return false }
    return true
  }

  private func endOfURLText(from start: Int) -> Int {
    var end = start
    while end < bytes.count, !Byte.isSpace(bytes[end]), !Byte.isQuote(bytes[end]),
      bytes[end] != UInt8(ascii: "<"), bytes[end] != UInt8(ascii: ">"),
      bytes[end] != UInt8(ascii: "|"), bytes[end] != UInt8(ascii: "\\")
    { end += 1 }
    return max(trimmed(end), start)
  }

  /// The end without the marks that belong to the sentence.
  func trimmed(_ end: Int) -> Int {
    var end = end
    while end > position {
      switch bytes[end - 1] {
      case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"),
        UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: ")"), UInt8(ascii: "]"),
        UInt8(ascii: "}"):
        end -= 1
      default: return end
      }
    }
    return end
  }

  // MARK: Hosts

  /// Whether a byte may stand in a part of a host's name.
  func isLabel(_ index: Int) -> Bool {
    isAlphanumeric(index) || byte(index) == UInt8(ascii: "-") || byte(index) == UInt8(ascii: "_")
  }

  private typealias Labels = (
    end: Int, count: Int, first: ArraySlice<UInt8>, last: ArraySlice<UInt8>
  )

  /// The names with dots between them that begin at an index, 253 bytes at most.
  private func endOfLabels(from start: Int) -> Labels? {
    var end = start
    var count = 0
    var (first, last) = (bytes[0..<0], bytes[0..<0])
    while count < 32 {
      let label = end
      while end < start + 253, isLabel(end) { end += 1 }
      guard end > label, isAlphanumeric(label) else { return nil }
      last = bytes[label..<end]
      if count == 0 { first = last }
      count += 1
      guard byte(end) == UInt8(ascii: "."), isAlphanumeric(end + 1) else { break }
      end += 1
    }
    return isLabel(end) ? nil : (end, count, first, last)
  }

  private static let domains: Set<[UInt8]> = Set(
    [
      "com", "net", "org", "io", "dev", "app", "gov", "edu", "mil", "info", "biz", "cloud", "de",
      "uk", "fr", "es", "it", "nl", "jp", "cn", "ru", "br", "au", "ca", "ch", "at", "se", "eu",
      "us", "in", "kr", "tv", "me", "co", "local", "localdomain", "internal", "test", "example",
      "invalid", "arpa", "lan",
    ].map { Array($0.utf8) })

  private static let reversed: Set<[UInt8]> = Set(
    ["com", "org", "net", "io", "dev", "app", "de", "co", "group", "me"].map { Array($0.utf8) })

  private func endOfHost(_ run: AlphanumericRun) -> (end: Int, mark: StaticString)? {
    guard byte(run.start - 1) != UInt8(ascii: "."), let labels = endOfLabels(from: run.start),
      labels.count > 1
    else { return nil }
    let last = Array(labels.last)
    if labels.count >= 3, Self.reversed.contains(Array(labels.first)) {
      return (labels.end, Self.domains.contains(last) ? "<host>" : "<bundle>")
    }
    let name = bytes[run.start..<labels.end]
    guard Self.domains.contains(last), !name.contains(UInt8(ascii: "_")),
      !name.contains(where: { (65...90).contains($0) })
    else { return nil }
    // The path after a host makes it an address.
    guard byte(labels.end) == UInt8(ascii: "/") else { return (labels.end, "<host>") }
    return (endOfURLText(from: labels.end + 1), "<url>")
  }

  // MARK: Networks

  private func endOfIPv4(_ run: AlphanumericRun) -> Int? {
    var end = run.start
    for part in 0..<4 {
      let digits = endOfDigits(end)
      guard (1...3).contains(digits - end),
        bytes[end..<digits].reduce(0, { $0 * 10 + Int($1 - 48) }) <= 255
      else { return nil }
      end = digits
      if part < 3 {
        guard byte(end) == UInt8(ascii: ".") else { return nil }
        end += 1
      }
    }
    if byte(end) == UInt8(ascii: "/"), Byte.isDigit(byte(end + 1)),
      endOfDigits(end + 1) <= end + 3
    {
      end = endOfDigits(end + 1)
    }
    let goesOn = byte(end) == UInt8(ascii: ".") && Byte.isDigit(byte(end + 1))
    return goesOn || isAlphanumeric(end) ? nil : end
  }

  /// Where an IPv6 address ends: eight groups, or fewer around one double colon.
  ///
  /// What C++ and Ruby write between a type and its member is none: there is a digit in it.
  func endOfIPv6(from start: Int) -> Int? {
    var end = start
    var (groups, gaps, digits, colons) = (0, 0, 0, 0)
    while end < start + 46 {
      let group = end
      while end < group + 5, isHex(byte(end)) {
        if Byte.isDigit(bytes[end]) { digits += 1 }
        end += 1
      }
      guard end - group <= 4 else { return nil }
      if end > group { groups += 1 }
      if end == group, colons == 0, byte(end) != UInt8(ascii: ":") { return nil }
      guard byte(end) == UInt8(ascii: ":"), isHex(byte(end + 1)) || begins("::", at: end) else {
        break
      }
      let isGap = begins("::", at: end)
      gaps += isGap ? 1 : 0
      colons += isGap ? 2 : 1
      end += isGap ? 2 : 1
    }
    let isWhole = gaps == 0 && groups == 8 || gaps == 1 && groups < 8 && groups > 0
    guard isWhole, digits > 0, !isAlphanumeric(end), byte(end) != UInt8(ascii: "("),
      byte(end) != UInt8(ascii: "_"), groups > 2 || digits > 0 && hasDigitFirst(start)
    else { return nil }
    if byte(end) == UInt8(ascii: "%"), isAlphanumeric(end + 1) {
      return AlphanumericRun(in: bytes, at: end + 1).end
    }
    return end
  }

  /// Whether the first group has a digit, or there is none.
  private func hasDigitFirst(_ start: Int) -> Bool {
    var index = start
    while isHex(byte(index)) {
      if Byte.isDigit(bytes[index]) { return true }
      index += 1
    }
    return index == start
  }

  func isHex(_ byte: UInt8) -> Bool {
    Byte.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private func endOfMAC(_ run: AlphanumericRun) -> Int? {
    var end = run.start
    for part in 0..<6 {
      guard isHex(byte(end)), isHex(byte(end + 1)) else { return nil }
      end += 2
      if part < 5 {
        guard byte(end) == UInt8(ascii: ":") else { return nil }
        end += 1
      }
    }
    return isAlphanumeric(end) || byte(end) == UInt8(ascii: ":") ? nil : end
  }

  // MARK: Ids of groups of hexadecimal digits

  private func endOfUUID(_ run: AlphanumericRun) -> Int? {
    endOfHexGroups(from: run.start, [8, 4, 4, 4, 12])
  }

  /// Where a trace id of W3C or AWS ends.
  func endOfTrace(_ run: AlphanumericRun) -> Int? {
    if run.count == 2 { return endOfHexGroups(from: run.start, [2, 32, 16, 2]) }
    return run.count == 1 ? endOfHexGroups(from: run.start, [1, 8, 24]) : nil
  }

  private func endOfHexGroups(from start: Int, _ groups: [Int]) -> Int? {
    var end = start
    for (number, count) in groups.enumerated() {
      if number > 0 {
        guard byte(end) == UInt8(ascii: "-") else { return nil }
        end += 1
      }
      for _ in 0..<count {
        guard isHex(byte(end)) else { return nil }
        end += 1
      }
    }
    return isAlphanumeric(end) ? nil : end
  }
}
