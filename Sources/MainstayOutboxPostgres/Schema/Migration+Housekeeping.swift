// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What is done now and then, and what all machines share.
  static let housekeeping = """
    -- Makes the tables of coming days: whoever holds the lock does it, and no two within 10
    -- seconds. Answers whether it has, and so whether it goes on with what is over. Each step can
    -- be done twice without harm, and waits briefly: whoever ends something stands behind it
    -- meanwhile. What the transaction does later, as the steps behind this one, waits as before.
    create function mainstay.keep_house() returns boolean
    language plpgsql volatile set lock_timeout to '50ms' as $$
    declare
      v_today bigint := mainstay.clock() / 86400000;
      v_name text;
    begin
      if not pg_try_advisory_xact_lock(hashtext('mainstay.house'), 0) then return false; end if;
      update mainstay.step set at = mainstay.clock() where name = 'housekeeping'
        and at not between mainstay.clock() - 10000 and mainstay.clock();
      if not found then return false; end if;
      for v_day in v_today..v_today + 2 loop
        v_name := 'outcome_' || to_char(to_timestamp(v_day * 86400::bigint) at time zone 'UTC',
          'YYYYMMDD');
        continue when to_regclass('mainstay.' || v_name) is not null;
        begin
          execute format(
            'create table mainstay.%I partition of mainstay.outcome for values from (%s) to (%s)',
            v_name, v_day * 86400000::bigint, (v_day + 1) * 86400000::bigint);
        exception
          -- Without the right to create tables all days lie in one; and so does a day that has
          -- begun, which must not keep the next one from having its own.
          when insufficient_privilege or check_violation then null;
          -- Somebody reads them all, as a backup does: nobody has to stand behind it once more.
          when lock_not_available then exit;
        end;
      end loop;
      return true;
    end $$;

    -- Drops days that are over, and forgets those ends that have no day of their own: some of them,
    -- so that it never takes long. Answers whether there may be more.
    create function mainstay.forget_days(p_history_days integer) returns boolean
    language plpgsql volatile as $$
    declare
      v_first bigint := (mainstay.clock() / 86400000 - p_history_days) * 86400000;
      v_name text;
      v_count bigint;
    begin
      perform mainstay.be_patient(50);
      begin
        for v_name in select c.relname from pg_inherits as i join pg_class
          as c on c.oid = i.inhrelid
          where i.inhparent = 'mainstay.outcome'::regclass and c.relname ~ '^outcome_[0-9]{8}$'
            and to_date(substring(c.relname from 9), 'YYYYMMDD')
              < (clock_timestamp() at time zone 'UTC')::date - p_history_days
        loop
          execute format('drop table mainstay.%I', v_name);
        end loop;
      exception
        when insufficient_privilege or lock_not_available then null;
      end;
      delete from mainstay.outcome_other where ctid = any (array(
        select ctid from mainstay.outcome_other where at < v_first order by at limit 10000));
      get diagnostics v_count = row_count;
      return v_count >= 10000;
    end $$;

    -- Who has kept the server from clearing up for so long: it reads what was, or has written and
    -- not ended; or a slot that nobody reads from keeps it from that. One process looks for all,
    -- and no two within three seconds.
    create function mainstay.snapshot_holder(p_patience interval) returns text
    language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
      v_holder record;
    begin
      perform 1 from mainstay.step as s where s.name = 'snapshots'
        and s.at not between v_now - 3000 and v_now for update skip locked;
      if not found then return null; end if;
      update mainstay.step set at = v_now where name = 'snapshots';
      select a.pid, a.application_name as app,
          extract(epoch from clock_timestamp() - a.xact_start)::bigint as age
        into v_holder from pg_stat_activity as a
        where (a.backend_xmin is not null or a.backend_xid is not null)
          and a.pid <> pg_backend_pid() and a.datname = current_database()
          and a.xact_start < clock_timestamp() - p_patience
          and a.backend_type = 'client backend'
        order by a.xact_start limit 1;
      if not found then
        return (
          select format('prepared transaction %s has held its snapshot for %s seconds', p.gid,
            extract(epoch from clock_timestamp() - p.prepared)::bigint)
          from pg_prepared_xacts as p
          where p.database = current_database() and p.prepared < clock_timestamp() - p_patience
          union all
          select format('replication slot %s, from which nobody reads, holds a snapshot',
            s.slot_name)
          from pg_replication_slots as s where s.xmin is not null and not s.active
          limit 1);
      end if;
      return format('process %s (%s) has held its snapshot for %s seconds',
        v_holder.pid, coalesce(nullif(v_holder.app, ''), 'without a name'), v_holder.age);
    end $$;

    -- Sets how many of a kind run at once, and begin in a second, on all machines together.
    create function mainstay.set_limit(
      p_kind text, p_concurrency integer, p_rate double precision, p_burst double precision
    ) returns void language plpgsql volatile as $$
    begin
      if p_concurrency is null and p_rate is null then
        delete from mainstay.kind_limit where kind = p_kind;
        return;
      end if;
      insert into mainstay.kind_limit (kind, concurrency, rate, burst, tokens, refilled_at)
        values (p_kind, p_concurrency, p_rate, p_burst, coalesce(p_burst, 0), mainstay.clock())
        on conflict (kind) do update set concurrency = excluded.concurrency, rate = excluded.rate,
          burst = excluded.burst, tokens = least(mainstay.kind_limit.tokens,
            coalesce(excluded.burst, 0));
    end $$;

    select mainstay.keep_house();
    """
}
