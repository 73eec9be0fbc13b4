// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What opening looks for, however much waits.
  static let opening = """
    -- For what nobody has a worker for, and for what could not be read.
    drop index mainstay.op_parked;
    create index op_parked on mainstay.op (
      kind, version, (cause is distinct from 'unknownType')) where state = 'parked';

    -- Lets workers look anew at some of what could not be read, and answers whether there may be
    -- more.
    create function mainstay.read_anew() returns boolean
    language plpgsql volatile set enable_seqscan to off as $$
    declare
      v_ids bigint[] := array(
        select o.id from mainstay.op as o
        where o.state = 'parked' and o.cause is distinct from 'unknownType'
        limit 1000 for no key update skip locked);
    begin
      update mainstay.op set cause = 'unknownType' where id = any (v_ids);
      return cardinality(v_ids) >= 1000;
    end $$;
    """
}
