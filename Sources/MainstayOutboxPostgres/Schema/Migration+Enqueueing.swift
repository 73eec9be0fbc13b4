// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How others enqueue, and how waiting processes are told.
  ///
  /// A transaction of theirs may go on for long, and keeps nobody waiting. Under an ordering key,
  /// and in a lane, one stands behind what was committed before. So an operation is blocked until
  /// its transaction ends, and gets its place, which is its id, by a deferred trigger. The locks of
  /// keys and lanes are held for no longer than that takes. A transaction whose snapshot is older
  /// than that would not see what stands before its own, so it leaves the rest to a worker.
  static let enqueueing = """
    -- Whether nobody was told in the last 50 ms; if so, it counts as told now. A sequence
    -- remembers it, since that keeps nobody waiting, whatever transaction it is changed in.
    create sequence mainstay.told_at minvalue 0 start 0;

    create function mainstay.may_tell() returns boolean language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
      v_last bigint;
    begin
      select last_value into v_last from mainstay.told_at;
      if v_last between v_now - 50 and v_now then return false; end if;
      -- Somebody else is about to tell. It is no lock of the transaction, which may take long.
      if not pg_try_advisory_lock(hashtext('mainstay.told_at'), 0) then return false; end if;
      select last_value into v_last from mainstay.told_at;
      if v_last not between v_now - 50 and v_now then
        perform setval('mainstay.told_at', v_now);
      else
        v_now := null;
      end if;
      perform pg_advisory_unlock(hashtext('mainstay.told_at'), 0);
      return v_now is not null;
    end $$;

    -- Tells waiting processes that there is something to do: at most once in 50 ms, since a
    -- notification takes a lock on the whole server. False where somebody has just been told, and
    -- this has to be asked again.
    create function mainstay.wake(p_owner bigint) returns boolean language plpgsql volatile as $$
    begin
      if not exists (select 1 from mainstay.owner
        where is_waiting and id <> p_owner and alive_until > mainstay.clock())
      then return true; end if;
      if not mainstay.may_tell() then return false; end if;
      notify "mainstay.wake";
      return true;
    end $$;

    -- A UUID of version 7: they sort by the time at which they were made.
    create function mainstay.new_uuid() returns uuid language plpgsql volatile as $$
    declare
      v_bytes bytea := uuid_send(gen_random_uuid());
    begin
      v_bytes := overlay(v_bytes placing substring(int8send(mainstay.clock()) from 3) from 1 for 6);
      return encode(set_byte(v_bytes, 6, (get_byte(v_bytes, 6) & 15) | 112), 'hex')::uuid;
    end $$;

    -- Gives an operation the last place of all, and answers which that is. Nobody else has seen it
    -- yet, so it has neither attempts nor conflicts, and no lease names it.
    create function mainstay.put_last(p_id bigint) returns bigint language plpgsql volatile as $$
    declare
      v_id bigint;
    begin
      update mainstay.op set id = default where id = p_id returning id into v_id;
      if not found then
        -- It was given up at once, for want of what it needs.
        update mainstay.dead set id = nextval(pg_get_serial_sequence('mainstay.op', 'id'))
          where id = p_id returning id into v_id;
        -- It may also have been taken out again.
        if not found then return null; end if;
      end if;
      update mainstay.dep set op = v_id where op = p_id;
      update mainstay.dep set needs = v_id where needs = p_id;
      return v_id;
    end $$;

    -- Leaves what the first change of a record in a transaction began with to those behind it,
    -- where nothing of the record was there before. All of them may have been taken out again.
    create function mainstay.leave_base(p_key bytea, p_base bytea, p_op bigint, p_xact xid8)
    returns void language plpgsql volatile as $$
    begin
      if p_base is null then return; end if;
      insert into mainstay.latest (key, state) select p_key, p_base
        where not exists (select 1 from mainstay.op as o where o.ordering_key = p_key
            and not exists (select 1 from mainstay.fresh as f
              where f.op = o.id and f.op >= p_op and f.xact = p_xact))
          and not exists (select 1 from mainstay.dead as d where d.ordering_key = p_key
            and not exists (select 1 from mainstay.fresh as f
              where f.op = d.id and f.op >= p_op and f.xact = p_xact))
        on conflict (key) do nothing;
      perform mainstay.forget_latest(p_key);
    end $$;

    -- Lets all in that the transaction has enqueued, when it ends: the locks in one order, and then
    -- the places, behind whatever was committed under the same keys meanwhile.
    create function mainstay.let_in() returns trigger language plpgsql volatile as $$
    declare
      v_at bigint := mainstay.clock();
      v_bucket integer;
      v_first record;
      v_op bigint;
      v_ops bigint[] := '{}';
    begin
      if not exists (select 1 from mainstay.fresh where op = new.op) then return null; end if;
      insert into mainstay.lane (name)
        select distinct f.lane from mainstay.fresh as f where f.xact = pg_current_xact_id()
        order by 1 on conflict (name) do nothing;
      for v_bucket in
        select distinct (hashtextextended(encode(f.ordering_key, 'hex'), 0) & 1023)::integer
        from mainstay.fresh as f
        where f.xact = pg_current_xact_id() and f.ordering_key is not null order by 1
      loop
        perform pg_advisory_xact_lock(hashtext('mainstay.key'), v_bucket);
      end loop;
      for v_first in select distinct on (f.ordering_key) f.ordering_key as key, f.base, f.op
        from mainstay.fresh as f
        where f.xact = pg_current_xact_id() and f.ordering_key is not null
        order by f.ordering_key, f.op
      loop
        perform mainstay.leave_base(
          v_first.key, v_first.base, v_first.op, pg_current_xact_id());
      end loop;
      for v_op in select f.op from mainstay.fresh as f
        where f.xact = pg_current_xact_id() and f.ordering_key is not null order by f.op
      loop
        v_ops := v_ops || mainstay.put_last(v_op);
      end loop;
      delete from mainstay.fresh where xact = pg_current_xact_id();
      foreach v_op in array v_ops loop
        perform mainstay.release(v_op, v_at);
      end loop;
      return null;
    end $$;

    create constraint trigger let_in after insert on mainstay.fresh
      deferrable initially deferred for each row when (not new.is_left)
      execute function mainstay.let_in();

    -- Lets in what was left to a worker, which sees everything that is committed, and answers
    -- whether there may be more; what somebody is at is left for the next time. It keeps the place
    -- of its call: others may have seen it, and need it, so it must not come to stand behind them.
    -- Lanes come before keys, as where a transaction lets in its own, and nobody is waited for
    -- with a key in hand.
    create function mainstay.let_in_left(p_at bigint) returns boolean
    language plpgsql volatile set lock_timeout to '50ms' as $$
    declare
      v_lane text;
      v_row record;
      v_first bigint;
      v_count integer := 0;
    begin
      for v_lane in select distinct f.lane
        from (select lane from mainstay.fresh where is_left order by op limit 1000) as f
        where not exists (select 1 from mainstay.lane as l where l.name = f.lane) order by 1
      loop
        begin
          insert into mainstay.lane (name) values (v_lane) on conflict (name) do nothing;
        exception when lock_not_available then
          -- The next ones do not wait as long.
          perform mainstay.be_patient(1);
        end;
      end loop;
      for v_row in select f.op, f.lane, f.ordering_key as key, f.base, f.xact
        from mainstay.fresh as f
        where f.is_left order by f.op limit 1000 for update skip locked
      loop
        continue when not exists (select 1 from mainstay.lane where name = v_row.lane);
        if v_row.key is not null then
          continue when not pg_try_advisory_xact_lock(hashtext('mainstay.key'),
            (hashtextextended(encode(v_row.key, 'hex'), 0) & 1023)::integer);
          select id into v_first from mainstay.op
            where ordering_key = v_row.key order by id limit 1;
          perform 1 from mainstay.op
            where id = v_first and state = 'blocked' for no key update skip locked;
          continue when not found
            and exists (select 1 from mainstay.op where id = v_first and state = 'blocked');
          perform mainstay.leave_base(v_row.key, v_row.base, v_row.op, v_row.xact);
          perform mainstay.unblock(v_row.key, p_at);
        end if;
        delete from mainstay.fresh where op = v_row.op;
        v_count := v_count + 1;
      end loop;
      return v_count >= 1000;
    end $$;

    -- Gives an operation that is there already its lane and its ordering key, and its turn later.
    create function mainstay.let_in_later(p_uuid uuid, p_lane text, p_key bytea, p_base bytea)
    returns void language plpgsql volatile as $$
    declare
      v_id bigint;
    begin
      update mainstay.op set lane = p_lane, ordering_key = p_key,
        state = case when p_key is null then state else 'blocked' end,
        run_at = case when p_key is null then run_at end
        where uuid = p_uuid returning id into v_id;
      if not found then
        -- It was given up at once, for want of what it needs.
        update mainstay.dead set lane = p_lane, ordering_key = p_key
          where uuid = p_uuid returning id into v_id;
      end if;
      insert into mainstay.fresh (op, lane, ordering_key, base)
        values (v_id, p_lane, p_key, p_base);
    end $$;

    -- Takes one operation in where its unique key may be held by one that the transaction does not
    -- see.
    create function mainstay.take_unseeing(p_new mainstay.arrival) returns mainstay.arrival_answer
    language plpgsql volatile as $$
    declare
      v_constraint text;
    begin
      return mainstay.take(p_new, null, null, true, mainstay.clock());
    exception when unique_violation then
      get stacked diagnostics v_constraint = constraint_name;
      if v_constraint <> 'op_unique' then raise; end if;
      return ('changedMeanwhile', null)::mainstay.arrival_answer;
    end $$;

    -- Enqueues one operation within the transaction of the caller, by the rules of every other one.
    -- Its ordering key, and a lane that is new, have their turn when that is committed.
    create function \(enqueueBytes)
    \(enqueueBytesChecked)

    -- The same for a payload of JSON, as most workers read it, and for what the change of a record
    -- began with.
    create function mainstay.enqueue(
      kind text, payload jsonb, version integer default 1, lane text default 'main',
      ordering_key text default null, unique_key text default null, if_taken text default 'keep',
      idempotency_key text default null, priority integer default 2, delay interval default null,
      lifetime interval default null, needs uuid[] default null,
      if_given_up text default 'waitForRedrive', constraints text[] default null,
      expendable boolean default false, may_have_been_sent boolean default false,
      timeout interval default null, base jsonb default null
    ) returns uuid language plpgsql volatile as $$
    #variable_conflict use_variable
    declare
      v_id uuid := mainstay.new_uuid();
    begin
      if base is not null and coalesce(jsonb_typeof(base -> 'state'), '') not in
        ('object', 'string')
      then
        raise exception 'base must be an object with a state' using errcode = '22023';
      end if;
      -- Of what is missing nothing is known.
      if base ->> 'state' = 'missing' then base := null; end if;
      return mainstay.enqueue_bytes(
        kind, convert_to(payload::text, 'UTF8'), version, lane, ordering_key, unique_key, if_taken,
        idempotency_key, priority, delay, lifetime, needs, if_given_up, constraints, expendable,
        may_have_been_sent, id => v_id, timeout => timeout,
        base => convert_to(
          (base || jsonb_build_object('beginning', v_id, 'kind', kind))::text, 'UTF8'));
    end $$;
    """
}
