// Refuses unknown query parameters and bodies, which would be ignored otherwise.
import type { Endpoint } from "@strongroom/contract";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { refuse } from "./refuse.ts";
import type { Refusal } from "./refuse.ts";

/** The names of an endpoint's query parameters. Throws if its schema does not name them, a bug of the contract. */
export function queryNames({ path, query }: Endpoint): string[] {
  let schema: z.core.$ZodType | undefined = query;
  while (schema instanceof z.ZodPipe) schema = schema.in;
  if (schema === undefined) return [];
  if (schema instanceof z.ZodObject && schema.def.catchall === undefined) return Object.keys(schema.shape);
  throw new Error(`the query of ${path} is not a plain z.object()`);
}

/** Throws 400 with the names of unknown parameters. */
export function partsCheck(endpoint: Endpoint): (request: FastifyRequest) => void {
  const names = queryNames(endpoint);
  return ({ query, body }) => {
    if (endpoint.ignoresUnknownQuery !== true) {
      const unknown = Object.keys(query as object).filter((name) => !names.includes(name));
      if (unknown.length > 0) throw unknownParts("query parameter", unknown, names);
    }
    if (endpoint.body !== undefined || body === undefined || body === null) return;
    const fields = typeof body === "object" ? Object.keys(body) : ["body"];
    if (fields.length > 0) throw unknownParts("field", fields, []);
  };
}

/** The longest part of the request that the reply repeats. */
const MOST_NAMES = 20;
const LONGEST_NAME = 100;

function unknownParts(
  kind: "query parameter" | "field",
  unknown: readonly string[],
  known: readonly string[],
): Refusal {
  const named = unknown.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
  const errors = named.map((path) => ({ path, msg: `Unknown ${kind}` }));
  const takes = kind === "field" ? "This call accepts no body." : takenNames(known);
  return refuse(400, "request.invalid", `Unknown ${kind}: ${named.join(", ")}. ${takes}`, { errors });
}

const takenNames = (known: readonly string[]): string =>
  known.length === 0 ? "This call accepts no query parameters." : `This call accepts ${known.join(", ")}.`;
