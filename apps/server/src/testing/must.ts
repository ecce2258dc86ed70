// Makes a call that has to succeed, as the first administrator unless another user is given. Otherwise throws with the
// reply.
import type { Endpoint, ReplyOf } from "@strongroom/contract";
import { firstAdmin } from "./people.ts";
import type { TestPerson } from "./people.ts";
import type { CallOptions, TestApp } from "./test-app.ts";

type Input = Pick<CallOptions<Endpoint>, "params" | "query" | "body">;

export async function must<E extends Endpoint>(
  app: TestApp,
  endpoint: E,
  input: Input,
  by?: TestPerson,
): Promise<ReplyOf<E>> {
  const as = (by ?? (await firstAdmin(app))).token;
  const reply = await app.call(endpoint, { ...input, as } as CallOptions<E>);
  if (reply.status >= 300) throw new Error(`${endpoint.path}: ${reply.text}`);
  return reply.body;
}
