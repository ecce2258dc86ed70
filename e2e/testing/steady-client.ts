// A client that keeps writing while the database fails, and records acknowledged writes and refusals.
import { createCredential } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import { setTimeout as delay } from "node:timers/promises";

export interface SteadyClient {
  acknowledged: CredentialId[];
  /** The number of replies for each `status code`. */
  refusals: Map<string, number>;
  /** The duration of the slowest call in milliseconds. */
  slowest: number;
  stop(): Promise<void>;
}

/** Starts writing immediately. `stop` rejects if a call got no reply, as when the server dies. */
export function steadyClient(url: string, token: string, name: string): SteadyClient {
  const stopping = new AbortController();
  const client = { acknowledged: [] as CredentialId[], refusals: new Map<string, number>(), slowest: 0 };

  /** Sends one request with the same key until the server acknowledges it; the request must run only once. */
  async function create(label: string): Promise<void> {
    const body = { name: label, type: "application" as const, value: "a secret" };
    while (!stopping.signal.aborted) {
      const started = performance.now();
      const answer = await fetch(`${url}${createCredential.path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "idempotency-key": label.replaceAll(" ", "-"),
        },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      client.slowest = Math.max(client.slowest, performance.now() - started);
      if (answer.status === 201) {
        client.acknowledged.push((JSON.parse(text) as { id: CredentialId }).id);
        return;
      }
      const how = `${answer.status} ${(JSON.parse(text) as { code?: string }).code}`;
      client.refusals.set(how, (client.refusals.get(how) ?? 0) + 1);
      // The first attempt may still be running, or its reply was lost after it ran. Continue with the next request.
      if (answer.status === 409) return;
      await delay(20);
    }
  }

  async function work(): Promise<void> {
    for (let count = 1; !stopping.signal.aborted; count++) await create(`${name}, number ${count}`);
  }

  const working = work();
  working.catch(() => undefined);
  return Object.assign(client, {
    async stop() {
      stopping.abort();
      await working;
    },
  });
}
