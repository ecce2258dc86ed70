// Reads the users whom a new sign-in policy would affect. Each query returns the first users and the total number.
import type { Role, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db } from "#kernel/db/database.ts";

interface PersonRow {
  user_id: UserId;
  name: string;
  email: string;
  role: Role;
}

/** Totals over all rows, repeated in every row. */
interface Totals {
  people: number;
  all_sessions: number;
  all_tokens: number;
}

export interface WithoutFactorRow extends PersonRow, Totals {
  has_provider_factor: boolean;
  sessions: number;
  tokens: number;
}

const WORKS = (now: Date): RawBuilder<unknown> => sql`
  token.revoked_at is null
  and least(token.expires_at, token.created_at + make_interval(days => token_policy.person_days)) > ${now}`;

/**
 * Includes, at the end, users with open sessions whose provider confirmed a factor, because saving the policy ends those sessions
 * too.
 */
export async function findWithoutFactor(
  db: Db,
  roles: readonly Role[],
  now: Date,
  limit: number,
): Promise<WithoutFactorRow[]> {
  const { rows } = await sql<WithoutFactorRow>`
    select person.id as user_id, person.name, person.email, person.role,
      provider.has_provider_factor, open.sessions, held.tokens,
      (count(*) filter (where not provider.has_provider_factor) over ())::integer as people,
      (sum(open.sessions) over ())::integer as all_sessions, (sum(held.tokens) over ())::integer as all_tokens
    from users person cross join token_policy
    cross join lateral (
      select exists (select from identity_provider_people bound
                     where bound.user_id = person.id and bound.has_second_factor) as has_provider_factor) provider
    cross join lateral (
      select count(*)::integer as sessions from sign_in_sessions session where session.user_id = person.id) open
    cross join lateral (
      select count(*)::integer as tokens from tokens token
      where token.user_id = person.id and ${WORKS(now)} and not provider.has_provider_factor) held
    where person.kind = 'person' and person.status = 'active' and person.role = any(${[...roles]}::text[])
      and not exists (select from factors where factors.user_id = person.id)
      and (open.sessions > 0 or not provider.has_provider_factor)
    order by provider.has_provider_factor, open.sessions + held.tokens desc, lower(person.name), person.id limit ${limit}`.execute(
    db,
  );
  return rows;
}

export interface Places {
  /** The addresses of sessions and tokens. */
  addresses: string[];
  /** The networks of the users' last sign-ins, in the notation of `clientKey`. */
  networks: string[];
}

const LAST_NETWORKS = sql`
  (select distinct on (user_id) user_id, network from sign_in_networks order by user_id, signed_in_at desc)`;

/** All addresses and networks from which users and their tokens were last seen. */
export async function findPlaces(db: Db, now: Date): Promise<Places> {
  const { rows } = await sql<{ is_network: boolean; place: string }>`
    select false as is_network, ip as place from sign_in_sessions
    union select false, token.last_used_from from tokens token cross join token_policy
          where token.last_used_from is not null and ${WORKS(now)}
    union select true, network from ${LAST_NETWORKS} last`.execute(db);
  const placesOf = (isNetwork: boolean) => rows.filter((row) => row.is_network === isNetwork).map((row) => row.place);
  return { addresses: placesOf(false), networks: placesOf(true) };
}

export interface OutsideRow extends PersonRow, Totals {
  places: string[];
  sessions: number;
  tokens: number;
}

/**
 * The users last seen at one of these addresses or networks. Machine identities are excluded, because the policy does not limit
 * their networks.
 */
export async function findAt(db: Db, { addresses, networks }: Places, now: Date, limit: number): Promise<OutsideRow[]> {
  const { rows } = await sql<OutsideRow>`
    with seen as (
      select user_id, ip as place, 1 as sessions, 0 as tokens from sign_in_sessions
      where ip = any(${addresses}::text[])
      union all select token.user_id, token.last_used_from, 0, 1 from tokens token cross join token_policy
      where token.last_used_from = any(${addresses}::text[]) and ${WORKS(now)}
      union all select user_id, network, 0, 0 from ${LAST_NETWORKS} last where network = any(${networks}::text[])
    )
    select person.id as user_id, person.name, person.email, person.role,
      (array_agg(distinct seen.place))[1:3] as places,
      sum(seen.sessions)::integer as sessions, sum(seen.tokens)::integer as tokens,
      (count(*) over ())::integer as people,
      (sum(sum(seen.sessions)) over ())::integer as all_sessions, (sum(sum(seen.tokens)) over ())::integer as all_tokens
    from seen join users person on person.id = seen.user_id
    where person.kind = 'person' and person.status = 'active'
    group by person.id
    order by sum(seen.sessions + seen.tokens) desc, lower(person.name), person.id limit ${limit}`.execute(db);
  return rows;
}

export async function findPeople(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, PersonRow>> {
  const { rows } = await sql<PersonRow>`
    select id as user_id, name, email, role from users where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.user_id, row]));
}

/** Whether a user has a second factor here, and whether their provider confirmed one. */
export async function readFactors(db: Db, userId: string): Promise<{ own: boolean; provider: boolean }> {
  const { rows } = await sql<{ own: boolean; provider: boolean }>`
    select exists (select from factors where user_id = ${userId}) as own,
      exists (select from identity_provider_people where user_id = ${userId} and has_second_factor) as provider`.execute(
    db,
  );
  return rows[0]!;
}
