// A client that keeps writing while the database fails: what was acknowledged to it, and how it was refused.
import { createCredential } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import { setTimeout as delay } from "node:timers/promises";
import { send } from "./people.ts";

export interface SteadyClient {
  acknowledged: CredentialId[];
  /** How often each `status code` was the answer. */
  refusals: Map<string, number>;
  /** Milliseconds that the slowest call took. */
  slowest: number;
  stop(): Promise<void>;
}

/** Begins at once. `stop` rejects when a call got no answer at all, as when the server dies. */
export function steadyClient(url: string, token: string, name: string): SteadyClient {
  const stopping = new AbortController();
  const client = { acknowledged: [] as CredentialId[], refusals: new Map<string, number>(), slowest: 0 };

  async function work(): Promise<void> {
    for (let count = 1; !stopping.signal.aborted; count++) {
      const body = { name: `${name} ${count}`, type: "application" as const, value: `secret ${count}` };
      const begun = performance.now();
      const answer = await send(url, createCredential, { body }, token);
      const text = await answer.text();
      client.slowest = Math.max(client.slowest, performance.now() - begun);
      if (answer.status === 201) {
        client.acknowledged.push((JSON.parse(text) as { id: CredentialId }).id);
        continue;
      }
      const how = `${answer.status} ${(JSON.parse(text) as { code?: string }).code}`;
      client.refusals.set(how, (client.refusals.get(how) ?? 0) + 1);
      await delay(20);
    }
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
