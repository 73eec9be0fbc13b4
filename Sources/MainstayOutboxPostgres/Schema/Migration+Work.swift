// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How operations are leased, and what the death of a process leaves.
  static let work = """
    -- The columns of an operation as workers read them.
    create view mainstay.operation as
      select id, uuid, kind, version, lane, ordering_key, enqueued_at, expires_at, attempt, crashes,
        effect, lease_token, idem_key, error_code, error_message, payload, priority, rank,
        to_jsonb(constraints)::text as constraints, expendable, merges, checkpoint, state,
          run_at, unreachable, cancelled
      from mainstay.op;

    create view mainstay.dead_letter as
      select id, uuid, kind, version, lane, ordering_key, enqueued_at, expires_at, attempt, crashes,
        effect, lease_token, idem_key, error_code, error_message, payload, priority, rank,
        to_jsonb(constraints)::text as constraints, expendable, merges, checkpoint,
        'parked' as state, null::bigint as run_at, 0 as unreachable, false as cancelled, reason,
        since, holds_key
      from mainstay.dead;

    -- Enters one more owner; what it leases is taken back when its heartbeat fails.
    create function mainstay.enter(
      p_name text, p_lease bigint, p_format integer
    ) returns bigint language sql volatile as $$
      insert into mainstay.owner (name, since, alive_until, format)
      values (p_name, mainstay.clock(), mainstay.clock() + p_lease, p_format) returning id
    $$;

    -- Renews all leases of an owner; false where they were taken back.
    create function mainstay.beat(p_owner bigint, p_lease bigint) returns boolean
    language plpgsql volatile as $$
    begin
      update mainstay.owner set alive_until = mainstay.clock() + p_lease where id = p_owner;
      return found;
    end $$;

    -- Takes back what an owner had leased: it may have had its effect.
    create function mainstay.take_back(
      p_owner bigint, p_maximum_lost integer, p_kept integer, p_outcomes boolean, p_at bigint,
      out recovered integer, out quarantined integer
    ) language plpgsql volatile as $$
    declare
      v_row record;
    begin
      recovered := 0;
      quarantined := 0;
      for v_row in select id, crashes from mainstay.op
        where owner = p_owner order by id for update loop
        update mainstay.op set state = 'ready', owner = null, crashes = crashes + 1,
          effect = 'sentUnknown' where id = v_row.id;
        perform mainstay.note_attempt(v_row.id, null, null, 'sentUnknown', p_kept, p_at);
        recovered := recovered + 1;
        if v_row.crashes + 1 >= p_maximum_lost then
          perform mainstay.bury(v_row.id, 'crashed', 'holdKey', p_outcomes, p_at);
          quarantined := quarantined + 1;
        end if;
      end loop;
    end $$;

    -- Takes back what dead owners had leased: by the clock of the database alone.
    create function mainstay.recover(
      p_besides bigint, p_maximum_lost integer, p_kept integer, p_outcomes boolean, p_now bigint,
      out recovered integer, out quarantined integer
    ) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_owner bigint;
      v_taken record;
    begin
      recovered := 0;
      quarantined := 0;
      for v_owner in select id from mainstay.owner
        where alive_until < mainstay.clock() and id <> p_besides for update skip locked
      loop
        -- First, so that it leases nothing more: a claim holds this row until it is committed.
        delete from mainstay.owner where id = v_owner;
        select * into v_taken
          from mainstay.take_back(v_owner, p_maximum_lost, p_kept, p_outcomes, v_at);
        recovered := recovered + v_taken.recovered;
        quarantined := quarantined + v_taken.quarantined;
      end loop;
    end $$;

    -- Gives back what an owner has leased, and forgets it.
    create function mainstay.leave(p_owner bigint) returns void language plpgsql volatile as $$
    begin
      delete from mainstay.owner where id = p_owner;
      update mainstay.op set state = 'ready', owner = null, effect = 'sentUnknown'
        where owner = p_owner;
    end $$;

    -- Gives back what an owner has leased and does not know of, since the answer of its claim was
    -- lost.
    create function mainstay.give_back(p_owner bigint, p_known bigint[]) returns bigint
    language plpgsql volatile as $$
    declare
      v_count bigint;
    begin
      update mainstay.op set state = 'ready', owner = null
        where owner = p_owner and not lease_token = any (p_known);
      get diagnostics v_count = row_count;
      return v_count;
    end $$;

    -- The owner that claims, or an error where its leases were taken back meanwhile.
    create function mainstay.attend(
      p_owner bigint, p_lease bigint, p_types text[], p_format integer
    ) returns void language plpgsql volatile as $$
    declare
      v_owner record;
      v_format integer;
    begin
      select alive_until, types into v_owner from mainstay.owner where id = p_owner for key share;
      if not found then
        raise exception 'owner % was taken for dead', p_owner using errcode = 'MS001';
      end if;
      select max(min_writer) into v_format from mainstay.migration;
      if v_format > p_format then
        raise exception 'format %', v_format using errcode = 'MS002';
      end if;
      if v_owner.types <> p_types or v_owner.alive_until < mainstay.clock() + p_lease / 2 then
        update mainstay.owner set types = p_types,
          alive_until = greatest(alive_until, mainstay.clock() + p_lease) where id = p_owner;
      end if;
    end $$;

    -- How many more of each type may be begun anywhere, by the limits that all machines share:
    -- first those of each type alone, and then those of its kind, which its versions share.
    create function mainstay.free_places(
      p_kinds text[], p_limits integer[], p_limit integer
    ) returns integer[] language plpgsql volatile as $$
    declare
      v_limits integer[] := '{}';
      v_shared integer[] := '{}';
      v_free integer;
      v_rule mainstay.kind_limit;
      v_running bigint;
      v_now bigint;
    begin
      -- Held until the claim is committed: two machines never count the same place. In one order,
      -- so that two of them never wait for each other.
      perform 1 from mainstay.kind_limit where kind = any (p_kinds) order by kind for update;
      for v_place in 1..coalesce(cardinality(p_kinds), 0) loop
        v_limits := v_limits || least(coalesce(p_limits[v_place], p_limit), p_limit);
        v_free := p_limit;
        select * into v_rule from mainstay.kind_limit where kind = p_kinds[v_place];
        if found then
          if v_rule.concurrency is not null then
            select count(*) into v_running from mainstay.op
              where kind = v_rule.kind and owner is not null;
            v_free := least(v_free, greatest(v_rule.concurrency - v_running, 0)::integer);
          end if;
          if v_rule.rate is not null then
            v_now := mainstay.clock();
            update mainstay.kind_limit set refilled_at = v_now, tokens = least(burst,
                tokens + rate * greatest(v_now - refilled_at, 0) / 1000.0)
              where kind = v_rule.kind returning * into v_rule;
            v_free := least(v_free, floor(v_rule.tokens)::integer);
          end if;
        end if;
        v_shared := v_shared || v_free;
      end loop;
      return v_limits || v_shared;
    end $$;

    -- Sets aside what no living owner has a worker for.
    create function mainstay.park_unknown(p_limit integer) returns integer
    language plpgsql volatile as $$
    declare
      v_count integer;
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
          limit p_limit for update skip locked) as o
        limit p_limit
      )
      update mainstay.op as o set state = 'parked', cause = 'unknownType'
        from unknown as u where o.id = u.id;
      get diagnostics v_count = row_count;
      return v_count;
    end $$;

    -- Leases what is ready and ranks first; the first row has no operation, and says how it went.
    create function mainstay.claim(
      p_owner bigint, p_lease bigint, p_limit integer, p_kinds text[], p_versions integer[],
      p_limits integer[], p_alone boolean, p_unmet text[], p_format integer, p_now bigint
    ) returns table (
      is_exclusive boolean, is_partial boolean, token bigint, operation mainstay.operation
    ) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_types text[] := array(
        select k || '/' || v from unnest(p_kinds, p_versions) as t (k, v) order by 1);
      v_lanes text[] := array(
        select name from mainstay.lane where cause is null or until <= v_at);
      v_limits integer[];
      v_open text[];
      v_aside integer := 0;
      v_found bigint := 0;
      v_suspect bigint;
      v_waits boolean;
    begin
      perform mainstay.attend(p_owner, p_lease, v_types, p_format);
      if cardinality(p_unmet) > 0 then
        with held as materialized (
          select o.id from mainstay.op as o where o.state = 'ready' and o.constraints && p_unmet
            and o.lane = any (v_lanes) and (o.kind || '/' || o.version) = any (v_types)
          order by o.id limit 1000 for update skip locked
        )
        update mainstay.op as o set state = 'waiting', cause = 'constraint'
          from held as h where o.id = h.id;
        get diagnostics v_aside = row_count;
      end if;
      v_limits := mainstay.free_places(p_kinds, p_limits, p_limit);
      v_open := array(select t.kind
        from unnest(p_kinds, v_limits[cardinality(p_kinds) + 1:]) as t (kind, shared)
        where t.shared > 0);
      -- In words that only the small index of suspects can answer: a plan that is made while there
      -- is little, and kept when there is much, would read everything that is ready otherwise.
      select o.id into v_suspect from mainstay.op as o
        where o.state = 'ready' and o.crashes > 0
          and array_position(v_lanes, o.lane) is not null
          and array_position(v_open, o.kind) is not null
          and array_position(v_types, o.kind || '/' || o.version) is not null
        order by o.id limit 1 for update skip locked;
      if found then
        return query select true, v_aside >= 1000, null::bigint, null::mainstay.operation;
        if p_alone then
          return query select null::boolean, null::boolean, l.token, l.operation
            from mainstay.lease(p_owner, array[v_suspect]) as l;
        end if;
        return;
      end if;
      return query with run as materialized (
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
          order by p.rank, p.id limit least(r.free, r.shared) for update skip locked) as o
      ), turned as materialized (
        select f.id, f.rank, f.kind, f.shared
        from (select g.*,
            row_number() over (partition by g.kind, g.version order by g.rank, g.id) as turn
          from first as g) as f
        where f.turn <= f.free
      ), chosen as materialized (
        select c.id from (select t.*,
            row_number() over (partition by t.kind order by t.rank, t.id) as turn
          from turned as t) as c
        where c.turn <= c.shared order by c.rank, c.id limit p_limit
      )
      select null::boolean, null::boolean, l.token, l.operation
        from mainstay.lease(p_owner, array(select c.id from chosen as c)) as l;
      get diagnostics v_found = row_count;
      -- One that only enqueues does not judge what others can do.
      if v_found < p_limit and cardinality(p_kinds) > 0 then
        v_aside := greatest(v_aside, mainstay.park_unknown(1000));
      end if;
      -- Whoever found less than it could run waits to be told of more.
      v_waits := v_found < p_limit and cardinality(p_kinds) > 0;
      update mainstay.owner as w set is_waiting = v_waits
        where w.id = p_owner and w.is_waiting <> v_waits;
      return query select false, v_aside >= 1000, null::bigint, null::mainstay.operation;
    end $$;

    create function mainstay.lease(p_owner bigint, p_ids bigint[])
    returns table (token bigint, operation mainstay.operation) language plpgsql volatile as $$
    begin
      return query with leased as (
        update mainstay.op as o set state = 'leased', owner = p_owner, cause = null,
          lease_token = nextval('mainstay.lease_token')
        from unnest(p_ids) as p (id) where o.id = p.id returning o.*
      ), spent as (
        update mainstay.kind_limit as k set tokens = k.tokens - s.n
        from (select l.kind, count(*) as n from leased as l group by l.kind) as s
        where k.kind = s.kind and k.rate is not null
      )
      select l.lease_token, (l.id, l.uuid, l.kind, l.version, l.lane, l.ordering_key, l.enqueued_at,
          l.expires_at, l.attempt, l.crashes, l.effect, l.lease_token, l.idem_key, l.error_code,
          l.error_message, l.payload, l.priority, l.rank, to_jsonb(l.constraints)::text,
          l.expendable, l.merges, l.checkpoint, l.state, l.run_at, l.unreachable,
          l.cancelled)::mainstay.operation
        from leased as l order by l.rank, l.id;
    end $$;

    -- Takes out what is done and still leased under its token, and answers which that is.
    create function mainstay.complete(
      p_ids bigint[], p_tokens bigint[], p_outputs bytea[], p_outcomes boolean, p_now bigint
    ) returns setof bigint language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_ids bigint[];
      v_keys bytea[];
      v_records bytea[];
      v_row record;
    begin
      with given as materialized (
        select g.id, g.token, g.output from unnest(p_ids, p_tokens, p_outputs) as g (id, token,
          output)
      ), gone as (
        delete from mainstay.op as o using given as g
        where o.id = g.id and o.lease_token = g.token and o.state = 'leased'
        returning o.id, o.uuid, o.kind, o.ordering_key, octet_length(o.payload) as bytes, g.output
      ), noted as (
        insert into mainstay.receipt as r (kind, reason, shard, count, bytes, first_at, last_at)
        select kind, 'done', mainstay.shard(), count(*), sum(bytes), v_at, v_at
        from gone group by kind order by kind
        on conflict (kind, reason, shard) do update set count = r.count + excluded.count,
          bytes = r.bytes + excluded.bytes, last_at = greatest(r.last_at, excluded.last_at)
      ), loaded as (
        insert into mainstay.load as l (shard, enqueued, pending, bytes)
        select mainstay.shard(), 0, -count(*), -sum(bytes) from gone having count(*) > 0
        on conflict (shard) do update set pending = l.pending + excluded.pending,
          bytes = l.bytes + excluded.bytes
      ), remembered as (
        insert into mainstay.outcome (number, uuid, kind, reason, output, at)
        select nextval('mainstay.outcome_number'), uuid, kind, 'done', output, v_at
        from gone where p_outcomes
      )
      select array_agg(id order by id),
          array_agg(distinct ordering_key) filter (where ordering_key is not null),
          array_agg(distinct coalesce(ordering_key, uuid_send(uuid)))
        into v_ids, v_keys, v_records from gone;
      if v_ids is null then return; end if;
      delete from mainstay.attempt where op = any (v_ids);
      for v_row in select distinct d.needs from mainstay.dep as d where d.needs = any (v_ids)
        order by d.needs
      loop
        perform mainstay.tell(v_row.needs, 'done', v_at);
      end loop;
      for v_row in select k from unnest(v_keys) as k
        order by (hashtextextended(encode(k, 'hex'), 0) & 1023)
      loop
        perform mainstay.unblock(v_row.k, v_at);
      end loop;
      delete from mainstay.latest as l where l.key = any (v_records)
        and not exists (select 1 from mainstay.op where ordering_key = l.key)
        and not exists (select 1 from mainstay.dead where ordering_key = l.key);
      return query select unnest(v_ids);
    end $$;
    """
}
