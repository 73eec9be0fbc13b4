// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// When limits of rates let more begin.
  static let turns = """
    -- In how many milliseconds the limit of a rate lets one more begin of one of these kinds, which
    -- a claim has just asked for; null where none of them is held back. After an hour at most
    -- somebody looks again: a rate may be as small as one likes.
    create function mainstay.next_turn(p_kinds text[]) returns bigint
    language plpgsql volatile as $$
    begin
      return (
        select greatest(1, min(refilled_at
          + ceil(least((1 - tokens) * 1000 / greatest(rate, 0.000001), 3600000))::bigint)
          - mainstay.clock())
        from mainstay.kind_limit
        where kind = any (p_kinds) and rate is not null and tokens < 1
        having count(*) > 0);
    end $$;
    """
}
