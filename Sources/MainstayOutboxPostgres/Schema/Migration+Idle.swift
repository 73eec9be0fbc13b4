// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// A claim that finds nothing only reads: a lock of a row would be written, and waited for until
  /// it is on the disk, as often as each idle process looks.
  static let idle = """
    -- The owner that claims, or an error where its leases were taken back meanwhile. That they are
    -- not, from here on, is made sure of where something is leased.
    create or replace function mainstay.attend(
      p_owner bigint, p_lease bigint, p_types text[], p_format integer
    ) returns void language plpgsql volatile as $$
    declare
      v_owner record;
      v_format integer;
    begin
      select alive_until, types into v_owner from mainstay.owner
        where id = p_owner and alive_until >= 0;
      if not found then
        raise exception 'owner % was taken for dead', p_owner using errcode = 'MS001';
      end if;
      select max(min_writer) into v_format from mainstay.migration;
      if v_format > p_format then
        raise exception 'format %', v_format using errcode = 'MS002';
      end if;
      if v_owner.types <> p_types or v_owner.alive_until < mainstay.clock() + p_lease / 2 then
        update mainstay.owner set types = p_types,
          alive_until = greatest(alive_until, mainstay.clock() + p_lease)
          where id = p_owner and alive_until >= 0;
        if not found then
          raise exception 'owner % was taken for dead', p_owner using errcode = 'MS001';
        end if;
      end if;
    end $$;

    create or replace function mainstay.lease(p_owner bigint, p_ids bigint[])
    returns table (token bigint, operation mainstay.operation) language plpgsql volatile as $$
    begin
      if coalesce(cardinality(p_ids), 0) = 0 then return; end if;
      -- Held until the claim is committed: nobody takes this owner for dead meanwhile.
      perform 1 from mainstay.owner where id = p_owner and alive_until >= 0 for key share;
      if not found then
        raise exception 'owner % was taken for dead', p_owner using errcode = 'MS001';
      end if;
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
}
