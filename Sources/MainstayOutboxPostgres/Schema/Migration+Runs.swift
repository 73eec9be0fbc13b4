// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// The claim anew: its price is that of what is ready, not of all lanes and types that ever were.
  static let runs =
    lanesThatAreClosed + picking(endsWithHeads: false) + settingAsideAnew
    + "create or replace function " + claimOfRuns
    + plans

  private static let lanesThatAreClosed = """
    -- What closes a lane is found without a look at those that are open.
    create index lane_until on mainstay.lane (until) where until is not null;
    create index lane_rest on mainstay.lane (rest_until) where rest_until is not null;
    create index lane_shut on mainstay.lane (name) where cause is not null and until is null;


    """

  /// How it is chosen.
  static func picking(endsWithHeads: Bool) -> String {
    let create = endsWithHeads ? "create or replace function" : "create function"
    return """
      \(wordsOfReady)
      \(create) mainstay.pick(
        p_limit integer, p_kinds text[], p_versions integer[], p_limits integer[], p_closed text[],
        p_unmet text[], p_suspects boolean, p_at bigint
      ) returns bigint[] language plpgsql volatile as $$
      declare
        v_chosen bigint[] := '{}';
        \(Choice.variables)\(endsWithHeads ? Choice.oneMore : "")
      begin
        \(choiceOfReady(endsWithHeads).loop)
        return case when v_runs > 0 then v_chosen end;
      end $$;

      \(wordsOfHeld)
      \(create) mainstay.pick_held(
        p_chosen bigint[], p_limit integer, p_kinds text[], p_versions integer[],
        p_limits integer[], p_closed text[], p_unmet text[], p_at bigint
      ) returns bigint[] language plpgsql volatile as $$
      declare
        v_chosen bigint[] := p_chosen;
        \(Choice.variables)\(endsWithHeads ? Choice.oneMore : "")
      begin
        perform 1 from mainstay.op where state = 'waiting' and run_at is null
          order by constraints, lane, kind, version limit 1;
        if not found then return v_chosen; end if;
        \(choiceOfHeld(endsWithHeads).loop)
        return v_chosen;
      end $$;


      """
  }

  private static let wordsOfReady = """
    -- What is ready and ranks first: locked, and no more of a type and of a kind than have places.
    -- Suspects are those that lost their last run. Null where nothing is ready, not even elsewhere.
    """

  private static let wordsOfHeld = """
    -- With what was chosen, what waits for constraints that hold where it is claimed: it may have
    -- been set aside where they do not. No more than there is room for, and leased at once, so that
    -- two processes never put it to and fro.
    """

  private static func choiceOfReady(_ endsWithHeads: Bool) -> Choice {
    Choice(
      state: "p.state = 'ready'",
      // More may be held back than is set aside at once.
      wish: isWanted("p", at: "p_at")
        + " and (p.constraints is null or not p.constraints && p_unmet)"
        + " and (p_suspects or p.crashes = 0)",
      isBound: false, endsWithHeads: endsWithHeads)
  }

  private static func choiceOfHeld(_ endsWithHeads: Bool) -> Choice {
    Choice(
      state: "p.state = 'waiting' and p.run_at is null",
      wish: "p.crashes = 0 and " + isWanted("p", at: "p_at"),
      isBound: true, endsWithHeads: endsWithHeads)
  }

  private static let settingAsideAnew = """
    -- Sets aside what no living owner has a worker for, and says how much of which types.
    create or replace function mainstay.park_unknown(p_limit integer) returns jsonb
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
        select r.lane, r.kind, r.version from run as r
        where r.kind || '/' || r.version not in (
          select t from mainstay.owner as w cross join unnest(w.types) as t
          where w.alive_until > mainstay.clock())
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

    -- What a constraint holds back is found by that alone, however much is ready beside it. In
    -- words that no other index of what is ready can answer.
    create index op_bound on mainstay.op using gin (constraints) with (fastupdate = off)
      where constraints is not null and array_position('{ready}', state) is not null;
    drop index mainstay.op_restrained;

    -- Sets aside what is ready and held back where it is claimed, and answers how much.
    create function mainstay.set_aside(p_unmet text[], p_types text[]) returns integer
    language plpgsql volatile as $$
    declare
      v_count integer;
    begin
      with held as materialized (
        select o.id from mainstay.op as o
        where o.constraints && p_unmet and array_position('{ready}', o.state) is not null
          and o.kind || '/' || o.version = any (p_types)
        limit 1000 for no key update skip locked
      )
      update mainstay.op as o set state = 'waiting', cause = 'constraint'
        where o.id = any (array(select h.id from held as h));
      get diagnostics v_count = row_count;
      return v_count;
    end $$;


    """
  private static let claimOfRuns = """
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
      v_closed text[] := array(
        select name from mainstay.lane where rest_until > v_at
        union all select name from mainstay.lane where until > v_at and cause is not null
        union all select name from mainstay.lane where cause is not null and until is null);
      v_limits integer[];
      v_open text[];
      v_aside integer := 0;
      v_is_ready boolean;
      v_chosen bigint[];
      v_found bigint := 0;
      v_suspect bigint;
      v_waits boolean;
      v_unknown jsonb := '[]';
    begin
      perform mainstay.attend(p_owner, p_lease, v_types, p_format);
      if cardinality(p_unmet) > 0 then v_aside := mainstay.set_aside(p_unmet, v_types); end if;
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
          and o.lane not in (select unnest(v_closed))
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
      v_chosen := mainstay.pick(p_limit, p_kinds, p_versions, v_limits, v_closed, p_unmet,
        p_alone is not null, v_at);
      v_is_ready := v_chosen is not null;
      v_chosen := coalesce(v_chosen, '{}');
      if cardinality(v_chosen) < p_limit and cardinality(p_kinds) > 0 then
        v_chosen := mainstay.pick_held(
          v_chosen, p_limit, p_kinds, p_versions, v_limits, v_closed, p_unmet, v_at);
      end if;
      v_found := cardinality(v_chosen);
      if v_found = 0 then
        select o.id into v_suspect from mainstay.op as o
          where p_alone is not null
            and o.crashes > 0 and o.state = 'waiting' and o.run_at is null
            and \(isWanted("o", at: "v_at"))
            and not o.constraints && p_unmet and o.lane not in (select unnest(v_closed))
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
      if v_is_ready and v_found < p_limit and cardinality(p_kinds) > 0 then
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

    drop function mainstay.held;

    """
}
