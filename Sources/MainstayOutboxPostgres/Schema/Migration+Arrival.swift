// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How operations come in.
  static let arrival = """
    -- Whether something stands before a newcomer with this key.
    create function mainstay.is_taken(p_key bytea) returns boolean language sql volatile as $$
      select exists (select 1 from mainstay.op where ordering_key = p_key)
        or exists (select 1 from mainstay.dead where ordering_key = p_key and holds_key)
    $$;

    create type mainstay.arrival as (
      uuid uuid, kind text, version integer, lane text, ordering_key bytea, idem_key text,
      payload bytea, lifetime bigint, effect text, priority integer, handicap bigint, delay bigint,
      unique_key bytea, if_taken text, constraints text[], expendable boolean, needs uuid[],
      policy text, earlier uuid, expected bytea, merged bytea, timeout bigint,
      base bytea
    );

    create type mainstay.arrival_answer as (code text, uuid uuid);

    -- Drops what has expired, and then what is expendable, until a newcomer has room; false where
    -- it has none. A holder is the one whose place it takes; what the newcomer needs stays.
    create function mainstay.make_room(
      p_new mainstay.arrival, p_holder bigint, p_freed bigint, p_maximum_pending bigint,
      p_maximum_bytes bigint, p_outcomes boolean, p_at bigint
    ) returns boolean language plpgsql volatile as $$
    declare
      v_size bigint := octet_length(p_new.payload);
      v_rows bigint;
      v_bytes bigint;
      v_victims bigint[] := '{}';
      v_row record;
      v_found integer := 100;
    begin
      if p_maximum_pending is null and p_maximum_bytes is null then return true; end if;
      -- One after the other: two newcomers must not take the same place.
      perform pg_advisory_xact_lock(hashtext('mainstay.room'), 0);
      -- What nobody wants any more goes before what somebody does, however much of it there is.
      loop
        select sum(pending) + 1 - p_maximum_pending, sum(bytes) + v_size - p_freed - p_maximum_bytes
          into v_rows, v_bytes from mainstay.load;
        if coalesce(v_rows, 0) <= 0 and coalesce(v_bytes, 0) <= 0 then return true; end if;
        if v_size > p_maximum_bytes then return false; end if;
        exit when v_found < 100;
        v_found := mainstay.expire(100, p_outcomes, p_at);
      end loop;
      for v_row in select id, octet_length(payload) as bytes from mainstay.op as o
        where expendable and state not in ('leased', 'conflicted') and effect in ('notSent',
          'refused')
          and not cancelled and (not p_new.expendable or priority <= p_new.priority)
          and id is distinct from p_holder and uuid <> all (coalesce(p_new.needs, '{}'))
          and (select d.op from mainstay.dep as d where d.needs = o.id limit 1) is null
        -- What somebody's transaction is at is left alone: it may come to need it.
        order by priority, id for update skip locked
      loop
        exit when coalesce(v_rows, 0) <= 0 and coalesce(v_bytes, 0) <= 0;
        -- Somebody may have come to need it since the search began, and nobody can from now on.
        continue when exists (select 1 from mainstay.dep where needs = v_row.id);
        v_victims := v_victims || v_row.id;
        v_rows := v_rows - 1;
        v_bytes := v_bytes - v_row.bytes;
      end loop;
      if coalesce(v_rows, 0) > 0 or coalesce(v_bytes, 0) > 0 then return false; end if;
      for v_row in select unnest(v_victims) as id loop
        perform mainstay.remove(v_row.id, 'evicted', null, p_outcomes, p_at);
      end loop;
      return true;
    end $$;

    -- The operation that has the same idempotency key already; nothing where there is none.
    create function mainstay.twin(p_new mainstay.arrival) returns mainstay.arrival_answer
    language plpgsql volatile as $$
    declare
      v_row record;
    begin
      select uuid, kind, version, payload into v_row from mainstay.op
        where idem_key = p_new.idem_key
      union all
      select uuid, kind, version, payload from mainstay.dead where idem_key = p_new.idem_key;
      if not found then return null; end if;
      if v_row.kind = p_new.kind and v_row.version = p_new.version and v_row.payload = p_new.payload
      then return ('twin', v_row.uuid)::mainstay.arrival_answer; end if;
      return ('keyReused', null)::mainstay.arrival_answer;
    end $$;

    create function mainstay.take_new(
      p_new mainstay.arrival, p_holder bigint, p_maximum_pending bigint, p_maximum_bytes bigint,
      p_outcomes boolean, p_at bigint
    ) returns mainstay.arrival_answer language plpgsql volatile as $$
    declare
      v_new mainstay.arrival := p_new;
      v_needed bigint[] := '{}';
      v_policies text[] := '{}';
      v_gives_up boolean := false;
      v_state text := 'ready';
      v_start bigint;
      v_need uuid;
      v_row bigint;
      v_id bigint;
      v_answer mainstay.arrival_answer;
    begin
      if not mainstay.make_room(
        v_new, null, 0, p_maximum_pending, p_maximum_bytes, p_outcomes, p_at)
      then return ('full', null)::mainstay.arrival_answer; end if;
      insert into mainstay.lane (name) values (v_new.lane) on conflict (name) do nothing;
      -- It may have made room for the newcomer.
      update mainstay.op set unique_key = null where id = p_holder;
      if found then
        v_needed := v_needed || p_holder;
        v_policies := v_policies || 'runAnyway'::text;
      end if;
      foreach v_need in array coalesce(v_new.needs, '{}') loop
        -- Whoever waited for it may find it gone: it was buried, or redriven. It is done where it
        -- is nowhere, however often one looks.
        for v_round in 1..3 loop
          -- Locked, so that it cannot end unnoticed before the newcomer is there; it may begin.
          select id into v_row from mainstay.op where uuid = v_need for key share;
          if found then
            v_needed := v_needed || v_row;
            v_policies := v_policies || v_new.policy;
            exit;
          end if;
          select id into v_row from mainstay.dead where uuid = v_need for key share;
          continue when not found;
          if v_new.policy <> 'runAnyway' then
            v_needed := v_needed || v_row;
            v_policies := v_policies || v_new.policy;
            v_gives_up := v_gives_up or v_new.policy = 'giveUp';
          end if;
          exit;
        end loop;
      end loop;
      if v_new.ordering_key is not null then perform mainstay.lock_key(v_new.ordering_key); end if;
      if v_new.delay > 0 then
        v_state := 'scheduled';
        v_start := p_at + v_new.delay;
      end if;
      if cardinality(v_needed) > 0 or mainstay.is_taken(v_new.ordering_key) then
        v_state := 'blocked';
      end if;
      insert into mainstay.op (uuid, kind, version, lane, ordering_key, unique_key, priority, rank,
        expendable, constraints, state, run_at, start_at, enqueued_at, expires_at, effect, idem_key,
        timeout, payload)
      values (v_new.uuid, v_new.kind, v_new.version, v_new.lane, v_new.ordering_key,
        v_new.unique_key, v_new.priority, p_at + v_new.handicap, v_new.expendable,
        v_new.constraints,
        v_state, case when v_state = 'scheduled' then v_start end, v_start, p_at,
        p_at + v_new.lifetime, v_new.effect, v_new.idem_key, v_new.timeout, v_new.payload)
      on conflict (idem_key) do nothing returning id into v_id;
      -- The one that it waited for may have been buried meanwhile: that is its twin.
      if found and exists (select 1 from mainstay.dead where idem_key = v_new.idem_key) then
        delete from mainstay.op where id = v_id;
        v_id := null;
      end if;
      if v_id is null then
        -- Somebody else was faster with the same key, and the holder keeps what was taken from it.
        update mainstay.op set unique_key = v_new.unique_key where id = p_holder;
        v_answer := mainstay.twin(v_new);
        if v_answer.code is null then return ('again', null)::mainstay.arrival_answer; end if;
        return v_answer;
      end if;
      -- The first change of a record leaves what it began with to those behind it.
      if v_new.base is not null and v_new.ordering_key is not null then
        insert into mainstay.latest (key, state) select v_new.ordering_key, v_new.base
          where not exists (select 1 from mainstay.op as o
              where o.ordering_key = v_new.ordering_key and o.id <> v_id)
            and not exists (select 1 from mainstay.dead as d
              where d.ordering_key = v_new.ordering_key)
          on conflict (key) do nothing;
      end if;
      insert into mainstay.dep (op, needs, policy)
        -- Of the one before it, what was asked for counts.
        select v_id, n.id, n.policy
        from unnest(v_needed, v_policies) with ordinality as n (id, policy, place)
        order by n.place desc on conflict do nothing;
      perform mainstay.count_load(1, 1, octet_length(v_new.payload));
      if v_gives_up then perform mainstay.give_up(v_id, p_at); end if;
      return ('kept', v_new.uuid)::mainstay.arrival_answer;
    end $$;

    -- What was there has never been sent, so nobody knows its idempotency key: a new operation
    -- takes its place.
    create function mainstay.replace(
      p_new mainstay.arrival, p_holder bigint, p_uuid uuid, p_bytes bigint, p_maximum_bytes bigint,
      p_outcomes boolean, p_at bigint
    ) returns mainstay.arrival_answer language plpgsql volatile as $$
    declare
      v_start bigint := case when p_new.delay > 0 then p_at + p_new.delay end;
      v_beginning bytea := '\\x006d61696e737461792e626567696e6e696e672e3100';
    begin
      -- It takes up no more places, and what is no larger needs no room.
      if octet_length(p_new.payload) > p_bytes and not mainstay.make_room(
        p_new, p_holder, p_bytes, null, p_maximum_bytes, p_outcomes, p_at)
      then return ('full', null)::mainstay.arrival_answer; end if;
      update mainstay.op set version = p_new.version, payload = p_new.payload,
        idem_key = p_new.idem_key, expires_at = p_at + p_new.lifetime, priority = p_new.priority,
        rank = least(rank, p_at + p_new.handicap), constraints = p_new.constraints,
        expendable = p_new.expendable, timeout = p_new.timeout, checkpoint = null, merges = 0,
        attempt = 0, unreachable = 0,
        error_code = null, error_message = null, error_words = null, cause = null,
        start_at = v_start,
        state = case when state = 'blocked' then 'blocked' when v_start is null then 'ready'
          else 'scheduled' end,
        run_at = case when state <> 'blocked' then v_start end
      where id = p_holder;
      -- It has expired to make room.
      if not found then return ('again', null)::mainstay.arrival_answer; end if;
      -- The first change of a record begins with something else, and so do those behind it.
      update mainstay.latest set state = p_new.base
        where key = p_new.ordering_key and p_new.base is not null
          and substring(state from 1 for octet_length(v_beginning)) = v_beginning
          and p_holder = (select min(id) from mainstay.op where ordering_key = p_new.ordering_key);
      perform mainstay.leave_receipt(p_new.kind, 'replaced', 1, p_bytes, p_at);
      perform mainstay.count_load(1, 0, octet_length(p_new.payload) - p_bytes);
      return ('kept', p_uuid)::mainstay.arrival_answer;
    end $$;

    -- The last one of the key gets what both come to, or both are gone.
    create function mainstay.coalesce_arrival(
      p_new mainstay.arrival, p_maximum_bytes bigint, p_outcomes boolean, p_at bigint
    ) returns mainstay.arrival_answer language plpgsql volatile as $$
    declare
      v_row record;
    begin
      perform mainstay.lock_key(p_new.ordering_key);
      select id, octet_length(payload) as bytes into v_row from mainstay.op as o
        where uuid = p_new.earlier and payload = p_new.expected and kind = p_new.kind
          and version = p_new.version and ordering_key = p_new.ordering_key
          and state in ('ready', 'scheduled', 'blocked', 'waiting') and effect = 'notSent'
          and not cancelled
          and not exists (select 1 from mainstay.op as later
            where later.ordering_key = p_new.ordering_key and later.id > o.id)
          and unique_key is null and expires_at is null and constraints is null and timeout is null
          and priority = p_new.priority and expendable = p_new.expendable
          and not exists (select 1 from mainstay.dep where op = o.id)
          and (p_new.merged is not null
            or not exists (select 1 from mainstay.dep where needs = o.id))
        for update skip locked;
      if not found then return ('changedMeanwhile', null)::mainstay.arrival_answer; end if;
      -- What both come to must have room; nothing is dropped for it.
      if octet_length(p_new.merged) > v_row.bytes
        and (select sum(bytes) from mainstay.load) + octet_length(p_new.merged) - v_row.bytes
          > p_maximum_bytes
      then return ('changedMeanwhile', null)::mainstay.arrival_answer; end if;
      perform mainstay.count_load(1, 0, 0);
      if p_new.merged is not null then
        -- How far a run came says nothing about another payload.
        update mainstay.op set payload = p_new.merged, idem_key = p_new.idem_key,
          checkpoint = null where id = v_row.id;
        perform mainstay.leave_receipt(p_new.kind, 'coalesced', 1, v_row.bytes, p_at);
        perform mainstay.count_load(0, 0, octet_length(p_new.merged) - v_row.bytes);
        return ('kept', p_new.earlier)::mainstay.arrival_answer;
      end if;
      perform mainstay.leave_receipt(p_new.kind, 'coalesced', 1, octet_length(p_new.payload), p_at);
      if p_outcomes then
        perform mainstay.keep_outcome(p_new.uuid, p_new.kind, 'coalesced', null, p_at);
      end if;
      perform mainstay.remove(v_row.id, 'coalesced', null, p_outcomes, p_at);
      return ('kept', p_new.uuid)::mainstay.arrival_answer;
    end $$;

    -- Takes one operation in, by all rules, where what it needs is locked.
    create function mainstay.take_locked(
      p_new mainstay.arrival, p_maximum_pending bigint, p_maximum_bytes bigint, p_outcomes boolean,
      p_at bigint
    ) returns mainstay.arrival_answer language plpgsql volatile as $$
    declare
      v_answer mainstay.arrival_answer;
      v_holder record;
    begin
      for v_round in 1..8 loop
        v_answer := mainstay.twin(p_new);
        if v_answer.code is not null then return v_answer; end if;
        if p_new.earlier is not null then
          return mainstay.coalesce_arrival(p_new, p_maximum_bytes, p_outcomes, p_at);
        end if;
        v_holder := null;
        select id, uuid, octet_length(payload) as bytes,
          state not in ('leased', 'conflicted') and effect = 'notSent' and not cancelled
            as untouched
          into v_holder from mainstay.op where unique_key = p_new.unique_key for update;
        if not found then
          v_answer := mainstay.take_new(
            p_new, null, p_maximum_pending, p_maximum_bytes, p_outcomes, p_at);
        elsif p_new.if_taken = 'keep' then
          v_answer := ('twin', v_holder.uuid)::mainstay.arrival_answer;
        elsif p_new.if_taken = 'reject' then
          v_answer := ('duplicate', null)::mainstay.arrival_answer;
        -- It keeps its place in the order, where what the newcomer needs may stand behind it; and
        -- it is sent without asking.
        elsif p_new.if_taken = 'replace' and v_holder.untouched and p_new.effect = 'notSent'
          and coalesce(cardinality(p_new.needs), 0) = 0
        then
          v_answer := mainstay.replace(
            p_new, v_holder.id, v_holder.uuid, v_holder.bytes, p_maximum_bytes, p_outcomes, p_at);
        else
          v_answer := mainstay.take_new(
            p_new, v_holder.id, p_maximum_pending, p_maximum_bytes, p_outcomes, p_at);
        end if;
        if v_answer.code <> 'again' then return v_answer; end if;
      end loop;
      return ('changedMeanwhile', null)::mainstay.arrival_answer;
    end $$;

    -- Takes operations in that have no wishes which others could stand against: by one statement.
    --
    -- Only those that were kept are answered; the others have an idempotency key that is taken.
    -- Where a lock is not free for as long as the patience lasts, in milliseconds, none is kept.
    create function mainstay.take_plain(
      p_uuids uuid[], p_kinds text[], p_versions integer[], p_lanes text[], p_ordering_keys bytea[],
      p_idem_keys text[], p_payloads bytea[], p_lifetimes bigint[], p_effects text[],
      p_priorities integer[], p_handicaps bigint[], p_delays bigint[], p_expendables boolean[],
      p_now bigint, p_patience integer default null
    ) returns setof uuid language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_key record;
      v_kept bigint;
    begin
      perform mainstay.be_patient(p_patience);
      insert into mainstay.lane (name) select distinct unnest(p_lanes) order by 1
        on conflict (name) do nothing;
      -- In one order, so that two of these never wait for each other.
      for v_key in select distinct (hashtextextended(encode(k, 'hex'), 0) & 1023)::integer as bucket
        from unnest(p_ordering_keys) as k where k is not null order by 1
      loop
        perform pg_advisory_xact_lock(hashtext('mainstay.key'), v_key.bucket);
      end loop;
      return query with given as materialized (
        select g.*, row_number() over (partition by g.ordering_key order by g.place) as turn
        from unnest(p_uuids, p_kinds, p_versions, p_lanes, p_ordering_keys, p_idem_keys, p_payloads,
          p_lifetimes, p_effects, p_priorities, p_handicaps, p_delays, p_expendables)
          with ordinality as g (uuid, kind, version, lane, ordering_key, idem_key, payload,
            lifetime, effect, priority, handicap, delay, expendable, place)
        -- As a value, which is looked up by the index for each of them. As a join it would be
        -- planned while the table is empty, to read all of it each time.
        where (select d.id from mainstay.dead as d where d.idem_key = g.idem_key) is null
      ), placed as (
        select g.*, case
          when g.ordering_key is not null and (g.turn > 1 or mainstay.is_taken(g.ordering_key))
            then 'blocked'
          when g.delay > 0 then 'scheduled' else 'ready' end as state
        from given as g
      ), kept as (
        insert into mainstay.op as o (uuid, kind, version, lane, ordering_key, priority, rank,
          expendable, state, run_at, start_at, enqueued_at, expires_at, effect, idem_key, payload)
        select p.uuid, p.kind, p.version, p.lane, p.ordering_key, p.priority, v_at + p.handicap,
          p.expendable, p.state, case when p.state = 'scheduled' then v_at + p.delay end,
          case when p.delay > 0 then v_at + p.delay end, v_at, v_at + p.lifetime, p.effect,
          p.idem_key, p.payload
        from placed as p order by p.place
        on conflict (idem_key) do nothing
        returning o.uuid, octet_length(o.payload) as bytes
      ), counted as materialized (
        select count(*) as n, coalesce(sum(k.bytes), 0)::bigint as bytes from kept as k
      ), loaded as (
        insert into mainstay.load as l (shard, enqueued, pending, bytes)
        select mainstay.shard(), c.n, c.n, c.bytes from counted as c where c.n > 0
        on conflict (shard) do update set enqueued = l.enqueued + excluded.enqueued,
          pending = l.pending + excluded.pending, bytes = l.bytes + excluded.bytes
      )
      select k.uuid from kept as k;
      get diagnostics v_kept = row_count;
      -- One with the same key may have been buried while this waited for it: a new statement sees
      -- that. Who repeats it is answered with that one.
      if exists (select 1 from unnest(p_uuids, p_idem_keys) as g (uuid, idem_key)
        where case when (select d.id from mainstay.dead as d where d.idem_key = g.idem_key) is null
          then false else exists (select 1 from mainstay.op as o where o.uuid = g.uuid) end)
      then
        raise exception 'an idempotency key was buried meanwhile: do it again'
          using errcode = '40001';
      end if;
      if v_kept < cardinality(p_uuids) then
        -- The first of a key may not have been kept: then the one behind it is the head.
        for v_key in select distinct k from unnest(p_ordering_keys) as k where k is not null loop
          perform mainstay.unblock(v_key.k, v_at);
        end loop;
      end if;
    end $$;
    """
}
