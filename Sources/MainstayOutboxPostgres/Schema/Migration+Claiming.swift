// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How operations are leased, and what is set aside meanwhile.
  static let claiming = settingAside + "create function " + claim + leasing

  /// The claim anew: a request without `p_alone` passes by what lost its last run, and its plans.
  static let passing = "create or replace function " + claim + plans

  private static let settingAside = """

    -- Sets aside what no living owner has a worker for, and says how much of which types.
    create function mainstay.park_unknown(p_limit integer) returns jsonb
    language plpgsql volatile as $$
    declare
      v_parked jsonb;
    begin
      with recursive run as (
        (select lane, kind, version from mainstay.op where state = 'ready'
          order by lane, kind, version limit 1)
        union all
        select n.lane, n.kind, n.version from run as r cross join lateral (
          select o.lane, o.kind, o.version from mainstay.op as o
          where o.state = 'ready' and (o.lane, o.kind, o.version) > (r.lane, r.kind, r.version)
          order by o.lane, o.kind, o.version limit 1) as n
      ), foreign_run as materialized (
        select r.lane, r.kind, r.version from run as r where not exists (
          select 1 from mainstay.owner as w
          where (r.kind || '/' || r.version) = any (w.types) and w.alive_until > mainstay.clock())
      ), unknown as materialized (
        select o.id from foreign_run as r cross join lateral (
          select p.id from mainstay.op as p
          where p.state = 'ready' and p.lane = r.lane and p.kind = r.kind and p.version = r.version
          limit p_limit for no key update skip locked) as o
        limit p_limit
      ), parked as (
        update mainstay.op as o set state = 'parked', cause = 'unknownType'
          where o.id = any (array(select u.id from unknown as u)) returning o.kind, o.version
      ), type as (
        select p.kind, p.version, count(*) as n from parked as p group by p.kind, p.version
      )
      select jsonb_agg(jsonb_build_object('kind', t.kind, 'version', t.version, 'count', t.n))
        into v_parked from type as t;
      return coalesce(v_parked, '[]');
    end $$;

    -- What waits for constraints that hold where it is claimed: it may have been set aside where
    -- they do not. No more than there is room for beside what was chosen, and leased at once, so
    -- that two processes never put it to and fro.
    create function mainstay.held(
      p_chosen bigint[], p_limit integer, p_kinds text[], p_versions integer[],
      p_limits integer[], p_lanes text[], p_unmet text[], p_at bigint
    ) returns bigint[] language plpgsql volatile as $$
    declare
      v_room integer := p_limit - cardinality(p_chosen);
      v_ids bigint[];
    begin
      perform 1 from mainstay.op where state = 'waiting' and run_at is null
        order by constraints, lane, kind, version limit 1;
      if not found then return '{}'; end if;
      with recursive taken as materialized (
        select o.kind, o.version, count(*) as n from mainstay.op as o
        where o.id = any (p_chosen) group by o.kind, o.version
      ), type as materialized (
        select t.kind, t.version, t.free - coalesce(
            (select n from taken as k where k.kind = t.kind and k.version = t.version), 0) as free,
          t.shared - coalesce(
            (select sum(n) from taken as k where k.kind = t.kind), 0) as shared
        from unnest(p_kinds, p_versions, p_limits[:cardinality(p_kinds)],
          p_limits[cardinality(p_kinds) + 1:]) as t (kind, version, free, shared)
      ), run as (
        (select constraints, lane, kind, version from mainstay.op
          where state = 'waiting' and run_at is null
          order by constraints, lane, kind, version limit 1)
        union all
        select n.constraints, n.lane, n.kind, n.version from run as r cross join lateral (
          select o.constraints, o.lane, o.kind, o.version from mainstay.op as o
          where o.state = 'waiting' and o.run_at is null
            and (o.constraints, o.lane, o.kind, o.version)
              > (r.constraints, r.lane, r.kind, r.version)
          order by o.constraints, o.lane, o.kind, o.version limit 1) as n
      ), first as materialized (
        select o.id, o.rank, r.kind, r.version, t.free, t.shared
        from run as r join type as t on t.kind = r.kind and t.version = r.version
          cross join lateral (
            select p.id, p.rank from mainstay.op as p
            where p.state = 'waiting' and p.run_at is null and p.constraints = r.constraints
              and p.lane = r.lane and p.kind = r.kind and p.version = r.version and p.crashes = 0
              and \(isWanted("p", at: "p_at"))
            order by p.rank, p.id limit least(t.free, t.shared, v_room)
            for no key update skip locked) as o
        where t.free > 0 and t.shared > 0 and not r.constraints && p_unmet
          and r.lane = any (p_lanes)
      ), \(chosen(upTo: "v_room"))
      select coalesce(array_agg(c.id), '{}') into v_ids from chosen as c;
      return v_ids;
    end $$;

    -- One that somebody's open transaction needs may begin: the locks are those of rows that stay.
    --
    -- Leases what is ready and ranks first, and where there is room what waits for constraints that
    -- hold here; a row without an operation says how it went. Where it is not said whether nothing
    -- else runs, what lost its last run stays where it is, and keeps nobody waiting.

    """

  private static let claim = """
    mainstay.claim(
      p_owner bigint, p_lease bigint, p_limit integer, p_kinds text[], p_versions integer[],
      p_limits integer[], p_alone boolean, p_unmet text[], p_format integer, p_now bigint
    ) returns table (
      is_exclusive boolean, is_partial boolean, token bigint, set_aside jsonb,
      operation mainstay.operation
    ) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_types text[] := array(
        select k || '/' || v from unnest(p_kinds, p_versions) as t (k, v) order by 1);
      v_lanes text[] := array(
        select name from mainstay.lane
        where (cause is null or until <= v_at) and coalesce(rest_until, 0) <= v_at);
      v_limits integer[];
      v_open text[];
      v_aside integer := 0;
      v_chosen bigint[];
      v_found bigint := 0;
      v_suspect bigint;
      v_waits boolean;
      v_unknown jsonb := '[]';
    begin
      perform mainstay.attend(p_owner, p_lease, v_types, p_format);
      if cardinality(p_unmet) > 0 then
        with held as materialized (
          select o.id from mainstay.op as o where o.state = 'ready' and o.constraints && p_unmet
            and o.lane = any (v_lanes) and (o.kind || '/' || o.version) = any (v_types)
          order by o.id limit 1000 for no key update skip locked
        )
        update mainstay.op as o set state = 'waiting', cause = 'constraint'
          where o.id = any (array(select h.id from held as h));
        get diagnostics v_aside = row_count;
      end if;
      v_limits := mainstay.free_places(p_kinds, p_limits, p_limit);
      -- The types that have a place: one that lost its last run and has none keeps nobody waiting.
      v_open := array(select t.kind || '/' || t.version
        from unnest(p_kinds, p_versions, v_limits[:cardinality(p_kinds)],
          v_limits[cardinality(p_kinds) + 1:]) as t (kind, version, free, shared)
        where t.free > 0 and t.shared > 0);
      -- In words that only the small index of suspects can answer: a plan that is made while there
      -- is little, and kept when there is much, would read everything that is ready otherwise.
      select o.id into v_suspect from mainstay.op as o
        where p_alone is not null
          and o.crashes > 0 and array_position('{ready}', o.state) is not null
          and \(isWanted("o", at: "v_at"))
          and (o.constraints is null or not o.constraints && p_unmet)
          and array_position(v_lanes, o.lane) is not null
          and array_position(v_open, o.kind || '/' || o.version) is not null
        order by o.id limit 1 for no key update skip locked;
      if v_suspect is not null then
        return query select
          true, v_aside >= 1000, null::bigint, null::jsonb, null::mainstay.operation;
        if p_alone then
          return query select null::boolean, null::boolean, l.token, null::jsonb, l.operation
            from mainstay.lease(p_owner, array[v_suspect]) as l;
        end if;
        return;
      end if;
      with run as materialized (
        select l.name, t.kind, t.version, t.free, t.shared
        from unnest(v_lanes) as l (name)
          cross join unnest(p_kinds, p_versions, v_limits[:cardinality(p_kinds)],
            v_limits[cardinality(p_kinds) + 1:]) as t (kind, version, free, shared)
        where t.free > 0 and t.shared > 0
      ), first as materialized (
        select o.id, o.rank, r.kind, r.version, r.free, r.shared
        from run as r cross join lateral (
          select p.id, p.rank from mainstay.op as p
          where p.state = 'ready' and p.lane = r.name and p.kind = r.kind and p.version = r.version
            and \(isWanted("p", at: "v_at"))
            -- More may be held back than is set aside at once.
            and (p.constraints is null or not p.constraints && p_unmet)
            and (p_alone is not null or p.crashes = 0)
          order by p.rank, p.id limit least(r.free, r.shared) for no key update skip locked) as o
      ), \(chosen(upTo: "p_limit"))
      select coalesce(array_agg(c.id), '{}') into v_chosen from chosen as c;
      if cardinality(v_chosen) < p_limit and cardinality(p_kinds) > 0 then
        v_chosen := v_chosen || mainstay.held(
          v_chosen, p_limit, p_kinds, p_versions, v_limits, v_lanes, p_unmet, v_at);
      end if;
      v_found := cardinality(v_chosen);
      if v_found = 0 then
        select o.id into v_suspect from mainstay.op as o
          where p_alone is not null
            and o.crashes > 0 and o.state = 'waiting' and o.run_at is null
            and \(isWanted("o", at: "v_at"))
            and not o.constraints && p_unmet and array_position(v_lanes, o.lane) is not null
            and array_position(v_open, o.kind || '/' || o.version) is not null
          order by o.id limit 1 for no key update skip locked;
        if found then
          return query select
            true, v_aside >= 1000, null::bigint, null::jsonb, null::mainstay.operation;
          if not p_alone then return; end if;
          v_chosen := array[v_suspect];
        end if;
      end if;
      return query select null::boolean, null::boolean, l.token, null::jsonb, l.operation
        from mainstay.lease(p_owner, v_chosen) as l;
      if v_suspect is not null then return; end if;
      -- One that only enqueues does not judge what others can do.
      if v_found < p_limit and cardinality(p_kinds) > 0 then
        v_unknown := mainstay.park_unknown(1000);
        v_aside := greatest(v_aside, (select coalesce(sum((u ->> 'count')::integer), 0)
          from jsonb_array_elements(v_unknown) as u));
      end if;
      -- Whoever found less than it could run waits to be told of more.
      v_waits := v_found < p_limit and cardinality(p_kinds) > 0;
      update mainstay.owner as w set is_waiting = v_waits
        where w.id = p_owner and w.is_waiting <> v_waits;
      return query select
        false, v_aside >= 1000, null::bigint, v_unknown, null::mainstay.operation;
    end $$;

    """

  private static let leasing = """

    create function mainstay.lease(p_owner bigint, p_ids bigint[])
    returns table (token bigint, operation mainstay.operation) language plpgsql volatile as $$
    begin
      return query with leased as (
        update mainstay.op as o set state = 'leased', owner = p_owner, cause = null,
          lease_token = nextval('mainstay.lease_token')
        where o.id = any (p_ids) returning o.*
      ), spent as (
        update mainstay.kind_limit as k set tokens = k.tokens - s.n
        from (select l.kind, count(*) as n from leased as l group by l.kind) as s
        where k.kind = s.kind and k.rate is not null
      )
      select l.lease_token, (l.id, l.uuid, l.kind, l.version, l.lane, l.ordering_key, l.enqueued_at,
          l.expires_at, l.attempt, l.crashes, l.effect, l.lease_token, l.idem_key, l.error_code,
          l.error_message, l.payload, l.priority, l.rank, to_jsonb(l.constraints)::text,
          l.expendable, l.merges, l.checkpoint, l.timeout, l.error_words, l.state, l.run_at,
          l.unreachable, l.cancelled)::mainstay.operation
        from leased as l order by l.rank, l.id;
    end $$;
    """

  /// That it has not expired since somebody looked; what may have had its effect never does.
  static func isWanted(_ row: String, at time: String) -> String {
    """
    (\(row).expires_at is null or \(row).expires_at > \(time)
              or \(row).effect not in ('notSent', 'refused'))
    """
  }

  /// Of those found first, which rank first, with no more of a type and of a kind than have places.
  private static func chosen(upTo limit: String) -> String {
    """
    turned as materialized (
        select f.id, f.rank, f.kind, f.shared
        from (select g.*,
            row_number() over (partition by g.kind, g.version order by g.rank, g.id) as turn
          from first as g) as f
        where f.turn <= f.free
      ), chosen as materialized (
        select c.id from (select t.*,
            row_number() over (partition by t.kind order by t.rank, t.id) as turn
          from turned as t) as c
        where c.turn <= c.shared order by c.rank, c.id limit \(limit)
      )
    """
  }
}
