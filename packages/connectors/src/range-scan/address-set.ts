// Sets of IP addresses, written as networks, single addresses and spans, with exclusions. No address is stored.
import { addressBytes, parseNetwork } from "../address.ts";

/** The maximum number of addresses of one range scan: an IPv4 /16. */
const MAX_RANGE_ADDRESSES = 65_536;

interface Span {
  /** 4 or 16. */
  bytes: number;
  first: bigint;
  last: bigint;
}

export interface AddressSet {
  /** Sorted and disjoint. */
  spans: readonly Span[];
  count: number;
}

export interface RangeText {
  ranges: readonly string[];
  exclusions: readonly string[];
}

/** The addresses of these ranges without the exclusions, or a plain sentence that says what is wrong. */
export function addressSet({ ranges, exclusions }: RangeText): AddressSet | { error: string } {
  const spans: Span[] = [];
  const excluded: Span[] = [];
  for (const [texts, list] of [
    [ranges, spans],
    [exclusions, excluded],
  ] as const) {
    for (const text of texts) {
      const span = spanOf(text);
      if (span === null)
        return { error: `"${text}" is not a network (10.0.0.0/24), an address or a span (10.0.0.1-10.0.0.9).` };
      list.push(span);
    }
  }
  let kept = merged(spans);
  for (const each of excluded) kept = kept.flatMap((span) => without(span, each));
  const count = kept.reduce((sum, { first, last }) => sum + (last - first + 1n), 0n);
  if (count === 0n) return { error: "The exclusions leave no address to scan." };
  if (count > BigInt(MAX_RANGE_ADDRESSES)) {
    return { error: `These ranges have ${count} addresses. One scan covers at most ${MAX_RANGE_ADDRESSES}.` };
  }
  return { spans: kept, count: Number(count) };
}

/** Address number `index`, from 0. Throws for one that the set does not have. */
export function addressAt({ spans }: AddressSet, index: number): string {
  let left = BigInt(index);
  for (const { bytes, first, last } of spans) {
    const size = last - first + 1n;
    if (left < size) return addressText(first + left, bytes);
    left -= size;
  }
  throw new RangeError(`the set has no address ${index}`);
}

/** The first of these ranges with an address outside every allowed network, or null. */
export function rangeOutside(ranges: readonly string[], allowed: readonly string[]): string | null {
  const allowedSpans = allowed.flatMap((text) => spanOf(text) ?? []);
  const isCovered = (text: string) => {
    let rest = [spanOf(text)].filter((span) => span !== null);
    for (const each of allowedSpans) rest = rest.flatMap((span) => without(span, each));
    return rest.length === 0;
  };
  return ranges.find((text) => !isCovered(text)) ?? null;
}

function spanOf(text: string): Span | null {
  const [from = "", to, ...rest] = text.split("-").map((part) => part.trim());
  if (rest.length > 0) return null;
  if (to !== undefined) {
    const [first, last] = [addressBytes(from), addressBytes(to)];
    if (first === null || last?.length !== first.length) return null;
    const span = { bytes: first.length, first: numberOf(first), last: numberOf(last) };
    return span.first <= span.last ? span : null;
  }
  const network = parseNetwork(from);
  if (network === null) return null;
  const first = numberOf(network.bytes);
  const bytes = network.bytes.length;
  return { bytes, first, last: first + (1n << BigInt(bytes * 8 - network.bits)) - 1n };
}

function merged(spans: readonly Span[]): Span[] {
  const sorted = spans.toSorted((a, b) => a.bytes - b.bytes || (a.first < b.first ? -1 : 1));
  const result: Span[] = [];
  for (const span of sorted) {
    const previous = result.at(-1);
    if (previous === undefined || previous.bytes !== span.bytes || span.first > previous.last + 1n) {
      result.push({ ...span });
    } else if (span.last > previous.last) previous.last = span.last;
  }
  return result;
}

function without(span: Span, excluded: Span): Span[] {
  if (span.bytes !== excluded.bytes || excluded.last < span.first || excluded.first > span.last) return [span];
  return [
    { ...span, last: excluded.first - 1n },
    { ...span, first: excluded.last + 1n },
  ].filter(({ first, last }) => first <= last);
}

const numberOf = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);

function addressText(address: bigint, bytes: number): string {
  const part = (bits: bigint, index: number, size: number) =>
    (address >> (bits * BigInt(size - 1 - index))) & ((1n << bits) - 1n);
  if (bytes === 4) return Array.from({ length: 4 }, (_, index) => part(8n, index, 4)).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => part(16n, index, 8).toString(16)).join(":");
  // The canonical form (RFC 5952), as the URL parser writes it.
  return new URL(`http://[${groups}]`).hostname.slice(1, -1);
}
