// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How operations leave the queue, and what waited for them.
  static let departure = """
    create function mainstay.clock() returns bigint language sql volatile as $$
      select (extract(epoch from clock_timestamp()) * 1000)::bigint
    $$;

    -- How long the rest of the transaction waits for a lock; null leaves that as it is.
    create function mainstay.be_patient(p_milliseconds integer) returns void
    language sql volatile as $$
      select set_config('lock_timeout', p_milliseconds::text, true) where p_milliseconds is not null
    $$;

    -- Where a transaction counts: in rows that no other one counts in until it ends, so that nobody
    -- ever waits for a counter. One that may go on for long has other rows to choose from. A lock
    -- that is held already is granted again at once, and so the first try nearly always does. With
    -- more transactions than rows, some count in the same one, and wait.
    create function mainstay.shard() returns integer language plpgsql volatile as $$
    declare
      v_is_late boolean := coalesce(current_setting('mainstay.late', true) = 'yes', false);
      v_base integer := case when v_is_late then 128 else 0 end;
      v_count integer := case when v_is_late then 256 else 128 end;
      v_start integer := pg_backend_pid() % v_count;
      v_shard integer;
    begin
      for v_step in 0..v_count - 1 loop
        v_shard := v_base + (v_start + v_step) % v_count;
        if pg_try_advisory_xact_lock(hashtext('mainstay.load'), v_shard) then
          return v_shard;
        end if;
      end loop;
      return v_base + v_start;
    end $$;

    -- Whoever lets something pass under an ordering key, or puts something behind it, does so
    -- alone.
    create function mainstay.lock_key(p_key bytea) returns void language sql volatile as $$
      select pg_advisory_xact_lock(
        hashtext('mainstay.key'), (hashtextextended(encode(p_key, 'hex'), 0) & 1023)::integer)
    $$;

    create function mainstay.leave_receipt(
      p_kind text, p_reason text, p_count bigint, p_bytes bigint, p_at bigint
    ) returns void language sql volatile as $$
      insert into mainstay.receipt as r (kind, reason, shard, count, bytes, first_at, last_at)
      values (p_kind, p_reason, mainstay.shard(), p_count, p_bytes, p_at, p_at)
      on conflict (kind, reason, shard) do update set count = r.count + excluded.count,
        bytes = r.bytes + excluded.bytes, last_at = greatest(r.last_at, excluded.last_at)
    $$;

    create function mainstay.count_load(
      p_enqueued bigint, p_pending bigint, p_bytes bigint
    ) returns void language sql volatile as $$
      insert into mainstay.load as l (shard, enqueued, pending, bytes)
      values (mainstay.shard(), p_enqueued, p_pending, p_bytes)
      on conflict (shard) do update set enqueued = l.enqueued + excluded.enqueued,
        pending = l.pending + excluded.pending, bytes = l.bytes + excluded.bytes
    $$;

    create function mainstay.keep_outcome(
      p_uuid uuid, p_kind text, p_reason text, p_output bytea, p_at bigint
    ) returns void language sql volatile as $$
      insert into mainstay.outcome (number, uuid, kind, reason, output, at)
      values (nextval('mainstay.outcome_number'), p_uuid, p_kind, p_reason, p_output, p_at)
    $$;

    -- What the other side has is wanted as long as something that changes the record is there.
    create function mainstay.forget_latest(p_key bytea) returns void language sql volatile as $$
      delete from mainstay.latest where key = p_key
        and not exists (select 1 from mainstay.op where ordering_key = p_key)
        and not exists (select 1 from mainstay.dead where ordering_key = p_key)
    $$;

    -- What the other side has may be something else by now, as its mark says; its version stays a
    -- condition of what follows.
    create function mainstay.outdate_latest(p_keys bytea[]) returns void
    language plpgsql volatile as $$
    declare
      v_mark bytea := '\\x006d61696e737461792e6f757464617465642e3100';
    begin
      update mainstay.latest set state = v_mark || state
        where key = any (p_keys) and substring(state from 1 for octet_length(v_mark)) <> v_mark;
    end $$;

    -- Lets a blocked operation pass, unless something still stands before it.
    create function mainstay.release(p_id bigint, p_at bigint) returns void
    language plpgsql volatile as $$
    declare
      v_key bytea;
    begin
      -- One that has passed, and may be leased, is not waited for.
      select ordering_key into v_key from mainstay.op
        where id = p_id and state = 'blocked' for no key update;
      if not found then return; end if;
      if v_key is not null then perform mainstay.lock_key(v_key); end if;
      update mainstay.op as op set
        state = case when start_at > p_at then 'scheduled' else 'ready' end,
        run_at = case when start_at > p_at then start_at end
      where id = p_id and state = 'blocked'
        and not exists (select 1 from mainstay.dep as d where d.op = p_id)
        and (v_key is null or (
          not exists (select 1 from mainstay.op as o where o.ordering_key = v_key and o.id < p_id)
          and not exists (select 1 from mainstay.op as o
            where o.ordering_key = v_key and o.state <> 'blocked')
          and not exists (select 1 from mainstay.dead as d
            where d.ordering_key = v_key and d.holds_key)));
    end $$;

    -- Lets the first follower of a key pass, unless something still stands before it.
    create function mainstay.unblock(p_key bytea, p_at bigint) returns void
    language plpgsql volatile as $$
    declare
      v_first bigint;
    begin
      if p_key is null then return; end if;
      perform mainstay.lock_key(p_key);
      select id into v_first from mainstay.op where ordering_key = p_key order by id limit 1;
      if found then perform mainstay.release(v_first, p_at); end if;
    end $$;

    create function mainstay.move(
      p_id bigint, p_reason text, p_holds_key boolean, p_at bigint
    ) returns boolean language plpgsql volatile as $$
    declare
      v_bytes bigint;
    begin
      with gone as (
        delete from mainstay.op where id = p_id returning *
      ), buried as (
        insert into mainstay.dead (id, uuid, kind, version, lane, ordering_key, priority, rank,
          expendable, constraints, enqueued_at, expires_at, attempt, crashes, merges, effect,
          lease_token, idem_key, error_code, error_message, error_words, checkpoint, timeout,
          payload, reason, since, holds_key)
        select id, uuid, kind, version, lane, ordering_key, priority, rank, expendable, constraints,
          enqueued_at, expires_at, attempt, crashes, merges, effect, lease_token, idem_key,
          error_code, error_message, error_words, checkpoint, timeout, payload, p_reason, p_at,
          p_holds_key
          from gone
        returning octet_length(payload) as bytes
      )
      select bytes into v_bytes from buried;
      if not found then return false; end if;
      delete from mainstay.conflict where op = p_id;
      perform mainstay.count_load(0, -1, -v_bytes);
      return true;
    end $$;

    -- Gives an operation up for want of one that it needs; false where it was given up before.
    create function mainstay.give_up(p_id bigint, p_at bigint) returns boolean
    language plpgsql volatile as $$
    begin
      update mainstay.op set error_code = 'outbox.dependency-failed',
        error_message = 'Something that has to be done first was given up.', error_words = null
        where id = p_id;
      if not mainstay.move(p_id, 'dependencyFailed', true, p_at) then return false; end if;
      -- No run ends with it, so whoever looks next for what dead processes have left tells it.
      update mainstay.dead set is_told = false where id = p_id;
      return true;
    end $$;

    -- Tells those that need an operation how it ended, and those that need them.
    create function mainstay.tell(p_id bigint, p_end text, p_at bigint) returns void
    language plpgsql volatile as $$
    declare
      v_ids bigint[] := array[p_id];
      v_ends text[] := array[p_end];
      v_id bigint;
      v_end text;
      v_dep record;
      v_passes boolean;
    begin
      if p_end <> 'givenUp' then delete from mainstay.dep where op = p_id; end if;
      while array_length(v_ids, 1) > 0 loop
        v_id := v_ids[array_upper(v_ids, 1)];
        v_end := v_ends[array_upper(v_ends, 1)];
        v_ids := v_ids[1:array_upper(v_ids, 1) - 1];
        v_ends := v_ends[1:array_upper(v_ends, 1) - 1];
        for v_dep in select op, policy from mainstay.dep where needs = v_id order by op loop
          -- Two that it needs may end at the same time: the second one sees what the first one did.
          perform 1 from mainstay.op where id = v_dep.op for no key update;
          v_passes := v_end = 'done' or v_dep.policy = 'runAnyway';
          if v_passes or v_end = 'gone' then
            delete from mainstay.dep where op = v_dep.op and needs = v_id;
          end if;
          if v_passes then
            perform mainstay.release(v_dep.op, p_at);
          elsif v_end = 'gone' or v_dep.policy = 'giveUp' then
            if mainstay.give_up(v_dep.op, p_at) then
              v_ids := v_ids || v_dep.op;
              v_ends := v_ends || 'givenUp'::text;
            end if;
          end if;
        end loop;
      end loop;
    end $$;

    -- Takes an operation out, leaves a receipt, and lets the next one of its key pass.
    create function mainstay.remove(
      p_id bigint, p_reason text, p_output bytea, p_outcomes boolean, p_at bigint,
      p_unblocks boolean default true
    ) returns boolean language plpgsql volatile as $$
    declare
      v_row record;
    begin
      delete from mainstay.op where id = p_id
        returning uuid, kind, ordering_key, octet_length(payload) as bytes into v_row;
      -- It may have been taken along by one that was removed just before.
      if not found then return false; end if;
      delete from mainstay.conflict where op = p_id;
      delete from mainstay.attempt where op = p_id;
      perform mainstay.leave_receipt(v_row.kind, p_reason, 1, v_row.bytes, p_at);
      perform mainstay.count_load(0, -1, -v_row.bytes);
      if p_outcomes then
        perform mainstay.keep_outcome(v_row.uuid, v_row.kind, p_reason, p_output, p_at);
      end if;
      perform mainstay.tell(
        p_id, case when p_reason in ('done', 'dropped') then 'done' else 'gone' end, p_at);
      if p_unblocks then
        perform mainstay.unblock(v_row.ordering_key, p_at);
        perform mainstay.forget_latest(coalesce(v_row.ordering_key, uuid_send(v_row.uuid)));
      end if;
      return true;
    end $$;

    -- Makes a dead letter of an operation, and decides about those behind it.
    create function mainstay.bury(
      p_id bigint, p_reason text, p_followers text, p_outcomes boolean, p_at bigint
    ) returns void language plpgsql volatile as $$
    declare
      v_key bytea;
      v_id bigint;
    begin
      select ordering_key into v_key from mainstay.op where id = p_id for update;
      if not mainstay.move(p_id, p_reason, p_followers = 'holdKey', p_at) then return; end if;
      perform mainstay.tell(p_id, 'givenUp', p_at);
      if v_key is null or p_followers = 'holdKey' then return; end if;
      perform mainstay.lock_key(v_key);
      if p_followers = 'dropFollowers' then
        for v_id in select id from mainstay.op
          where ordering_key = v_key and state = 'blocked' and effect in ('notSent', 'refused')
          order by id
        loop
          perform mainstay.remove(v_id, 'followed', null, p_outcomes, p_at, false);
        end loop;
      end if;
      perform mainstay.unblock(v_key, p_at);
    end $$;

    -- Drops what nobody wants any more, and answers how many were found, or none where none could
    -- go; what may have had its effect is kept. One with a follower that somebody's open
    -- transaction is at goes later, and is not leased meanwhile.
    create function mainstay.expire(p_limit integer, p_outcomes boolean, p_at bigint)
    returns integer language plpgsql volatile set lock_timeout to '50ms' as $$
    declare
      v_id bigint;
      v_count integer := 0;
      v_stuck integer := 0;
    begin
      for v_id in select id from mainstay.op
        where expires_at <= p_at and state not in ('leased', 'conflicted')
          and effect in ('notSent', 'refused')
        order by expires_at, id limit p_limit for update skip locked
      loop
        v_count := v_count + 1;
        begin
          perform mainstay.remove(v_id, 'expired', null, p_outcomes, p_at);
        exception when lock_not_available then
          -- The next ones do not wait as long, and not many times.
          perform mainstay.be_patient(1);
          v_stuck := v_stuck + 1;
          exit when v_stuck >= 100;
        end;
      end loop;
      return case when v_count > v_stuck then v_count else 0 end;
    end $$;

    create function mainstay.note_attempt(
      p_id bigint, p_code text, p_message text, p_effect text, p_kept integer, p_at bigint
    ) returns void language plpgsql volatile as $$
    declare
      v_number integer;
    begin
      select coalesce(max(number), 0) + 1 into v_number from mainstay.attempt where op = p_id;
      insert into mainstay.attempt (op, number, at, error_code, error_message, effect)
      values (p_id, v_number, p_at, p_code, p_message, p_effect);
      delete from mainstay.attempt where op = p_id and number <= v_number - p_kept;
    end $$;
    """
}
