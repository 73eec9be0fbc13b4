// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How others enqueue, and how waiting processes are told.
  static let enqueueing = """
    -- Whether nobody was told in the last 50 ms; if so, it counts as told now. A sequence
    -- remembers it,
    -- since that keeps nobody waiting, whatever transaction it is changed in.
    create sequence mainstay.told_at minvalue 0 start 0;

    create function mainstay.may_tell() returns boolean language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
      v_last bigint;
    begin
      select last_value into v_last from mainstay.told_at;
      if v_last between v_now - 50 and v_now then return false; end if;
      perform setval('mainstay.told_at', v_now);
      return true;
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

    -- Enqueues one operation within the transaction of the caller, by the rules of every other one.
    create function mainstay.enqueue_bytes(
      kind text, payload bytea, version integer default 1, lane text default 'main',
      ordering_key text default null, unique_key text default null, if_taken text default 'keep',
      idempotency_key text default null, priority integer default 2, delay interval default null,
      lifetime interval default null, needs uuid[] default null,
      if_given_up text default 'waitForRedrive', constraints text[] default null,
      expendable boolean default false, may_have_been_sent boolean default false,
      ageing interval default '1 hour', id uuid default null
    ) returns uuid language plpgsql volatile as $$
    #variable_conflict use_variable
    declare
      v_new mainstay.arrival;
      v_answer mainstay.arrival_answer;
    begin
      if coalesce(kind, '') = '' then
        raise exception 'kind must not be empty' using errcode = '22023';
      end if;
      if payload is null then
        raise exception 'payload must not be null' using errcode = '22023';
      end if;
      if priority is null or priority not between 0 and 4 then
        raise exception 'priority must be from 0 to 4' using errcode = '22023';
      end if;
      if if_taken is null or if_taken not in ('keep', 'replace', 'append', 'reject') then
        raise exception 'if_taken must be keep, replace, append or reject' using errcode = '22023';
      end if;
      if if_given_up is null or if_given_up not in ('waitForRedrive', 'giveUp', 'runAnyway') then
        raise exception 'if_given_up must be waitForRedrive, giveUp or runAnyway'
          using errcode = '22023';
      end if;
      if idempotency_key !~ '^[!-~]{1,255}$' then
        raise exception 'idempotency_key must be 1 to 255 visible ASCII characters'
          using errcode = '22023';
      end if;
      v_new.uuid := coalesce(id, mainstay.new_uuid());
      v_new.kind := kind;
      v_new.version := version;
      v_new.lane := lane;
      v_new.ordering_key := convert_to(ordering_key, 'UTF8');
      v_new.idem_key := coalesce(idempotency_key, v_new.uuid::text);
      v_new.payload := payload;
      v_new.lifetime := ceil(extract(epoch from lifetime) * 1000);
      v_new.effect := case when may_have_been_sent then 'sentUnknown' else 'notSent' end;
      v_new.priority := priority;
      v_new.handicap := (4 - priority) * ceil(extract(epoch from ageing) * 1000);
      v_new.delay := ceil(extract(epoch from delay) * 1000);
      v_new.unique_key := convert_to(kind, 'UTF8') || '\\x00'::bytea || convert_to(unique_key,
        'UTF8');
      v_new.if_taken := if_taken;
      v_new.constraints := case when cardinality(constraints) > 0 then constraints end;
      v_new.expendable := expendable;
      v_new.needs := needs;
      v_new.policy := if_given_up;
      v_answer := mainstay.take(v_new, null, null, true, mainstay.clock());
      case v_answer.code
        when 'keyReused' then
          raise exception 'the idempotency key belongs to another payload' using errcode = '23505';
        when 'duplicate' then
          raise exception 'an operation with this unique key is waiting' using errcode = '23505';
        when 'changedMeanwhile' then
          raise exception 'it met another one: do it again' using errcode = '40001';
        else null;
      end case;
      -- Heard when the transaction is committed; where it is not told, it is found by looking.
      if exists (select 1 from mainstay.owner
          where is_waiting and alive_until > mainstay.clock()) and mainstay.may_tell()
      then
        notify "mainstay.wake";
      end if;
      return v_answer.uuid;
    end $$;

    -- The same for a payload of JSON, as most workers read it.
    create function mainstay.enqueue(
      kind text, payload jsonb, version integer default 1, lane text default 'main',
      ordering_key text default null, unique_key text default null, if_taken text default 'keep',
      idempotency_key text default null, priority integer default 2, delay interval default null,
      lifetime interval default null, needs uuid[] default null,
      if_given_up text default 'waitForRedrive', constraints text[] default null,
      expendable boolean default false, may_have_been_sent boolean default false
    ) returns uuid language sql volatile as $$
      select mainstay.enqueue_bytes(
        kind, convert_to(payload::text, 'UTF8'), version, lane, ordering_key, unique_key, if_taken,
        idempotency_key, priority, delay, lifetime, needs, if_given_up, constraints, expendable,
        may_have_been_sent)
    $$;
    """
}
