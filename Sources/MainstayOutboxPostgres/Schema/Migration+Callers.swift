// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What others enqueue within a function that has rights which they lack, and what is refused
  /// before it does harm.
  static let callers =
    telling + "create or replace function " + enqueueBytes + lengths + enqueueBytesChecked + "\n\n"
    + plans

  private static let telling = """
    -- Two who tell at the same moment do no harm. A lock of the session would be left behind by an
    -- error, and nobody could tell any more. Nor may a transaction tell that is prepared for a
    -- commit in two phases, and says so.
    create or replace function mainstay.may_tell() returns boolean language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
      v_last bigint;
    begin
      if current_setting('mainstay.quiet', true) = 'on' then return false; end if;
      select last_value into v_last from mainstay.told_at;
      if v_last between v_now - 50 and v_now then return false; end if;
      perform setval('mainstay.told_at', v_now);
      return true;
    end $$;

    -- Up to version 17, a deferred trigger runs as whoever commits. That need not be the one who
    -- had the right to enqueue. And what is enqueued in the name of a replica has its turn, too.
    alter function mainstay.let_in() security definer set search_path = pg_catalog, pg_temp;
    revoke all on function mainstay.let_in() from public;
    alter table mainstay.fresh enable always trigger let_in;


    """

  /// An index takes no more.
  private static let lengths = """

      if array_position(constraints, null) is not null then
        raise exception 'constraints must not hold null' using errcode = '22023';
      end if;
      if octet_length(v_key) > 2500 then
        raise exception 'ordering_key must not have more than 2500 bytes'
          using errcode = '22023';
      end if;
      if octet_length(convert_to(kind || unique_key, 'UTF8')) > 2500 then
        raise exception 'kind and unique_key must not have more than 2500 bytes together'
          using errcode = '22023';
      end if;
      if octet_length(convert_to(kind || lane, 'UTF8'))
        + coalesce(pg_column_size(constraints), 0) > 2500
      then
        raise exception 'kind, lane and constraints must not have more than 2500 bytes together'
          using errcode = '22023';
      end if;

    """

  /// The function by which others enqueue, from its name on.
  static let enqueueBytes = """
    mainstay.enqueue_bytes(
      kind text, payload bytea, version integer default 1, lane text default 'main',
      ordering_key text default null, unique_key text default null, if_taken text default 'keep',
      idempotency_key text default null, priority integer default 2, delay interval default null,
      lifetime interval default null, needs uuid[] default null,
      if_given_up text default 'waitForRedrive', constraints text[] default null,
      expendable boolean default false, may_have_been_sent boolean default false,
      ageing interval default '1 hour', id uuid default null, timeout interval default null,
      base bytea default null
    ) returns uuid language plpgsql volatile as $$
    #variable_conflict use_variable
    declare
      v_new mainstay.arrival;
      v_answer mainstay.arrival_answer;
      v_key bytea := convert_to(ordering_key, 'UTF8');
      v_is_late boolean;
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
      if timeout <= interval '0' then
        raise exception 'timeout must be more than zero' using errcode = '22023';
      end if;
    """

  /// The rest of it, behind what it refuses.
  static let enqueueBytesChecked = """
      v_new.uuid := coalesce(id, mainstay.new_uuid());
      v_new.kind := kind;
      v_new.version := version;
      v_new.lane := lane;
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
      -- A year at most, as everywhere.
      v_new.timeout := case when timeout is not null
        then least(ceil(extract(epoch from timeout) * 1000), 31536000000) end;
      v_is_late := v_key is not null
        or not exists (select 1 from mainstay.lane as l where l.name = lane);
      if v_is_late then v_new.lane := 'main'; end if;
      perform set_config('mainstay.late', 'yes', true);
      v_answer := case when current_setting('transaction_isolation') = 'read committed'
        then mainstay.take(v_new, null, null, true, mainstay.clock())
        else mainstay.take_unseeing(v_new) end;
      perform set_config('mainstay.late', '', true);
      if v_is_late and v_answer.code = 'kept' and v_answer.uuid = v_new.uuid then
        perform mainstay.let_in_later(v_new.uuid, lane, v_key, base);
      end if;
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
    """
}
