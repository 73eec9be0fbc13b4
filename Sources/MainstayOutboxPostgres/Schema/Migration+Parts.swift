// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What is looked at anew, by parts: however much it is, no statement takes long.
  ///
  /// Each goes on behind a row, so that two processes for which other constraints hold do not put
  /// the same ones to and fro.
  static let parts = """
    create index op_unreached on mainstay.op (id) where state = 'scheduled' and unreachable > 0;

    -- Makes ready some of what constraints hold back, and answers behind which id there may be
    -- more; null where there is none. Where that has ended meanwhile, it begins anew.
    create function mainstay.reconsider(p_after bigint) returns bigint
    language plpgsql volatile set enable_seqscan to off as $$
    declare
      v_after record;
      v_ids bigint[];
    begin
      select o.constraints, o.lane, o.kind, o.version, o.rank, o.id into v_after
        from (select 1) as one left join mainstay.op as o on o.id = p_after;
      v_ids := array(
        select o.id from mainstay.op as o
        where o.state = 'waiting' and o.run_at is null
          and (o.constraints, o.lane, o.kind, o.version, o.rank, o.id) > (
            coalesce(v_after.constraints, '{}'), coalesce(v_after.lane, ''),
            coalesce(v_after.kind, ''), coalesce(v_after.version, 0), coalesce(v_after.rank, 0),
            coalesce(v_after.id, 0))
        order by o.constraints, o.lane, o.kind, o.version, o.rank, o.id
        limit 1000 for no key update skip locked);
      update mainstay.op set state = 'ready', cause = null where id = any (v_ids);
      return case when cardinality(v_ids) >= 1000 then v_ids[1000] end;
    end $$;

    -- Makes ready some of what waits because the network could not be reached; less important ones
    -- a little later. It answers as the one before.
    create function mainstay.expedite(
      p_after bigint, p_delay bigint, p_normal integer, p_now bigint
    ) returns bigint language plpgsql volatile set enable_seqscan to off as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_ids bigint[] := array(
        select o.id from mainstay.op as o
        where o.state = 'scheduled' and o.unreachable > 0 and o.id > p_after
        order by o.id limit 1000 for no key update skip locked);
    begin
      update mainstay.op set run_at = v_at + p_delay
        where id = any (v_ids) and p_delay > 0 and priority < p_normal and run_at > v_at + p_delay;
      update mainstay.op set state = 'ready', run_at = null, unreachable = 0
        where id = any (v_ids) and (priority >= p_normal or p_delay = 0);
      return case when cardinality(v_ids) >= 1000 then v_ids[1000] end;
    end $$;
    """
}
