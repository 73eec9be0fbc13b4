// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What is looked at anew, by parts: however much it is, no statement takes long.
  ///
  /// Each goes on behind a row, so that two processes for which other constraints hold do not put
  /// the same ones to and fro.
  static let parts = """
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
    -- a little later. It looks at some of all that waits for a time, behind a time and an id, and
    -- answers behind which there may be more; nulls where there is none.
    create function mainstay.expedite(
      p_after bigint, p_id bigint, p_delay bigint, p_normal integer, p_now bigint,
      out after bigint, out id bigint
    ) language plpgsql volatile set enable_seqscan to off as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_looked bigint[];
      v_times bigint[];
      v_ids bigint[];
    begin
      select array_agg(o.id), array_agg(o.run_at) into v_looked, v_times from (
        select p.id, p.run_at from mainstay.op as p
        where p.run_at is not null and (p.run_at, p.id) > (p_after, p_id)
        order by p.run_at, p.id limit 1000) as o;
      v_ids := array(
        select o.id from mainstay.op as o
        where o.id = any (v_looked) and o.state = 'scheduled' and o.unreachable > 0
        for no key update skip locked);
      update mainstay.op as o set run_at = v_at + p_delay
        where o.id = any (v_ids) and p_delay > 0 and o.priority < p_normal
          and o.run_at > v_at + p_delay;
      update mainstay.op as o set state = 'ready', run_at = null, unreachable = 0
        where o.id = any (v_ids) and (o.priority >= p_normal or p_delay = 0);
      after := v_times[1000];
      id := v_looked[1000];
    end $$;
    """
}
