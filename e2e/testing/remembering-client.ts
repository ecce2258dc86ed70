// A client of a server that may die at any moment: tracks which writes of its credentials were acknowledged.
import assert from "node:assert/strict";
import {
  CredentialEdit,
  createCredential,
  deleteCredential,
  revealCredential,
  updateCredential,
} from "@strongroom/contract";
import type { CredentialId, Endpoint, InputOf } from "@strongroom/contract";
import { randomBytes } from "node:crypto";
import { send } from "./people.ts";

export interface Known {
  id: CredentialId;
  name: string;
  /** The possible secrets: one if every change was acknowledged, two while the last change was not. */
  secrets: string[];
  /** `maybe` means that a deletion was sent but not acknowledged. */
  deleted: "no" | "maybe" | "yes";
  /** Whether the credential was written to in this round. */
  isTouched: boolean;
}

/** A unique secret. */
const aSecret = (): string => randomBytes(15).toString("base64url");

export interface Client {
  /** The state after all acknowledged calls. */
  known: Known[];
  /** The request ids of this round's answered reveals and of its other acknowledged calls. */
  answered: { reveals: string[]; writes: string[] };
  /** Creates, changes, reveals and deletes credentials at random until the server is gone. Rejects after a wrong reply. */
  work(url: string, token: string): Promise<void>;
}

/** The work of one connection, which changes only its own credentials, so that the order of changes is known. */
export function aClient(name: string): Client {
  const known: Known[] = [];
  const answered: Client["answered"] = { reveals: [], writes: [] };
  let count = 0;

  async function act(url: string, token: string): Promise<void> {
    const living = known.filter((each) => each.deleted === "no");
    const chosen = living[Math.floor(Math.random() * living.length)];
    const dice = Math.random();
    if (chosen === undefined || dice < 0.25) return create(url, token);
    if (dice < 0.5) return update(url, token, chosen);
    if (dice < 0.6) return remove(url, token, chosen);
    return reveal(url, token, chosen);
  }

  async function create(url: string, token: string): Promise<void> {
    const body = { name: `${name} ${(count += 1)}`, type: "application" as const, value: aSecret() };
    const reply = await acknowledged(url, createCredential, { body }, token, 201);
    const { id } = JSON.parse(reply) as { id: CredentialId };
    known.push({ id, name: body.name, secrets: [body.value], deleted: "no", isTouched: true });
  }

  async function update(url: string, token: string, credential: Known): Promise<void> {
    const value = aSecret();
    const body = CredentialEdit.parse({ name: credential.name, type: "application", value });
    credential.isTouched = true;
    credential.secrets = [...credential.secrets, value];
    await acknowledged(url, updateCredential, { params: { id: credential.id }, body }, token, 200);
    credential.secrets = [value];
  }

  async function remove(url: string, token: string, credential: Known): Promise<void> {
    credential.isTouched = true;
    credential.deleted = "maybe";
    await acknowledged(url, deleteCredential, { params: { id: credential.id } }, token, 200);
    credential.deleted = "yes";
  }

  async function reveal(url: string, token: string, credential: Known): Promise<void> {
    const answer = await send(url, revealCredential, { params: { id: credential.id }, body: {} }, token);
    assert.equal(answer.status, 200);
    // From this point, the secret has left the server, even if its last byte never arrives.
    answered.reveals.push(requestIdOf(answer));
    const { value } = (await answer.json()) as { value: string };
    assert.deepEqual([value], credential.secrets, `${credential.name}: the last acknowledged secret`);
  }

  async function acknowledged<E extends Endpoint>(
    url: string,
    endpoint: E,
    input: InputOf<E>,
    token: string,
    status: number,
  ): Promise<string> {
    const answer = await send(url, endpoint, input, token);
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    answered.writes.push(requestIdOf(answer));
    return text;
  }

  return {
    known,
    answered,
    async work(url, token) {
      for (;;) {
        try {
          await act(url, token);
        } catch (error) {
          if (isConnectionLost(error)) return;
          throw error;
        }
      }
    },
  };
}

function requestIdOf(answer: Response): string {
  const id = answer.headers.get("x-request-id");
  assert.ok(id !== null, "every answer names its request");
  return id;
}

/** Whether `fetch`, or reading a body, failed because the server is gone. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined;
}
