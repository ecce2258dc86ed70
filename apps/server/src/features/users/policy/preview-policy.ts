// Previews what saving a sign-in policy would change, by the same rules as saving. Changes nothing.
import { MOST_POLICY_PEOPLE } from "@strongroom/contract";
import type { PolicyPreview, SignInPolicy, previewSignInPolicy } from "@strongroom/contract";
import { isIP } from "node:net";
import type { Clock } from "#kernel/clock.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import * as store from "./policy-preview.store.ts";
import type { SignInOfUsers, UnderLimits } from "../sign-in-of-users.ts";
import { isWithin, newlyAsked, within } from "./sign-in-rules.ts";
import { readPolicy } from "./sign-in-policy.store.ts";

interface Site {
  clock: Clock;
  signIn: Pick<SignInOfUsers, "underLimits">;
}

export async function previewPolicy(
  { clock, signIn }: Site,
  call: Call<typeof previewSignInPolicy>,
  tx: Tx,
): Promise<PolicyPreview> {
  const after = call.body;
  call.note({ target: { type: "policy", id: "sign-in" } });
  const before = await readPolicy(tx);
  const now = clock.now();
  const asked = newlyAsked(before, after);
  const under = await signIn.underLimits(tx, before, after);
  const { id, role, sessionId } = call.actor;
  const factors = await store.readFactors(tx, id);
  const isAsked = asked.includes(role) && !factors.own;
  const preview: PolicyPreview = {
    you: {
      address: call.request.ip,
      is_outside: !isWithin(after.allowed_networks, call.request.ip),
      lacks_factor: isAsked && !factors.provider,
      is_signed_out: sessionId !== null && (isAsked || under.ended.some((session) => session.id === sessionId)),
    },
    without_factor: withoutFactor(
      asked.length === 0 ? [] : await store.findWithoutFactor(tx, asked, now, MOST_POLICY_PEOPLE),
    ),
    outside: await outside(tx, before, after, now),
    ending: await ending(tx, under),
    proofs_over: under.proofsOver,
  };
  call.note({ details: { to: { ...after }, ...countsOf(preview) } });
  return preview;
}

const countsOf = ({ without_factor, outside: away, ending: ends }: PolicyPreview) => ({
  people_without_factor: without_factor.people,
  people_outside: away.people,
  sessions_without_factor: without_factor.sessions,
  sessions_over: ends.idle + ends.expired,
});

function withoutFactor(rows: readonly store.WithoutFactorRow[]): PolicyPreview["without_factor"] {
  const [first] = rows;
  return {
    people: first?.people ?? 0,
    sessions: first?.all_sessions ?? 0,
    tokens: first?.all_tokens ?? 0,
    shown: rows.map(({ people: _people, all_sessions: _sessions, all_tokens: _tokens, ...person }) => person),
  };
}

async function outside(
  tx: Tx,
  before: SignInPolicy,
  after: SignInPolicy,
  now: Date,
): Promise<PolicyPreview["outside"]> {
  const [from, to] = [before.allowed_networks, after.allowed_networks];
  if (to.length === 0 || from.join() === to.join()) return { people: 0, sessions: 0, tokens: 0, shown: [] };
  const { addresses, networks } = await store.findPlaces(tx, now);
  const places = {
    addresses: addresses.filter(within(from)).filter(isNot(within(to))),
    networks: networks.filter(meeting(from)).filter(isNot(meeting(to))),
  };
  const rows = await store.findAt(tx, places, now, MOST_POLICY_PEOPLE);
  const [first] = rows;
  return {
    people: first?.people ?? 0,
    sessions: first?.all_sessions ?? 0,
    tokens: first?.all_tokens ?? 0,
    shown: rows.map(({ user_id, name, email, role, sessions, tokens, places: seen }) => {
      return { user_id, name, email, role, sessions, tokens, addresses: [...new Set(seen.map(written))] };
    }),
  };
}

/** Sign-in networks are stored as an IPv4 address or as the first half of an IPv6 address. */
const written = (place: string): string => (isIP(place) === 0 && place.includes(":") ? `${place}::/64` : place);

/** Whether an address or network overlaps one of `networks`. IPv6 is compared by the first 64 bits only. */
function meeting(networks: readonly string[]): (place: string) => boolean {
  const halves = networks.map((network) => {
    const [address = "", length = ""] = network.split("/");
    return isIP(address) === 6 && Number(length) > 64 ? `${address}/64` : network;
  });
  const isMet = within(halves);
  return (place) => isMet(written(place).split("/", 1)[0] ?? "");
}

const isNot =
  (test: (place: string) => boolean) =>
  (place: string): boolean =>
    !test(place);

async function ending(tx: Tx, { ended }: UnderLimits): Promise<PolicyPreview["ending"]> {
  const counts = new Map<string, { idle: number; expired: number }>();
  for (const { user_id, state } of ended) {
    const count = counts.get(user_id) ?? { idle: 0, expired: 0 };
    count[state] += 1;
    counts.set(user_id, count);
  }
  const most = [...counts].toSorted(([, a], [, b]) => b.idle + b.expired - a.idle - a.expired);
  const first = most.slice(0, MOST_POLICY_PEOPLE);
  const people = await store.findPeople(
    tx,
    first.map(([id]) => id),
  );
  return {
    people: counts.size,
    idle: ended.filter(({ state }) => state === "idle").length,
    expired: ended.filter(({ state }) => state === "expired").length,
    shown: first.flatMap(([id, count]) => {
      const person = people.get(id);
      return person === undefined ? [] : [{ ...person, ...count }];
    }),
  };
}
