// Tests that no part of a body is ignored: every object in a body names all of its fields.
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { endpoints } from "./all.ts";
import { completeBody } from "./complete-body.ts";
import { PasskeyAssertion, PasskeyRegistration } from "./factors.ts";

/** Browsers add fields from later versions of WebAuthn (§5.1.8 recommends leniency). */
const OF_A_STANDARD: readonly z.core.$ZodType[] = [PasskeyAssertion, PasskeyRegistration];

/** The paths of objects in a schema that accept unknown fields. */
function lenientIn(schema: z.core.$ZodType, path: string): string[] {
  if (OF_A_STANDARD.includes(schema)) return [];
  if (schema instanceof z.ZodObject) {
    const own = schema.def.catchall instanceof z.ZodNever ? [] : [path];
    return [...own, ...Object.entries(schema.shape).flatMap(([name, field]) => lenientIn(field, `${path}.${name}`))];
  }
  if (schema instanceof z.ZodArray) return lenientIn(schema.element, `${path}[]`);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((each) => lenientIn(each, path));
  if (schema instanceof z.ZodPipe) return [...lenientIn(schema.in, path), ...lenientIn(schema.out, path)];
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner === undefined ? [] : lenientIn(inner, path);
}

test("every object in the body of a call rejects unknown fields", () => {
  const lenient = endpoints.flatMap(({ name, endpoint }) =>
    endpoint.body === undefined ? [] : lenientIn(endpoint.body, name),
  );
  assert.deepEqual(lenient, []);
});

test("a complete body reports every missing field, at any depth, and accepts the omission of fields that keep their stored value", () => {
  const schema = z.strictObject({
    name: z.string(),
    port: z.number().nullish().transform((port) => port ?? null),
    secret: z.string().optional(),
    place: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("file"), keep: z.number().default(10) }),
      z.strictObject({ kind: z.literal("http"), url: z.string() }),
    ]),
    rules: z.array(z.strictObject({ group: z.string(), role: z.string().default("user") })),
  }); // prettier-ignore
  const missing = (body: unknown) =>
    completeBody(schema)
      .safeParse(body)
      .error?.issues.map(({ path }) => path.join(".")) ?? [];
  const whole = { name: "x", port: null, place: { kind: "file", keep: 1 }, rules: [{ group: "a", role: "user" }] };
  assert.deepEqual(missing(whole), []);
  assert.deepEqual(missing({}), ["name", "port", "place", "rules"]);
  assert.deepEqual(missing({ ...whole, place: { kind: "file" }, rules: [{ group: "a" }] }), [
    "place.keep",
    "rules.0.role",
  ]);
  assert.deepEqual(missing({ ...whole, port: undefined }), ["port"]);
});
