// Credentials for tests, created through the real call.
import { createCredential, readCredential } from "@strongroom/contract";
import type { Credential, InputOf } from "@strongroom/contract";
import { randomBytes } from "node:crypto";
import type { TestPerson } from "./people.ts";
import type { TestApp } from "./test-app.ts";

type Fields = Partial<NonNullable<InputOf<typeof createCredential>["body"]>>;

/** A unique secret, so that a search for it is conclusive. */
export const aSecret = (): string => `secret-${randomBytes(12).toString("hex")}`;

/** A PostgreSQL account on this machine, at `port`. */
export const databaseAt = (port: number) =>
  ({
    type: "postgresql",
    host: "127.0.0.1",
    port,
    username: "app",
    database_name: "d",
    schema_name: "s",
  }) as const;

/** A credential of this user. It cannot be verified unless the fields describe how. */
export async function aCredential(
  app: TestApp,
  owner: TestPerson,
  fields: Fields = {},
): Promise<Credential & { value: string }> {
  const value = fields.value ?? aSecret();
  const reply = await app.call(createCredential, {
    body: { name: "A credential", type: "application", ...fields, value },
    as: owner.token,
  });
  if (reply.status !== 201) throw new Error(reply.text);
  return { ...reply.body, value };
}

export async function asStored(app: TestApp, owner: TestPerson, id: Credential["id"]): Promise<Credential> {
  const reply = await app.call(readCredential, { params: { id }, as: owner.token });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body;
}
