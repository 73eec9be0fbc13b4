// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How those that rank first are chosen among runs of an index, and locked.
  ///
  /// A run is all that is in one state under equal keys, such as a lane and a type. The runs are
  /// taken from the index by one look each. Each has a head: the first one that is wanted. Where as
  /// many heads rank before that of a run as there are places, nothing of that run is chosen. So
  /// only of the first runs more is read, and without a lock. What is chosen says how many each of
  /// them gives, and so many are locked there, whatever somebody else has locked meanwhile. What a
  /// run lacks for that reason is looked for in the other ones again, a few times.
  struct Choice {
    /// Which rows the index has.
    let state: String
    /// Which row `p` is wanted.
    let wish: String
    /// Whether what is equal in a run are its constraints, too, and they go first.
    let isBound: Bool
    /// Whether heads are taken one by one in the end, where others are always a little faster.
    var endsWithHeads = false

    /// What the loop needs declared, besides parameters and `v_chosen`, to which it adds.
    static let variables = """
      v_count integer := cardinality(p_kinds);
        v_limits integer[] := p_limits;
        v_room integer;
        v_seen bigint[] := '{}';
        v_found bigint[];
        v_looked bigint[];
        v_wanted bigint;
        -- The runs of which others have locked the rest.
        v_spent text[] := '{}';
        v_lacking text[];
        v_runs integer;
        v_first record;
        v_place integer;
        -- The heads: their lanes and constraints, places among the types, ranks and ids.
        v_lanes text[];
        v_bounds text[];
        v_places integer[];
        v_ranks bigint[];
        v_ids bigint[];
      """

    /// What it needs besides, where it ends with heads.
    static let oneMore = "\n  v_head record;"

    /// The loop, as the body of a function.
    var loop: String {
      """
      for v_round in 1..\(endsWithHeads ? 5 : 4) loop
          v_room := p_limit - cardinality(v_chosen);
          exit when v_room <= 0;
          if cardinality(v_chosen) > 0 then
            \(Self.lessChosen)
          end if;
          \(onlyRun)
          \(heads)
          exit when v_ids is null;
          \(endsWithHeads ? oneByOne + "\n    " : "")\(amongRuns)
          v_chosen := v_chosen || v_found;
          exit when cardinality(v_found) >= v_wanted;
          -- Somebody was faster: what he has locked is not looked at again.
          v_seen := v_seen || v_found || v_looked;
          v_spent := v_spent || v_lacking;
        end loop;
      """
    }

    /// How many of each type, and of its kind, may still be chosen.
    private static let lessChosen = """
      with taken as materialized (
              select o.kind, o.version, count(*) as n from mainstay.op as o
              where o.id = any (v_chosen) group by o.kind, o.version
            )
            select array_agg(t.free - coalesce((select k.n from taken as k
                  where k.kind = t.kind and k.version = t.version), 0) order by t.place)
                || array_agg(t.shared - coalesce((select sum(k.n) from taken as k
                  where k.kind = t.kind), 0)::integer order by t.place)
              into v_limits
              from unnest(p_kinds, p_versions, p_limits[:v_count], p_limits[v_count + 1:])
                with ordinality as t (kind, version, free, shared, place);
      """

    /// The heads of all runs: of most, the first row is that.
    private var heads: String {
      """
      with recursive run as (
            (select \(keys("p")), p.rank, p.id, \(isWanted) as is_head
              from mainstay.op as p where \(state)
              order by \(keys("p")), p.rank, p.id limit 1)
            union all
            select n.* from run as r cross join lateral (
              select \(keys("p")), p.rank, p.id, \(isWanted)
              from mainstay.op as p where \(state) and (\(keys("p"))) > (\(keys("r")))
              order by \(keys("p")), p.rank, p.id limit 1) as n
          )
          select array_agg(r.lane), \(isBound ? "array_agg(r.constraints::text)" : "null"),
              array_agg(t.place), array_agg(h.rank), array_agg(h.id)
            into v_lanes, v_bounds, v_places, v_ranks, v_ids
            from run as r join unnest(p_kinds, p_versions, v_limits[:v_count],
                v_limits[v_count + 1:]) with ordinality as t (kind, version, free, shared, place)
              on t.kind = r.kind and t.version = r.version
              cross join lateral (
                select r.rank, r.id where r.is_head
                union all
                (select p.rank, p.id from mainstay.op as p
                  where not r.is_head and \(isOf("r.lane", "r.kind", "r.version", "r.constraints"))
                    and (p.rank, p.id) > (r.rank, r.id)
                  order by p.rank, p.id limit 1)) as h
            where t.free > 0 and t.shared > 0
              and (cardinality(p_closed) = 0 or r.lane not in (select unnest(p_closed)))
              and (v_round = 1 or \(name(constraints: "r.constraints::text"))
                not in (select unnest(v_spent)))
              \(isBound ? "and not r.constraints && p_unmet" : "");
      """
    }

    /// What ranks first in the only run, where there is no other: nothing has to be compared.
    private var onlyRun: String {
      """
      select \(keys("p")), p.rank, p.id into v_first from mainstay.op as p where \(state)
            order by \(keys("p")), p.rank, p.id limit 1;
          v_runs := case when found then 1 else 0 end;
          exit when v_runs = 0;
          perform 1 from mainstay.op as p where \(state) and (\(keys("p"))) > (\(keys("v_first")))
            order by \(keys("p")) limit 1;
          if not found then
            v_place := null;
            for v_type in 1..v_count loop
              if p_kinds[v_type] = v_first.kind and p_versions[v_type] = v_first.version then
                v_place := v_type;
              end if;
            end loop;
            exit when v_place is null or v_first.lane = any (p_closed)\(isBound
              ? " or v_first.constraints && p_unmet" : "");
            v_chosen := v_chosen || array(
              select p.id from mainstay.op as p
              where \(isOf(
                "v_first.lane", "v_first.kind", "v_first.version", "v_first.constraints"))
                and (p.rank, p.id) >= (v_first.rank, v_first.id)
              order by p.rank, p.id
              limit greatest(0, least(
                v_room, v_limits[v_place], v_limits[v_count + v_place]))
              for no key update skip locked);
            exit;
          end if;
      """
    }

    /// The last round: those who came at the same moment have each taken what ranked first in the
    /// rounds before, so what they have locked is stepped over row by row.
    private var oneByOne: String {
      """
      if v_round = 5 then
            for v_head in select h.id, h.place
              from unnest(v_ids, v_ranks, v_places) as h (id, rank, place) order by h.rank, h.id
            loop
              exit when v_room <= 0;
              continue when v_limits[v_head.place] <= 0 or v_limits[v_count + v_head.place] <= 0;
              perform 1 from mainstay.op as p where p.id = v_head.id and \(state) and \(isWanted)
                for no key update skip locked;
              continue when not found;
              v_chosen := v_chosen || v_head.id;
              v_room := v_room - 1;
              v_limits[v_head.place] := v_limits[v_head.place] - 1;
              for v_type in 1..v_count loop
                if p_kinds[v_type] = p_kinds[v_head.place] then
                  v_limits[v_count + v_type] := v_limits[v_count + v_type] - 1;
                end if;
              end loop;
            end loop;
            exit;
          end if;
      """
    }

    /// What ranks first among several runs, with no more of a type and of a kind than have places.
    private var amongRuns: String {
      """
      with head as materialized (
              select * from unnest(v_lanes, v_places, v_ranks, v_ids\(isBound ? ", v_bounds" : ""))
                as h (lane, place, rank, id\(isBound ? ", constraints" : ""))
            ), type as materialized (
              select * from unnest(p_kinds, p_versions, v_limits[:v_count], v_limits[v_count + 1:])
                with ordinality as t (kind, version, free, shared, place)
            ), typed as (
              select f.*, t.kind, t.version, t.free, t.shared
              from type as t cross join lateral (
                select h.* from head as h where h.place = t.place
                order by h.rank, h.id limit least(t.free, v_room)) as f
              where t.free > 0 and t.shared > 0
            ), best as materialized (
              select b.*, row_number() over (order by b.rank, b.id) as number
              from (select t.*,
                  row_number() over (partition by t.kind order by t.rank, t.id) as turn
                from typed as t) as b
              where b.turn <= b.shared order by b.rank, b.id limit v_room
            ), first as (
              select r.number, r.kind, r.place, r.free, r.shared, f.rank, f.id
              from best as r cross join lateral (
                select p.rank, p.id from mainstay.op as p
                where \(isOfRun) and (p.rank, p.id) >= (r.rank, r.id)
                  and p.rank <= (select coalesce(max(b.rank), 9223372036854775807)
                    from best as b where b.number = v_room)
                order by p.rank, p.id limit least(r.free, r.shared, v_room - r.number + 1)) as f
            ), turned as (
              select f.* from (select g.*,
                  row_number() over (partition by g.place order by g.rank, g.id) as turn
                from first as g) as f
              where f.turn <= f.free
            ), chosen as materialized (
              select c.number, c.id from (select t.number, t.rank, t.id, t.shared,
                  row_number() over (partition by t.kind order by t.rank, t.id) as turn
                from turned as t) as c
              where c.turn <= c.shared order by c.rank, c.id limit v_room
            ), part as materialized (
              select r.*, (select count(*) from chosen as c where c.number = r.number) as n
              from best as r
            ), locked as materialized (
              select r.number, f.id from part as r cross join lateral (
                select p.id from mainstay.op as p
                where \(isOfRun) and (p.rank, p.id) >= (r.rank, r.id)
                order by p.rank, p.id limit r.n for no key update skip locked) as f
              where r.n > 0
            )
            select array(select l.id from locked as l), array(select c.id from chosen as c),
                (select count(*) from chosen), array(
                  select \(name(constraints: "r.constraints")) from part as r
                  where (select count(*) from locked) < (select count(*) from chosen)
                    and r.n > (select count(*) from locked as l where l.number = r.number))
              into v_found, v_looked, v_wanted, v_lacking;
      """
    }

    /// What a run `r` is called.
    private func name(constraints: String) -> String {
      "\(isBound ? "\(constraints) || " : "")' ' || r.version || '/' || r.kind || '/' || r.lane"
    }

    private func keys(_ row: String) -> String {
      ["constraints", "lane", "kind", "version"].dropFirst(isBound ? 0 : 1)
        .map { "\(row).\($0)" }.joined(separator: ", ")
    }

    private var isWanted: String {
      "(\(wish)) and (v_round = 1 or p.id not in (select unnest(v_seen)))"
    }

    private var isOfRun: String {
      isOf("r.lane", "r.kind", "r.version", "r.constraints::text[]")
    }

    /// Whether the row `p` is of a run, and wanted.
    private func isOf(
      _ lane: String, _ kind: String, _ version: String, _ constraints: String
    ) -> String {
      """
      \(state)\(isBound ? " and p.constraints = \(constraints)" : "")
                and p.lane = \(lane) and p.kind = \(kind) and p.version = \(version)
                and \(isWanted)
      """
    }
  }
}
