// Read-only fields in the body of a PUT, so that a client can send back the reply of a GET (decision 0037).
import { readOnlyOf } from "@strongroom/contract";
import type { Endpoint } from "@strongroom/contract";
import { isDeepStrictEqual } from "node:util";
import { refuse } from "./refuse.ts";

type Json = Readonly<Record<string, unknown>>;

/** The values in the body for fields that neither this call nor the server itself can change. */
export function fixedFieldsOf({ body: schema }: Endpoint, body: unknown): Json {
  const fixed = readOnlyOf(schema)?.fixed ?? [];
  if (typeof body !== "object" || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([name]) => fixed.includes(name)));
}

/** Throws 400 when the caller sent values that differ from those of the reply. Called before the effect is committed. */
export function checkFixedFields(sent: Json, reply: unknown): void {
  const entity = reply as Json;
  const changed = Object.keys(sent).filter((name) => !isDeepStrictEqual(sent[name], entity[name]));
  if (changed.length === 0) return;
  const msg = "Read-only: send the value as returned, or leave it out";
  const errors = changed.map((path) => ({ path, msg }));
  throw refuse(400, "request.read-only", `${changed.join(", ")}: this call cannot change it. ${msg}.`, { errors });
}
