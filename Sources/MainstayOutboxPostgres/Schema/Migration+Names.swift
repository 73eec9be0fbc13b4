// SPDX-License-Identifier: Apache-2.0

internal import MainstayOutbox

extension Migration {
  /// What is said of a name that cannot be that of the schema.
  static func illegal(schema: String) -> String {
    "“\(schema.withoutZeros)” cannot be the name of the schema: use small letters, digits and "
      + "underscores, at most 63, no digit and no pg_ first, and no word of SQL's own such as user."
  }

  /// Whether a name can be that of the schema, without quotes.
  static func isLegal(schema: String) -> Bool {
    guard let first = schema.utf8.first, schema.utf8.count <= 63 else { return false }
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return !digits.contains(first)
      && schema.utf8.allSatisfy {
        letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_")
      } && !schema.hasPrefix("pg_") && !taken.contains(schema)
  }

  /// The words of SQL that need quotes somewhere: in `pg_get_keywords()`, all that it does not call
  /// unreserved, of the versions 13 to 18.
  private static let taken = Set(
    """
    all analyse analyze and any array as asc asymmetric authorization between bigint binary bit
    boolean both case cast char character check coalesce collate collation column concurrently
    constraint create cross current_catalog current_date current_role current_schema
    current_time current_timestamp current_user dec decimal default deferrable desc distinct do
    else end except exists extract false fetch float for foreign freeze from full grant greatest
    group grouping having ilike in initially inner inout int integer intersect interval into is
    isnull join json json_array json_arrayagg json_exists json_object json_objectagg json_query
    json_scalar json_serialize json_table json_value lateral leading least left like limit
    localtime localtimestamp merge_action national natural nchar none normalize not notnull null
    nullif numeric offset on only or order out outer overlaps overlay placing position precision
    primary real references returning right row select session_user setof similar smallint some
    substring symmetric system_user table tablesample then time timestamp to trailing treat trim
    true union unique user using values varchar variadic verbose when where window with
    xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
    xmlserialize xmltable
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}
