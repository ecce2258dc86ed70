// Signs in users of native SSH clients by password or SSH key, and with a second factor. The rules are those of every
// sign-in: this file only calls the features that apply them.
import { RecoveryCode, TotpCode, completeSignIn, login, logout } from "@strongroom/contract";
import type { BodyOf, Endpoint, FactorProof, SignedIn } from "@strongroom/contract";
import { sql } from "kysely";
import { completeSecondStep, demandOf } from "#features/factors/index.ts";
import { notifyOf } from "#features/notifications/index.ts";
import { createProofContext, openSession, refused, signIn, signOut } from "#features/sign-in/index.ts";
import type { ProofContext, SignInKernel } from "#features/sign-in/index.ts";
import { findKeyByFingerprint, fingerprintOf } from "#features/ssh-keys/index.ts";
import type { SshKeyRow } from "#features/ssh-keys/index.ts";
import { findUser, findUserByEmail } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { createCall } from "#kernel/http/call.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";

/** The client's address, and its software as it names itself. */
export interface NativeClient {
  address: string;
  agent: string;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
}

/** A sign-in that is complete, or one that waits for a second step. */
export type NativeStep =
  | { kind: "signed-in"; token: string }
  | { kind: "second-step"; pending: string; takesCodes: boolean; reason: string };

/** A registered SSH key and its owner. */
export interface KnownKey {
  /** In the wire format. */
  blob: Buffer;
  row: SshKeyRow;
  email: string;
}

export interface NativeSignIn {
  /** Throws a refusal, which is audited. */
  byPassword(email: string, password: string, client: NativeClient): Promise<NativeStep>;
  /** Null for a key that no active user has. Finding a key proves nothing: the client has to sign with it. */
  findKey(blob: Buffer): Promise<KnownKey | null>;
  /** The caller has verified the client's signature. Throws a refusal, which is audited. */
  byKey(key: KnownKey, client: NativeClient): Promise<NativeStep>;
  /** Completes a pending sign-in with a code of an authenticator app or a recovery code. Returns the session token. */
  bySecondStep(pending: string, code: string, client: NativeClient): Promise<string>;
  signOut(actor: Actor, client: NativeClient): Promise<void>;
  parts: ProofContext;
}

/** A native client signs in as a browser does; it has no cookies and no headers. */
type Stepped<E extends Endpoint> = SteppedCall<E> & { recordRefusal(error: unknown): Promise<void> };

export function createNativeSignIn(kernel: SignInKernel): NativeSignIn {
  const { database } = kernel;
  const parts = createProofContext(kernel);
  parts.secondStep.current = (db, user) => demandOf({ kernel }, db, user);
  const factors = { kernel, signIn: parts, notify: notifyOf(kernel) };

  function callOf<E extends Endpoint>(
    endpoint: E,
    { address, agent, signal }: NativeClient,
    body: BodyOf<E>,
    visitor: Actor | null = null,
  ): Stepped<E> {
    const call = createCall<E>({
      endpoint,
      params: undefined as never,
      query: undefined as never,
      body,
      visitor,
      request: { id: newId(), ip: address, agent },
      lastEventId: null,
      signal: signal ?? new AbortController().signal,
      cookie: () => null,
      repeat: null,
      fixedFields: {},
      clock: kernel.clock,
    });
    const commit: SteppedCall<E>["commit"] = (work) => {
      const begin = call.mark();
      return database.transaction(async (tx) => {
        begin();
        const result = await work(tx);
        await appendAudit(tx, [call.entry()]);
        return result;
      });
    };
    const recordRefusal = async (error: unknown) => {
      if (!(error instanceof Refusal)) return;
      const entry = call.entry({ result: "failure", reason: error.code });
      await database.transaction((tx) => appendAudit(tx, [entry]));
    };
    return Object.assign(Object.create(call) as SteppedCall<E>, { commit, recordRefusal });
  }

  /** A refused attempt is audited, as in HTTP. */
  async function recorded<E extends Endpoint, R>(call: Stepped<E>, work: (call: Stepped<E>) => Promise<R>): Promise<R> {
    try {
      return await work(call);
    } catch (error) {
      await call.recordRefusal(error);
      throw error;
    }
  }

  return {
    parts,

    async byPassword(email, password, client) {
      const body = login.body?.safeParse({ email, password });
      if (body?.success !== true) throw refused();
      const call = callOf(login, client, body.data);
      return stepOf(await recorded(call, (each) => signIn(parts, each, database.db)));
    },

    async findKey(blob) {
      const row = await findKeyByFingerprint(database.db, fingerprintOf(blob));
      // INVARIANT: the whole key is compared, not only its fingerprint.
      if (row === null || row.public_key.split(" ")[1] !== blob.toString("base64")) return null;
      const user = await findUser(database.db, row.user_id);
      return user?.status === "active" && user.kind === "person" ? { blob, row, email: user.email } : null;
    },

    async byKey({ row, email }, client) {
      const call = callOf(login, client, { email, password: "", remember_me: false });
      call.note({ details: { method: "ssh-key", ssh_key: row.id } });
      return recorded(call, async (each) => {
        const user = await findUserByEmail(database.db, email);
        if (user?.id !== row.user_id) throw refused();
        each.note({ target: { type: "user", id: user.id, name: user.email } });
        if (await isProviderDisabled(database.db, user.id)) throw refused();
        if (row.expires_at <= kernel.clock.now()) throw keyExpired();
        return stepOf(
          await openSession(parts, each, { user, method: "ssh-key", isRemembered: false, sshKeyId: row.id }),
        );
      });
    },

    async bySecondStep(pending, code, client) {
      const proof = proofOf(code);
      const call = callOf(completeSignIn, client, { pending, proof });
      const done = await recorded(call, (each) => completeSecondStep(factors, each, database.db));
      if (done.token === undefined) throw refused();
      return done.token;
    },

    async signOut(actor, client) {
      if (actor.sessionId === null) return;
      const call = callOf(logout, client, undefined as never, actor);
      await call.commit((tx) => signOut(parts, call, tx));
    },
  };
}

/** INVARIANT: a user whose identity provider is disabled cannot sign in by key either. */
async function isProviderDisabled(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select from identity_provider_people bound join identity_providers provider on provider.id = bound.provider_id
    where bound.user_id = ${userId} and not provider.is_enabled`.execute(db);
  return rows.length > 0;
}

const keyExpired = () => refuse(403, "ssh-key.expired", "This SSH key has expired. Add it again in your profile.");

/** Six digits are a code of an app; anything else is checked as a recovery code, and so counted as a guess. */
function proofOf(typed: string): FactorProof {
  const totp = TotpCode.safeParse(typed);
  if (totp.success) return { kind: "totp", code: totp.data };
  const recovery = RecoveryCode.safeParse(typed);
  return recovery.success ? { kind: "recovery", code: recovery.data } : { kind: "totp", code: "" };
}

function stepOf({ token, second_step: next }: SignedIn): NativeStep {
  if (token !== undefined) return { kind: "signed-in", token };
  if (next === undefined) throw refused();
  const takesCodes = next.kinds.includes("totp") || next.kinds.includes("recovery");
  const reason =
    next.kinds.length === 0
      ? "Your role requires a second factor. Add an authenticator app in your profile."
      : "Your second factor is a passkey, which SSH cannot use. Add an authenticator app in your profile.";
  return { kind: "second-step", pending: next.pending, takesCodes, reason };
}
