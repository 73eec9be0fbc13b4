// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What processes tell each other about their breakers and cooldowns.
  static let sharing = """
    create sequence mainstay.policy_version;

    -- What was last said about a policy. Losing it costs nothing that would not be said again.
    create unlogged table mainstay.policy (
      kind text collate "C" not null,
      name text collate "C" not null,
      -- Until when calls are held back; null once they are let through.
      until timestamptz,
      version bigint not null,
      member text collate "C" not null,
      primary key (kind, name)
    );

    create unlogged table mainstay.policy_member (
      member text collate "C" primary key,
      seen_at timestamptz not null
    );

    -- Leaves notices, and answers with the number of members and the last notice about each policy:
    -- kind, name, seconds that are left, version, and whether it is one's own. A row without a kind
    -- holds the number alone, as its version.
    create function mainstay.share_policies(
      p_member text, p_kinds text[], p_names text[], p_seconds double precision[],
      p_patience double precision
    ) returns table (
      kind text, name text, seconds double precision, version bigint, is_own boolean
    ) language plpgsql volatile as $$
    declare
      v_now timestamptz := clock_timestamp();
    begin
      insert into mainstay.policy_member as m (member, seen_at) values (p_member, v_now)
        on conflict (member) do update set seen_at = excluded.seen_at;
      delete from mainstay.policy_member as m
        where m.seen_at < v_now - make_interval(secs => p_patience)
          and m.ctid in (select o.ctid from mainstay.policy_member as o
            where o.seen_at < v_now - make_interval(secs => p_patience)
            for update skip locked);
      -- In one order, so that two processes never wait for each other.
      insert into mainstay.policy as p (kind, name, until, version, member)
        select t.kind, t.name, v_now + make_interval(secs => t.seconds),
          nextval('mainstay.policy_version'), p_member
        from unnest(p_kinds, p_names, p_seconds) as t (kind, name, seconds)
        order by t.kind, t.name
        -- Numbered anew, since who waited for the row has drawn its number before the other one.
        on conflict on constraint policy_pkey do update
          set until = excluded.until, version = nextval('mainstay.policy_version'),
            member = excluded.member;
      return query
        select null::text, null::text, null::double precision, count(*), false
        from mainstay.policy_member
        union all
        select p.kind, p.name, extract(epoch from p.until - v_now)::double precision, p.version,
          p.member = p_member
        from mainstay.policy as p;
    end $$;

    -- Who may work with operations may do so with policies, too.
    do $$
    declare
      v_row record;
    begin
      for v_row in select a.privilege_type as word,
          case c.relkind when 'S' then 'sequence mainstay.policy_version'
            else 'mainstay.policy, mainstay.policy_member' end as what,
          case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end
            as name
        from pg_class as c cross join aclexplode(c.relacl) as a
        where c.oid in ('mainstay.op'::regclass, 'mainstay.lease_token'::regclass)
          and a.grantee <> c.relowner
          and a.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'USAGE')
      loop
        execute format('grant %s on %s to %s', v_row.word, v_row.what, v_row.name);
      end loop;
    end $$;
    """
}
