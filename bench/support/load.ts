// A closed-loop load generator: each connection sends its next request after the previous answer.
import { Client } from "undici";

export interface LoadRequest {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface LoadResult {
  answers: number;
  seconds: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** Sends the requests from `next` for `seconds` over `connections`. Rejects at the first answer other than 200. */
export async function load(
  origin: string,
  connections: number,
  seconds: number,
  next: () => LoadRequest,
): Promise<LoadResult> {
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  const one = async () => {
    const client = new Client(origin, { pipelining: 1 });
    while (performance.now() < end) {
      const started = performance.now();
      const answer = await client.request(next());
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`);
      times.push(performance.now() - started);
    }
    await client.close();
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, one));
  const elapsed = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { answers: times.length, seconds: elapsed, perSecond: times.length / elapsed, p50: at(0.5), p99: at(0.99) };
}
