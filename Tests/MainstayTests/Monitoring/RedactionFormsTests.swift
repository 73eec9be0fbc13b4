// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Forms in which secrets stand that are no `name=value`.
@Suite struct RedactionFormsTests {
  @Test(
    arguments: [
      (
        #"{"name": "DB_PASSWORD", "value": "hunter2"}"#,
        #"{"name": "DB_PASSWORD", "value": <redacted>}"#
      ),
      (
        #"{"name":"X-Api-Key","value":"abc123","n":1}"#,
        #"{"name":"X-Api-Key","value":<redacted>,"n":1}"#
      ),
      (
        #"{"name": "Cookie", "value": "sid=abc", "n": "x"}"#,
        #"{"name": "Cookie", "value": <redacted>, "n": "x"}"#
      ),
      (
        #"{"key": "password", "value": {"stringValue": "hunter2"}}"#,
        #"{"key": "password", "value": <redacted>}"#
      ),
      (
        #"{"key": "token", "on": false, "tags": ["a", "b"], "value": "c d"}, "value": 3"#,
        #"{"key": "token", "on": false, "tags": ["a", "b"], "value": <redacted>}, "value": 3"#
      ),
      (
        #"{\"name\": \"token\", \"value\": \"a b\"}"#,
        #"{\"name\": \"token\", \"value\": \<redacted>}"#
      ),
      (#"Header(name: "Cookie", value: "a b")"#, #"Header(name: "Cookie", value: <redacted>)"#),
      ("Header(name='Cookie', value='a b')", "Header(name='Cookie', value=<redacted>)"),
      (#""password" => "a b""#, #""password" => <redacted>"#),
      ("[password] => hunter2", "[password] => <redacted>"),
      (
        #"{"error": "invalid_token", "error_description": "It expired"}"#,
        #"{"error": "invalid_token", "error_description": "It expired"}"#
      ),
    ] as [(String, String)])
  func `a secret is known by the name that stands beside it`(_ text: String, _ expected: String) {
    check(text, expected)
  }

  @Test(
    arguments: [
      ("GET /callback?code=SplxlOBeZQQY&state=xyz failed", "GET /callback?<redacted> failed"),
      ("GET /v1/users?ssn=123-45-6789&name=Ada", "GET /v1/users?<redacted>"),
      ("(example.com/cb?code=abc).", "(example.com/cb?<redacted>)."),
      (#""\/callback?code=x\u0026state=y""#, #""\/callback?<redacted>""#),
      ("/callback#state=x&y=z, ok", "/callback?<redacted>, ok"),
      ("/a?to=https://h.org/b?c=d", "/a?<redacted>://h.org/b?<redacted>"),
      ("yes and/or? a=b", "yes and/or? a=b"), ("really?yes=no", "really?yes=no"),
      ("/a/b then c?d=e", "/a/b then c?d=e"), ("see owner/repo#123", "see owner/repo#123"),
    ] as [(String, String)])
  func `a query is taken out though its address has no scheme`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      (
        "privateKey=-----BEGIN PRIVATE KEY-----\nMIIE\nAAAA\n-----END PRIVATE KEY-----\nnext",
        "privateKey=<redacted>\nnext"
      ),
      (
        "bad -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- ok",
        "bad <redacted> ok"
      ),
      ("bad -----BEGIN OPENSSH PRIVATE KEY-----\nMIIE\nAAAA", "bad <redacted>"),
      (
        #""a\n-----BEGIN EC PRIVATE KEY-----\nMIIE\n-----END EC PRIVATE KEY-----\n""#,
        #""a\n<redacted>\n""#
      ),
      (
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"
      ),
    ] as [(String, String)])
  func `a private key is taken out to its last line`(_ text: String, _ expected: String) {
    check(text, expected)
  }

  @Test func `a private key is taken out though a long run of data stands before it`() {
    let data = String(repeating: "QUJD", count: 200)
    check(data + "-----BEGIN PRIVATE KEY-----\nMIIE\n", "<data><redacted>")
  }

  @Test func `a query is taken out though its path is a long run of data`() {
    let data = String(repeating: "QUJD", count: 200)
    check("/reset/\(data)?name=Ada&x=y ok", "<data>?<redacted> ok")
    check("/\(data)/x?name=Ada", "<data>?<redacted>")
    check("\(data)/x#name=Ada", "<data>?<redacted>")
  }

  @Test(
    arguments: [
      ("password_confirmation=a&b=c", "password_confirmation=<redacted>&b=c"),
      (#"{"passwordConfirmation":"a b"}"#, #"{"passwordConfirmation":<redacted>}"#),
      ("passwordHash=a apiKeyV2: b", "passwordHash=<redacted> apiKeyV2: <redacted>"),
      ("user.passwordHash=a", "user.passwordHash=<redacted>"),
      ("PasswordView.swift:42", "PasswordView.swift:42"),
      ("tokenCount=3, secretary: Ada", "tokenCount=3, secretary: Ada"),
    ] as [(String, String)])
  func `some words make any name that of a secret`(_ text: String, _ expected: String) {
    check(text, expected)
  }

  @Test(
    arguments: [
      ("password%3Dhunter2", "password%3D<redacted>"),
      (
        "to=https%3A%2F%2Fh%2F%3Ftoken%3Dabc%26x%3D1 ok",
        "to=https%3A%2F%2Fh%2F%3Ftoken%3D<redacted>%26x%3D1 ok"
      ),
      ("token%253da%2526x ok", "token%253d<redacted>%2526x ok"),
      ("password=a%26b&x=1", "password=<redacted>&x=1"),
      ("password=%3Da%26b x", "password=<redacted> x"),
      ("100%25 of %3D", "100%25 of %3D"),
    ] as [(String, String)])
  func `a secret is taken out of an encoded query`(_ text: String, _ expected: String) {
    check(text, expected)
  }

  @Test(
    arguments: [
      (
        #"{\\\"password\\\":\\\"correct horse\\\",\\\"n\\\":\\\"a b\\\"}"#,
        #"{\\\"password\\\":\\\<redacted>,\\\"n\\\":\\\"a b\\\"}"#
      ),
      (
        #"{\"password\":\"a\\\"b c\",\"n\":\"a b\"}"#, #"{\"password\":\<redacted>,\"n\":\"a b\"}"#
      ),
      (
        #"{\"password\":\"a b\\\\\",\"n\":\"a b\"}"#, #"{\"password\":\<redacted>,\"n\":\"a b\"}"#
      ),
      (#"{\"tokens\":[\"a b\",\"c\"],\"n\":\"x\"}"#, #"{\"tokens\":<redacted>,\"n\":\"x\"}"#),
    ] as [(String, String)])
  func `a secret is taken out to its end though JSON stands in JSON`(
    _ text: String, _ expected: String
  ) {
    check(text, expected)
  }

  @Test(
    arguments: [
      (#"password=a"b c"d e"#, "password=<redacted> e"),
      ("password=a'b c' d", "password=<redacted> d"),
      (#"{"m":"password=abc","n":"x y"}"#, #"{"m":"password=<redacted>,"n":"x y"}"#),
      ("password=it's\nfine, isn't it", "password=<redacted>\nfine, isn't it"),
    ] as [(String, String)])
  func `quotes inside a secret belong to it`(_ text: String, _ expected: String) {
    check(text, expected)
  }

  @Test func `redacting twice is redacting once, for all these forms`() {
    let pieces = [
      "token", "\"token\", ", "\"value\": ", "value=", "\"x\":", "passwordHash", "Cookie: ", "=",
      ":", ",", "{", "}", "(", ")", "[", "]", "\"", "'", "\\\"", #"\\\""#, "\\", "=>", "a", "b\"c",
      "/", "?", "#", "code=x", "&", "://", "%3D", "%3a", "%26", "%253D", "%2526", "-----BEGIN ",
      "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", " ", "\n", ";", "<", ">",
      "<redacted>", "Bearer ", "eyJabcdefghijklmnopq.x", "anna@x.org", "/home/", "%40", "é",
      " <cut>",
    ]
    for seed in 0..<UInt64(5_000 * RandomDose.cases / 100) {
      var generator = SeededGenerator(seed: seed)
      let text = generator.text(of: pieces, pieces: 14)
      let once = Redaction.redact(text)
      #expect(Redaction.redact(once) == once, "\(text.debugDescription)")
    }
  }

  private func check(
    _ text: String, _ expected: String, at place: SourceLocation = #_sourceLocation
  ) {
    #expect(Redaction.redact(text) == expected, sourceLocation: place)
    #expect(Redaction.redact(expected) == expected, sourceLocation: place)
  }
}
