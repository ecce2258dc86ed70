// Builds the groups of search options: results, actions and pages. Pure.
import type { SearchAction, SearchResult, SearchKind } from "@strongroom/contract";
import type { ProductPage } from "./product-pages.ts";
import { paths } from "#shared/paths.ts";
import type { ParsedQuery } from "./read-query.ts";

const PLACES: Record<SearchKind, (result: SearchResult) => string> = {
  account: ({ id }) => paths.account(id),
  host: ({ title }) => paths.host(title),
  credential: ({ id }) => paths.credential(id),
  safe: ({ id }) => paths.safe(id),
  "access-request": ({ id }) => paths.accessRequest(id),
  "privileged-session": ({ id }) => searching(paths.sessions, id),
  user: ({ title }) => searching(paths.admin, title),
  "machine-identity": ({ title }) => `${searching(paths.admin, title)}&tab=machines`,
  group: ({ title }) => searching(paths.adminGroups, title),
  platform: ({ title }) => searching(paths.adminPlatforms, title),
};

const KIND_LABELS: Record<SearchKind, string> = {
  account: "Accounts",
  host: "Hosts",
  credential: "Credentials",
  safe: "Safes",
  "access-request": "Access requests",
  "privileged-session": "Sessions",
  user: "Users",
  "machine-identity": "Machine identities",
  group: "Groups",
  platform: "Platforms",
};

export type SearchOption =
  | { kind: "result"; id: string; label: string; detail: string; to: string; result: SearchResult }
  | { kind: "act"; id: string; label: string; detail: string; act: SearchAction; result: SearchResult }
  | { kind: "page"; id: string; label: string; detail: string; to: string };

export interface OptionGroup {
  label: string;
  options: SearchOption[];
}

const ACT_LABELS: Record<SearchAction, (title: string) => string> = {
  copy: (title) => `Copy password of ${title}`,
  connect: (title) => `Connect to ${title}`,
  verify: (title) => `Verify ${title}`,
  rotate: (title) => `Rotate ${title}`,
  request: (title) => `Request access to ${title}`,
};

/** With more kinds than this, each kind is limited to a few results. */
const FEW_KINDS = 3;
const OF_MANY_KINDS = 3;

/** Offers the typed action on every result that allows it; without one, all actions on the best result. */
export function optionsFor(
  wish: ParsedQuery,
  results: readonly SearchResult[],
  pages: readonly ProductPage[],
): OptionGroup[] {
  const things = thingsIn(results);
  const acts: OptionGroup = { label: "Actions", options: actsFor(wish, results) };
  const toPages: OptionGroup = {
    label: "Pages",
    options: pages.map(({ label, path }) => ({ kind: "page", id: `page:${path}`, label, detail: "Page", to: path })),
  };
  const isPageMeant = results[0]?.title.toLowerCase() !== wish.text.toLowerCase() && beginsOne(wish.text, pages);
  const groups = wish.act === null ? withActs(things, acts) : [acts, ...things];
  const all = isPageMeant ? [toPages, ...groups] : [...groups, toPages];
  return all.filter(({ options }) => options.length > 0);
}

/** Recent items in stored order, without actions or pages. */
export const recentOptions = (results: readonly SearchResult[]): OptionGroup[] =>
  results.length === 0 ? [] : [{ label: "Recent", options: results.map(thing) }];

/** Places the actions below the results of the same kind. */
function withActs(things: readonly OptionGroup[], acts: OptionGroup): OptionGroup[] {
  const [act] = acts.options;
  if (act?.kind !== "act") return [...things];
  const label = KIND_LABELS[act.result.kind];
  return things.flatMap((group) => (group.label === label ? [group, acts] : [group]));
}

const beginsOne = (text: string, pages: readonly ProductPage[]): boolean =>
  pages.some(({ label }) => label.toLowerCase().startsWith(text.toLowerCase()));

const thing = (result: SearchResult): SearchOption => ({
  kind: "result",
  id: `${result.kind}:${result.id}`,
  label: result.title,
  detail: result.detail,
  to: placeOf(result),
  result,
});

function thingsIn(results: readonly SearchResult[]): OptionGroup[] {
  const kinds = [...Map.groupBy(results, ({ kind }) => kind)];
  const most = kinds.length > FEW_KINDS ? OF_MANY_KINDS : Infinity;
  return kinds.map(([kind, found]) => ({ label: KIND_LABELS[kind], options: found.slice(0, most).map(thing) }));
}

function actsFor({ act }: ParsedQuery, results: readonly SearchResult[]): SearchOption[] {
  if (act !== null) return results.filter(({ can }) => can.includes(act)).map((result) => acting(act, result));
  const best = results.find(({ can }) => can.length > 0);
  // No details here, because the result above shows them.
  return best === undefined ? [] : best.can.map((each) => ({ ...acting(each, best), detail: "" }));
}

const acting = (act: SearchAction, result: SearchResult): SearchOption => ({
  kind: "act",
  id: `${act}:${result.id}`,
  label: ACT_LABELS[act](result.title),
  detail: result.detail,
  act,
  result,
});

const searching = (path: string, text: string) => `${path}?search=${encodeURIComponent(text)}`;

const placeOf = (result: SearchResult): string => PLACES[result.kind](result);
