// A target that accepts any of its tokens and counts the uses of each.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CountingTarget {
  /** The body of a credential with a separate token. */
  credential(index: number): object;
  /** The number of tokens used once, and of those used several times. */
  tally(): { once: number; more: number };
  stop(): Promise<void>;
}

export async function countLogins(): Promise<CountingTarget> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const token = request.headers.authorization;
    if (token !== undefined) counts.set(token, (counts.get(token) ?? 0) + 1);
    response.writeHead(token === undefined ? 401 : 200).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    credential: (index) => ({
      name: `token ${index}`,
      type: "api_token",
      value: `token-number-${index}`,
      additional_params: { check_url: `http://127.0.0.1:${port}/me` },
    }),
    tally: () => {
      const all = [...counts.values()];
      return { once: all.filter((count) => count === 1).length, more: all.filter((count) => count > 1).length };
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
