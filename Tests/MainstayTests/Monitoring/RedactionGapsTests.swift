// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct RedactionGapsTests {
  @Test(arguments: [
    "connect to 203.0.113.7:4431 failed", "no route to 2001:db8::7", "at 48.137154, 11.576124",
    "SMS to +49 170 1234567 refused", "Ada Lovelace, 12 St James's Square", "items?name=ada",
    #"{"value": "hunter2", "name": "password"}"#,
  ])
  func `what the page says is not known or not looked for stays as it is`(_ text: String) {
    check(text, text)
  }

  @Test(
    arguments: [
      ("postgres://ada:p#w@db/x", "postgres://db/x"),
      ("redis://u:pa/ss@cache", "redis://cache"), ("redis://:pa?ss@cache/0", "redis://cache/0"),
      ("amqp://u:p\"w@mq:5672 down", "amqp://mq:5672 down"),
      ("amqp://u:p|w@mq", "amqp://mq"), (#"amqp://u:p\w@mq"#, "amqp://mq"),
      ("amqp://u:p>w@mq", "amqp://mq"), ("amqp://u:p<w@mq", "amqp://mq"),
      ("amqp://u:p@w@mq", "amqp://mq"), ("amqp://u:p://w@mq", "amqp://mq"),
      (#"smb://CORP\bob:pw@nas/share"#, "smb://nas/share"),
      ("https://ada%40example.com:pw@h.org/p", "https://h.org/p"),
      (#""postgres://u:p#w@db","mail":"x@y.org""#, #""postgres://db","mail":"<email>""#),
    ] as [(String, String)])
  func `a password in an address is taken out whatever stands in it`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      (
        #"{"url":"postgres:\/\/app:hunter2@db:5432\/shop"}"#,
        #"{"url":"postgres:\/\/db:5432\/shop"}"#
      ),
      (#"https:\/\/h\/p?session=abc&name=Bob"#, #"https:\/\/h\/p?<redacted>"#),
      (#"https:\/\/h\/p?session=abc\u0026name=Bob ok"#, #"https:\/\/h\/p?<redacted> ok"#),
      (#"{"u":"https:\/\/u:p@h\/a\/b#x","n":1}"#, #"{"u":"https:\/\/h\/a\/b?<redacted>","n":1}"#),
      (#"{\"u\":\"https:\\\/\\\/u:p@h\\\/a?b\"}"#, #"{\"u\":\"https:\\\/\\\/h\\\/a?<redacted>\"}"#),
      (#"file:\/\/\/Users\/anna\/x"#, #"file:\/\/\/Users\/<user>\/x"#),
      (#"c:\/x"#, #"c:\/x"#),
    ] as [(String, String)])
  func `an address in JSON is one though its slashes are escaped`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      ("/users/ada%40example.com/orders", "/users/<email>/orders"),
      ("https://h.org/users/ada%40example.com/x", "https://h.org/users/<email>/x"),
      ("100%40 of them", "100%40 of them"), ("a%40", "a%40"),
      ("/users/ada%2540example.com/x", "/users/<email>/x"),
    ] as [(String, String)])
  func `an email address in a path is one though its sign is escaped`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      (#"[("X-Api-Key", "abc123")]"#, #"[("X-Api-Key", <redacted>)]"#),
      (#"("token","a b"), ("n","1")"#, #"("token",<redacted>), ("n","1")"#),
      (
        #"[AnyHashable("password"): "hunter2", "n": 1]"#,
        #"[AnyHashable("password"): <redacted>, "n": 1]"#
      ),
      (#"expected "token", found 5"#, #"expected "token", found 5"#),
    ] as [(String, String)])
  func `a secret is known by its name where a comma or a bracket stands between`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      (
        "Key (session_token)=(9f86d081) already exists.",
        "Key (session_token)=<redacted> already exists."
      ),
      ("Key (lower(token))=(9f86) exists", "Key (lower(token))=<redacted> exists"),
      ("Key (id, session_token)=(1, 9f86) x", "Key (id, session_token)=<redacted> x"),
      ("Key (session_token, id)=(9f86, 1) x", "Key (session_token, id)=<redacted> x"),
      ("(bad token) and then = 3", "(bad token) and then = 3"),
      ("login(token, id) = 3", "login(token, id) = 3"),
    ] as [(String, String)])
  func `a secret is known by its name where a database writes the columns in brackets`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      (
        #"<add key="Password" value="hunter2"/> ok"#, #"<add key="Password" value=<redacted> ok"#
      ),
      (
        #"<property name="password" type="string" value='a b' /> ok"#,
        #"<property name="password" type="string" value=<redacted> /> ok"#
      ),
      (
        #"<p name="password"/><p name="n" value="5"/>"#,
        #"<p name="password"/><p name="n" value="5"/>"#
      ),
      (#"the "token" was read, value = 5"#, #"the "token" was read, value = 5"#),
    ] as [(String, String)])
  func `a secret in an attribute of XML is known by the one beside it`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      (
        "mysqldump --user app --password hunter2 shop",
        "mysqldump --user app --password <redacted> shop"
      ),
      ("curl --token 'a b' --fail", "curl --token <redacted> --fail"),
      ("curl --cookie a=b https://h.org/x", "curl --cookie <redacted> https://h.org/x"),
      ("login --password --user x", "login --password --user x"),
      ("login --password <value>", "login --password <value>"),
      ("login --token | less", "login --token | less"),
    ] as [(String, String)])
  func `a secret is known by the option of a command before it`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      ("to o'brien@example.com and d'o'x@y.org", "to <email> and <email>"),
      ("it's ada@x.org", "it's <email>"), ("'ada', 'x@y.org'", "'ada', '<email>'"),
    ] as [(String, String)])
  func `an apostrophe belongs to the name in an email address`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      ("<password>hunter2</password>", "<password><redacted></password>"),
      (
        "<u>bob</u><wsse:Password Type=\"Text\">a b&amp;c</wsse:Password><n>1</n>",
        "<u>bob</u><wsse:Password><redacted></wsse:Password><n>1</n>"
      ),
      ("<token><![CDATA[a]]></token>", "<token><redacted></token>"),
      ("<password>hunter2", "<password><redacted>"),
      ("<password></password><n>1</n>", "<password></password><n>1</n>"),
      ("usage: login <user> <password> now", "usage: login <user> <password> now"),
      (
        "<authorization>Basic YW5uYTpwdw==</authorization>",
        "<authorization><redacted></authorization>"
      ),
    ] as [(String, String)])
  func `a secret in an element of XML is taken out`(_ text: String, _ expected: String) {
    check(text, expected)
  }

  @Test(
    arguments: [
      ("Bearer dev-secret", "Bearer <redacted>"), ("bearer my.token, ok", "bearer <redacted>, ok"),
      ("Bearer 12|AbCdEf ok", "Bearer <redacted> ok"),
      ("Bearer token: abc", "Bearer token: <redacted>"),
      ("Bearer token=abc", "Bearer token=<redacted>"),
      ("Basic token: abc", "Basic token: <redacted>"),
      ("\"Bearer a.b-c~d\"", "\"Bearer <redacted>\""),
      ("Basic A1b2C3d4=/home/u:p", "Basic <redacted>:p"),
    ] as [(String, String)])
  func `credentials are taken out though they read like the name of a secret`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test func `redacting twice is redacting once, for what stands around addresses and names`() {
    let pieces = [
      "postgres", "://", #":\/\/"#, #":\\\/\\\/"#, ":", "u:p", "@", "%40", "h.org", "/", #"\/"#,
      "#",
      "?", "\"", "\\\"", "'", " ", "<", ">", "</", "<password>", "</password>", "<a:token x=1>",
      "<![CDATA[", "]]>", "token", ",", ", ", "(", ")", "]", "Bearer ", "dev-secret", "Basic ",
      "A1b2C3d4=", "=", "|", "&", #"\u0026"#, "<redacted>", "\n", "/home/", "é", "AnyHashable(",
      "--token", "o'b", "a@b.de", ")=(", " value=", "/>", "4111 1111 1111 1111", "4111", "%2540",
      "DE89 3704 0044 0532 0130 00", "3704", "-----BEGIN PRIVATE KEY-----", "session", "-", ".",
    ]
    for seed in 0..<UInt64(5_000 * RandomDose.cases / 100) {
      var generator = SeededGenerator(seed: seed)
      let text = generator.text(of: pieces, pieces: 14)
      let once = Redaction.redact(text)
      #expect(Redaction.redact(once) == once, "\(text.debugDescription)")
    }
  }

  @Test(arguments: [
    "basic a(", "Basic A1(", "bearer (", "Bearer a(", "a://b:", "\"a://b:", "\"a://b:'c://d:",
    "://@",
    "a://b:c<redacted>", "<token>", "<token a", "<token></", "\"token\", ", "\"token\",\\",
    "token=(",
    "token=\\", "a%40", ":\\/\\/", "eyJ.", "x:\\\\\\", "Authorization:", "AnyHashable(",
    "4111 ", "4111", "4111-", "DE89 ", "DE89 3704 ", "'a", "a'", "--token ", "--token      ",
    "token))))", "token, a", "\"token\" a=",
    "/?", "/?a", "/?a=://", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "\"token\",\"v\"",
    "\"token\",v ", "token=a\"b", "token=a'b\"c`", "token%3D", "%2525", "token:\\\\\\\"",
  ])
  func `the work grows no faster than the text`(_ piece: String) {
    let texts = [7_500, 15_000].map { String(repeating: piece, count: $0 / piece.utf8.count) }
    let efforts = texts.map { Redaction.effort(redacting: $0) }
    #expect(efforts[1] <= 15_000 * 150)
    #expect(efforts[1] <= efforts[0] * 5 / 2 + 1_000)
  }

  private func check(
    _ text: String, _ expected: String, at place: SourceLocation = #_sourceLocation
  ) {
    #expect(Redaction.redact(text) == expected, sourceLocation: place)
    #expect(Redaction.redact(expected) == expected, sourceLocation: place)
  }
}
