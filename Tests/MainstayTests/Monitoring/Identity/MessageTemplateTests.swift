// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

private func template(_ message: String) -> String { MessageTemplate(message).description }

@Suite struct MessageTemplateTests {
  /// Every class of points 10 and 11 of the reference, in its order.
  static let classes: [(message: String, template: String)] = [
    ("mail to ada.l+x@mail.example.com now", "mail to <email> now"),
    ("Post an jörg@example.com geht nicht", "Post an <email> geht nicht"),
    ("jörg@exämple.de, ada@exämple.de und ölaf.ö@x.öster sind", "<email> und <email> sind"),
    ("von „lö-wi+x@post.exämple.de“.", "von „<email>“."),
    ("größer@ als Übermut", "größer@ als Übermut"),
    ("宛先ada@example.comに送れない", "宛先<email>に送れない"),
    ("宛先jörg@example.comに送れない", "宛先<email>に送れない"),
    ("用户@例子.公司 不存在", "<email> 不存在"),
    ("Письмо для ада@пример.рф не ушло", "Письмо для <email> не ушло"),
    ("GET https://api.example.com/a?b=1&c=2 failed", "GET <url> failed"),
    ("see file:///tmp/x.txt.", "see <url>."),
    ("host api.example.com down", "host <host> down"),
    ("example.com/shop/17 is gone", "<url> is gone"),
    ("from 10.0.0.255:8080", "from <ip>:<int>"),
    ("from 10.0.0.0/8 to fe80::1%en0", "from <ip> to <ip>"),
    ("bind [::1]:443", "bind [<ip>]:<int>"),
    ("2001:db8:0:0:1:0:0:1 unreachable", "<ip> unreachable"),
    ("::ffff is no address", "::ffff is no address"),
    ("on 00:1b:44:11:3a:b7", "on <mac>"),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "<trace>"),
    ("Root=1-5759e988-bd862e3fe1be46a994272793", "Root=<trace>"),
    ("id 7C0F2A9E-3B1D-4E55-9A60-1F2E3D4C5B6A.", "id <uuid>."),
    ("sha 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12", "sha <sha1>"),
    ("md5 9e107d9d372bb6826bd81d3542a419d6", "md5 <md5>"),
    ("at 2026-11-22T03:04:05.678Z", "at <date>"),
    ("at 2026-11-22 03:04:05 +0200 again", "at <date> again"),
    ("on 22.11.2026, 03:04 we", "on <date> we"),
    ("Sun, 22 Nov 2026 03:04:05 GMT", "<date>"),
    ("Nov 22 03:04:05 box", "<date> box"),
    ("Nov 22, 2026 it", "<date> it"),
    ("22-Nov-2026", "<date>"),
    ("11/22/2026 3:04 PM.", "<date>."),
    ("20261122T030405Z", "<date>"),
    ("10:15:30.250", "<date>"),
    ("took 1.5 s or 3 h, 5 a day", "took <duration> or <duration>, <int> a day"),
    ("took 150ms or 12 seconds", "took <duration> or <duration>"),
    ("took 1h 2m 3s", "took <duration>"),
    ("at 0x1f", "at <hex>"),
    ("ObjectIdentifier(0x0000600003c4c0a0)", "ObjectIdentifier(<pointer>)"),
    ("<Foo: 0x600003c4c0a0>", "<Foo: <pointer>>"),
    ("hex 9f86d081884c7d65 deadbeef", "hex <hex> deadbeef"),
    ("commit e3b0c44", "commit <git>"),
    ("ratio 0.75 or 1e-5 or -3.2E+7", "ratio <float> or <float> or <float>"),
    ("5 of 1234567 or -7", "<int> of <int> or <int>"),
    ("a-5 and x - 5", "a-<int> and x - <int>"),
    ("name=\"Ada L\" flag=true 'kept' true", "name=<quoted> flag=<bool> 'kept' true"),
    ("/Users/ada/Library/Data/shop.sqlite", "<path>.sqlite"),
    ("open \"/Users/ada b/My File.txt\" failed", "open \"<path>.txt\" failed"),
    ("Sources/App/Main.swift:42:10", "<path>.swift:<int>:<int>"),
    ("C:\\Users\\ada\\a.ini is gone", "<path>.ini is gone"),
    ("~/Documents/x and ./run", "<path> and <path>"),
    ("Optional(Optional(5)) Optional(\"a\")", "<int> \"a\""),
    ("app com.example.shop.widget", "app <bundle>"),
    ("group.com.example.shop", "<bundle>"),
    ("Fehler in Zeile ٣٤٥ und １２", "Fehler in Zeile <int> und <int>"),
    ("٣٬٤٥٦٫٧ und ४२", "<float> und <int>"),
    ("第123行", "第<int>行"),
    ("12 MB or 1,024 bytes or 3.5GiB", "<size> or <size> or <size>"),
    ("version 1.2.3 or v2.10.4", "version <version> or <version>"),
    ("ids [1, 2, 3]", "ids [<int>]"),
    ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "token <token>"),
    ("order12345 and job_42", "order<int> and job_<int>"),
    ("the 3rd try", "the <int> try"),
  ]

  @Test(.requirement("B41"), arguments: classes.indices)
  func `what changes is taken out`(_ index: Int) {
    #expect(template(Self.classes[index].message) == Self.classes[index].template)
  }

  @Test(.requirement("B41"), arguments: classes.indices)
  func `the template of a template is itself`(_ index: Int) {
    let expected = Self.classes[index].template
    #expect(template(expected) == expected)
  }

  @Test(arguments: [
    "utf-8 expected", "UTF-16 and ISO-8859-1", "sha-256, sha256, SHA512", "base64 of x86_64 arm64",
    "HTTP2 and IPv6", "UInt32Array", "iPhone14ProMax", "SHA256Digest", "TS2345", "SQLSTATE23505",
    "5xx", "2FA",
  ]) func `numbers that belong to a name stay`(_ text: String) { #expect(template(text) == text) }

  @Test func `a number with groups is one number`() {
    #expect(template("4,150,908 rows") == "<int> rows")
    #expect(template("4,150,908.25 rows") == "<float> rows")
    #expect(template("1,2345") == "<int>")
  }

  @Test(arguments: [
    "Fee::add() failed", "A::b1 x", "std::vector", "Dead::beef1()", "a::b::c", "Foo::Bar2::baz(x)",
  ]) func `a member of a type is no address`(_ text: String) { #expect(template(text) == text) }

  @Test(arguments: ["tcp", "ws", "redis", "postgres+ssl", "mainstay-test", "s3"])
  func `every scheme makes a URL`(_ scheme: String) {
    #expect(template("to \(scheme)://db.internal:5432/x failed") == "to <url> failed")
  }

  @Test func `values of a JSON body are taken out and its keys stay`() {
    let body = #"{"id": 17, "name":"Ada \"L\"", "ok": true, "tags": ["a"], "at": null}"#
    #expect(
      template("HTTP 500: " + body)
        == #"HTTP <int>: {"id": <int>, "name":<quoted>, "ok": <bool>, "tags": ["a"], "at": null}"#)
  }

  @Test func `the elements of XML are no marks`() {
    let body = "<order><id>17</id><date>2026-11-22</date></order>"
    #expect(template(body) == "<order><id><int></id><date><date></date></order>")
  }

  @Test(arguments: [
    "k9Mtd2gDcgG", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "a8f3k2m9q1", "2gDcgGk9Mtd",
    "dQw4w9WgXcQ9aa3b1Zpq",
  ]) func `random ids are taken out`(_ id: String) {
    #expect(template("item \(id) gone") == "item <id> gone")
  }

  @Test(arguments: ["256.1.1.1", "1.2.3.4.5", "1.2.3"])
  func `what is no address is not taken for one`(_ text: String) {
    #expect(template("at \(text)") == "at <version>")
  }

  @Test func `two lines that are not empty count`() {
    #expect(template("\n\n  first 1 \r\n\r\n\tsecond 2\nthird 3\n") == "first <int>\nsecond <int>")
    #expect(template(" \n\t ") == "")
    #expect(template("a \t  b") == "a b")
  }

  @Test func `values of different length have one template`() {
    let messages = ["Order 7 of ada@a.de", "Order 99,123 of grace.hopper@navy.mil"]
    #expect(Set(messages.map(template)).count == 1)
    #expect(Fingerprint(message: messages[0]) == Fingerprint(message: messages[1]))
  }

  @Test func `a template that an author wrote is not guessed`() {
    let text: LocalizableText = "Row \(5) of {\("x")} is in utf 9"
    #expect(MessageTemplate(of: text).description == "Row <value> of {<value>} is in utf 9")
    #expect(MessageTemplate(of: LocalizableText(verbatim: "row 5")).description == "row <int>")
  }
}
