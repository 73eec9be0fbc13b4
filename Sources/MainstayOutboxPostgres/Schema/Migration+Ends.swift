// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// The end of a lease anew: where the operation stays, whoever needs it keeps nobody waiting.
  static let ends =
    "create or replace function " + settle + lock + settleRest + "\n\n" + plans

  private static let lock = """

      -- One that somebody's open transaction needs may go on waiting: its key stays what it is.
      if p_next in ('ready', 'scheduled', 'waiting', 'parked', 'conflicted') then
        select uuid, kind, lane, ordering_key, cancelled into v_row from mainstay.op
          where id = p_id and lease_token = p_token and state = 'leased' for no key update;
      else
        select uuid, kind, lane, ordering_key, cancelled into v_row from mainstay.op
          where id = p_id and lease_token = p_token and state = 'leased' for update;
      end if;

    """

  /// The function by which a lease ends, from its name on.
  static let settle = """
    mainstay.settle(
      p_id bigint, p_token bigint, p_next text, p_delay bigint, p_attempt integer,
      p_unreachable integer, p_effect text, p_code text, p_message text, p_unbegun boolean,
      p_output bytea, p_reason text, p_followers text, p_remote bytea, p_fields text,
      p_latest bytea, p_key text, p_merges integer, p_closure text, p_closed_for bigint,
      p_kept integer, p_outcomes boolean, p_now bigint, p_words text
    ) returns boolean language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_row record;
    begin
    """

  /// The rest of it, behind the lock of the operation.
  static let settleRest = """
      if not found then return false; end if;
      if p_latest is not null then
        perform mainstay.note_news(
          p_id, coalesce(v_row.ordering_key, uuid_send(v_row.uuid)), p_latest, p_key, p_merges);
      end if;
      if p_message is not null then
        perform mainstay.note_attempt(p_id, p_code, p_message, p_effect, p_kept, v_at);
      end if;
      if p_unbegun then perform mainstay.give_back_turns(array[v_row.kind]); end if;
      -- A lane is closed whatever becomes of the operation.
      if p_closure is not null then
        perform mainstay.close_lane(v_row.lane, p_closure, p_closed_for, v_at);
      end if;
      -- It leaves, or waits for somebody, and the other side may have another version of the record
      -- than what is kept.
      if p_latest is null and (p_next = 'done' or p_effect not in ('notSent', 'refused')
        and (p_next in ('dropped', 'cancelled', 'conflicted')
          or p_next = 'dead' and p_followers <> 'holdKey'
          or p_next = 'parked' and v_row.cancelled))
      then
        perform mainstay.outdate_latest(
          array[coalesce(v_row.ordering_key, uuid_send(v_row.uuid))]);
      end if;
      -- Somebody cancelled it while it ran, and nothing came of the run, or nobody here can ask
      -- what did.
      if v_row.cancelled
        and (p_effect in ('notSent', 'refused') and p_next <> 'done'
          or p_next in ('parked', 'conflicted'))
      then
        return mainstay.remove(p_id, 'cancelled', null, p_outcomes, v_at);
      end if;
      if p_next in ('done', 'dropped', 'cancelled') then
        return mainstay.remove(p_id, p_next, p_output, p_outcomes, v_at);
      end if;
      update mainstay.op set state = case p_next when 'dead' then 'ready' else p_next end,
        owner = null, run_at = v_at + p_delay, attempt = p_attempt, unreachable = p_unreachable,
        crashes = case when p_unbegun then crashes else 0 end, effect = p_effect,
        cause = case p_next when 'parked' then 'unreadable' end,
        error_words = case when p_code is null then error_words else p_words end,
        error_code = coalesce(p_code, error_code), error_message = coalesce(p_message,
          error_message)
        where id = p_id;
      if p_next = 'dead' then
        perform mainstay.bury(p_id, p_reason, p_followers, p_outcomes, v_at);
      elsif p_next = 'conflicted' then
        insert into mainstay.conflict (op, remote, fields, since)
          values (p_id, p_remote, p_fields, v_at)
          on conflict (op) do update set remote = excluded.remote, fields = excluded.fields,
            since = excluded.since;
      end if;
      return true;
    end $$;
    """
}
