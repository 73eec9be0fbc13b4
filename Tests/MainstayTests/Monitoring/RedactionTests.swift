// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct RedactionTests {
  @Test(
    arguments: [
      ("password=hunter2", "password=<redacted>"),
      ("password: hunter2, user: anna", "password: <redacted>, user: anna"),
      (#"{"password":"abc def","n":1}"#, #"{"password":<redacted>,"n":1}"#),
      (#"{\"password\":\"abc def\",\"n\":1}"#, #"{\"password\":\<redacted>,\"n\":1}"#),
      ("password = 'it is \"long\"' ok", "password = <redacted> ok"),
      ("Authorization: Bearer abc.def", "Authorization: <redacted>"),
      ("Authorization=Digest username=\"anna\", realm=x", "Authorization=<redacted>"),
      ("Cookie: a=b; c=d\nHost: x", "Cookie: <redacted>\nHost: x"),
      ("token=Bearer abc", "token=<redacted>"), ("Bearer abc.def-1", "Bearer <redacted>"),
      ("Basic YW5uYTpwdw==", "Basic <redacted>"), ("basic auth failed", "basic auth failed"),
      ("x-api-key: k1", "x-api-key: <redacted>"),
      ("accessTokens: [a, b] c", "accessTokens: <redacted> c"),
      ("token: Optional(\"a b\") x", "token: <redacted> x"),
      ("unexpected token at line 3", "unexpected token at line 3"),
      ("id eyJhbGciOi.eyJzdWIiOiIx.c2ln ok", "id <redacted> ok"),
      ("key sk_live_1234567890abcdef", "key <redacted>"),
    ] as [(String, String)])
  func `takes out secrets whole`(_ text: String, _ expected: String) {
    #expect(Redaction.redact(text) == expected)
  }

  @Test(
    arguments: [
      ("GET https://h.org/p?a=b&name=Bob failed", "GET https://h.org/p?<redacted> failed"),
      ("https://u:p@h.org:80/p#x", "https://h.org:80/p?<redacted>"),
      ("(see https://h.org/p).", "(see https://h.org/p)."),
      (#""https://h.org/?q=1","#, #""https://h.org/?<redacted>","#),
      ("postgres://u:p@db/x", "postgres://db/x"),
      ("file:///Users/anna/x.txt", "file:///Users/<user>/x.txt"),
      ("/home/anna/x and C:\\Users\\anna\\x", "/home/<user>/x and C:\\Users\\<user>\\x"),
      ("/Users/Shared/x", "/Users/Shared/x"), (#"\/home\/anna\/x"#, #"\/home\/<user>\/x"#),
      ("mail anna@example.org.", "mail <email>."), ("<anna@example.org>", "<<email>>"),
      ("mailto:a.b+c@example.co.uk", "mailto:<email>"), ("swift-log@1.2.3", "swift-log@1.2.3"),
      ("user=ännä@exämple.org", "user=<email>"), ("", ""), ("nothing to hide", "nothing to hide"),
    ] as [(String, String)])
  func `takes out addresses and persons`(_ text: String, _ expected: String) {
    #expect(Redaction.redact(text) == expected)
  }

  @Test(arguments: [
    "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "ghp_", "gho_", "ghs_", "ghu_",
    "ghr_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "AKIA",
    "ASIA",
    "AIza", "sk-proj-", "sk-", "npm_", "SG.",
  ])
  func `a key is known by how it begins`(_ beginning: String) {
    let key = beginning + String(repeating: "Ab1", count: 12)
    let once = Redaction.redact("key \(key), (\(key))")
    #expect(once == "key <redacted>, (<redacted>)")
    #expect(Redaction.redact(once) == once)
  }

  @Test(
    arguments: [
      ("pass: \"b\" x", "pass: <redacted> x"), ("DB_PASS=b x", "DB_PASS=<redacted> x"),
      ("smtpPass=b", "smtpPass=<redacted>"), ("HTTPPass=b", "HTTPPass=<redacted>"),
      ("jwt=abc&a=b", "jwt=<redacted>&a=b"), ("{\"id_jwts\":[1]}", "{\"id_jwts\":<redacted>}"),
      ("otp: 123456, n: 1", "otp: <redacted>, n: 1"), ("otp2=123456", "otp2=<redacted>"),
      ("bypass=1 compass: north", "bypass=1 compass: north"),
      ("passes: 3 passing: 4", "passes: 3 passing: 4"), ("potp=1", "potp=1"),
      ("Pass.swift:42", "Pass.swift:42"), ("the pass failed", "the pass failed"),
      ("unset npm_config_registry", "unset npm_config_registry"),
      ("sk-learn-extension", "sk-learn-extension"),
    ] as [(String, String)])
  func `a short name of a secret is one as the last word alone`(
    _ text: String, _ expected: String
  ) {
    let once = Redaction.redact(text)
    #expect(once == expected)
    #expect(Redaction.redact(once) == once)
  }

  @Test(
    arguments: [
      ("auth: x1 author: Ada", "auth: <redacted> author: Ada"), ("x-auth=x1", "x-auth=<redacted>"),
      ("SESSION=x1; PHPSESSID=y", "SESSION=<redacted>; PHPSESSID=<redacted>"),
      ("userSession=x1 sessions: 4", "userSession=<redacted> sessions: 4"),
      ("URLSession: failed", "URLSession: failed"),
      (
        "_csrf=x1 csrf_token=x2 xsrf: x3", "_csrf=<redacted> csrf_token=<redacted> xsrf: <redacted>"
      ),
      ("pin=1234 pinned: yes", "pin=<redacted> pinned: yes"),
      ("cvc: 123, cvv=1", "cvc: <redacted>, cvv=<redacted>"),
      (
        "AccountName=a;AccountKey=abc==;x=y", "AccountName=a;AccountKey=<redacted>;x=y"
      ),
      (
        "signingKey=a encryption_key=b masterKey=c publicKey=d",
        "signingKey=<redacted> encryption_key=<redacted> masterKey=<redacted> publicKey=d"
      ),
      (
        "tokenValue=a access_token_v2=b keyValue=c authValue=d",
        "tokenValue=<redacted> access_token_v2=<redacted> keyValue=c authValue=<redacted>"
      ),
      ("passwort: a kennwort=b", "passwort: <redacted> kennwort=<redacted>"),
      ("contraseña=c mot_de_passe=d", "contraseña=<redacted> mot_de_passe=<redacted>"),
    ] as [(String, String)])
  func `names that other packages and languages have for secrets are known`(
    _ text: String, _ expected: String
  ) {
    let once = Redaction.redact(text)
    #expect(once == expected)
    #expect(Redaction.redact(once) == once)
  }

  @Test(
    arguments: [
      ("card 4111 1111 1111 1111.", "card <card>."), ("4111-1111-1111-1111", "<card>"),
      ("(4111111111111111)", "(<card>)"), ("5555555555554444", "<card>"),
      ("378282246310005, 3782 822463 10005", "<card>, <card>"),
      ("4111 1111 1111 1112", "4111 1111 1111 1112"), ("4111111111111112", "4111111111111112"),
      ("barcode 4006381333931", "barcode 4006381333931"), ("1700000000000", "1700000000000"),
      ("0.4111111111111111", "0.4111111111111111"), ("4111111111111111x", "4111111111111111x"),
      ("to DE89 3704 0044 0532 0130 00 now", "to <iban> now"),
      ("DE89370400440532013000", "<iban>"), ("NO9386011117947", "<iban>"),
      ("GB82 WEST 1234 5698 7654 32 PAID", "<iban> PAID"),
      ("DE89 3704 0044 0532 0130 01", "DE89 3704 0044 0532 0130 01"),
      ("AB12 is a code", "AB12 is a code"),
    ] as [(String, String)])
  func `numbers of cards and accounts are taken out where their check sums are right`(
    _ text: String, _ expected: String
  ) {
    let once = Redaction.redact(text)
    #expect(once == expected)
    #expect(Redaction.redact(once) == once)
  }

  @Test func `a run of encoded data is taken out`() {
    let data = String(repeating: "QUJD+/8=", count: 100)
    #expect(Redaction.redact("body: \(data)") == "body: <data>")
  }

  @Test func `values are seen together with their names`() {
    let metadata = [
      "Authorization": "Bearer a b", "apiKey": "k", "path": "/home/anna", "n": "3", "": "x",
    ]
    #expect(
      Redaction.redact(metadata) == [
        "Authorization": "<redacted>", "apiKey": "<redacted>", "path": "/home/<user>", "n": "3",
        "": "x",
      ])
  }

  @Test(
    .ends(withinMinutes: 5),
    arguments: [
      "a", "@", "a@", "a@b.", "://", "a://", "a://b?", "=", "token=", "token=\"", "token=(", "\"",
      "\\", "/home/", "/", "Bearer ", "Bearer", "eyJ.", "<redacted>", " ", "\u{301}", "é",
      "password ",
      "a/", "basic a(", "a://b:", "<token>", "Authorization:\n", "token=\\", "a://@",
    ])
  func `a megabyte of hostile text ends quickly and stays short`(_ piece: String) {
    let text = String(repeating: piece, count: 1_000_000 / piece.utf8.count)
    let redacted = Redaction.redact(text)
    #expect(redacted.utf8.count <= 16_006)
    #expect(Redaction.redact(redacted) == redacted)
  }

  @Test func `redacting twice is redacting once`() {
    var generator = SeededGenerator(seed: 6)
    let pieces = [
      "token", "=", ":", " ", "\"", "'", "\\", "/", "home", "Users", "anna", "@", "example.org",
      ".",
      "https://", "?", "&", "#", "(", ")", "[", "]", "{", "}", "<", ">", "Bearer", "Basic", "eyJab",
      "Authorization", "\n", ",", ";", "Abc123==", "<redacted>", "<email>", "<user>", "é", " <cut>",
      "\u{301}", "😀", "|", "-", "+",
    ]
    for _ in 0..<5_000 {
      let text = generator.text(of: pieces, pieces: 14)
      let once = Redaction.redact(text)
      #expect(Redaction.redact(once) == once, "\(text.debugDescription)")
    }
  }

  @Test func `a long text is cut once and for all`() {
    var generator = SeededGenerator(seed: 7)
    let pieces = [
      "word ", "token=a ", "/home/b ", "c@d.org ", "https://e.org/f?g ", "é ", "\"", "x",
    ]
    for _ in 0..<5 {
      let text = generator.text(of: pieces, pieces: 8_000)
      let once = Redaction.redact(text)
      #expect(once.utf8.count <= 16_006)
      #expect(Redaction.redact(once) == once)
    }
  }

  @Test func `ten megabytes are cut before they are looked at`() {
    for piece in ["word ", "x", "é", "token=a "] {
      let text = String(repeating: piece, count: 10_000_000 / piece.utf8.count)
      let once = Redaction.redact(text)
      #expect(once.utf8.count <= 16_006 && once.hasSuffix(" <cut>"))
      #expect(Redaction.redact(once) == once)
    }
  }

  @Test func `ordinary words stay, and what only looks like them does not`() {
    for text in ["Save item", "It was not saved.", "storage", "a.b.c d", "aaaaaaaaaaaaaaa"] {
      #expect(Redaction.redact(text) == text)
    }
    #expect(Redaction.redact("Bearer abcdefgh") == "Bearer <redacted>")
    #expect(Redaction.redact("AKIAABCDEFGHIJKL") == "<redacted>")
    #expect(Redaction.redact("ghp_abcdefghijklmnop") == "<redacted>")
  }
}
