// Credentials for tests, stored through the same call as real ones.
import { createCredential, readCredential } from "@strongroom/contract";
import type { Credential, InputOf } from "@strongroom/contract";
import { randomBytes } from "node:crypto";
import type { TestPerson } from "./people.ts";
import type { TestApp } from "./test-app.ts";

type Fields = Partial<NonNullable<InputOf<typeof createCredential>["body"]>>;

/** A secret that occurs nowhere else, so that a search for it proves something. */
export const aSecret = (): string => `secret-${randomBytes(12).toString("hex")}`;

/** A PostgreSQL account on this machine, as whoever listens at `port` is asked for it. */
export const databaseAt = (port: number) =>
  ({
    type: "postgresql",
    host: "127.0.0.1",
    port,
    username: "app",
    database_name: "d",
    schema_name: "s",
  }) as const;

/** A credential of this person; nothing can verify it unless the fields say how. */
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
