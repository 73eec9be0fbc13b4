// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// Notices about policies anew: each process says how long it may be silent.
  ///
  /// One that looks seldom was taken for gone by those that look often.
  static let members = """
    alter table mainstay.policy_member
      add column patience double precision not null default 10;

    create or replace function mainstay.share_policies(
      p_member text, p_kinds text[], p_names text[], p_seconds double precision[],
      p_patience double precision
    ) returns table (
      kind text, name text, seconds double precision, version bigint, is_own boolean
    ) language plpgsql volatile as $$
    declare
      v_now timestamptz := clock_timestamp();
    begin
      insert into mainstay.policy_member as m (member, seen_at, patience)
        values (p_member, v_now, p_patience)
        on conflict (member) do update
          set seen_at = excluded.seen_at, patience = excluded.patience;
      delete from mainstay.policy_member as m
        where m.seen_at < v_now - make_interval(secs => m.patience)
          and m.ctid in (select o.ctid from mainstay.policy_member as o
            where o.seen_at < v_now - make_interval(secs => o.patience)
            for update skip locked);
      -- Everybody has heard it, or it is over where nobody has.
      delete from mainstay.policy as p where p.ctid = any (array(
        select o.ctid from mainstay.policy as o
        where greatest(o.said_at, o.until) < v_now - interval '1 hour'
        limit 1000 for update skip locked));
      -- In one order, so that two processes never wait for each other.
      insert into mainstay.policy as p (kind, name, until, version, member, said_at)
        select t.kind, t.name, v_now + make_interval(secs => t.seconds),
          nextval('mainstay.policy_version'), p_member, v_now
        from unnest(p_kinds, p_names, p_seconds) as t (kind, name, seconds)
        order by t.kind, t.name
        -- Numbered anew, since who waited for the row has drawn its number before the other one.
        on conflict on constraint policy_pkey do update
          set until = excluded.until, version = nextval('mainstay.policy_version'),
            member = excluded.member, said_at = excluded.said_at;
      return query
        select null::text, null::text, null::double precision, count(*), false
        from mainstay.policy_member
        union all
        select p.kind, p.name, extract(epoch from p.until - v_now)::double precision, p.version,
          p.member = p_member
        from mainstay.policy as p;
    end $$;
    """
}
