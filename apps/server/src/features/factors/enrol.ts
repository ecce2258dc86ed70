// Sets up a second factor: the challenge for the user's app or device, and its first answer.
import type { Factor, FactorAnswer, FactorKind, NewFactor, UserId } from "@strongroom/contract";
import { FactorId } from "@strongroom/contract";
import { Secret, sealSecret } from "@strongroom/keys";
import type { Notify } from "#features/notifications/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { ENROLMENT_LIFETIME } from "./factors.policy.ts";
import {
  countCodes,
  deleteEnrolment,
  findEnrolment,
  insertFactor,
  replaceCodes,
  writeEnrolment,
} from "./factors.store.ts";
import type { FactorRow } from "./factors.store.ts";
import { notifyOfNewFactor } from "./notify-factors.ts";
import { askForNewPasskey, checkNewPasskey } from "./methods/passkeys.ts";
import { TOTP_PURPOSE, totpContext, withTotpKey } from "./proofs/prove.ts";
import { newRecoveryCodes } from "./methods/recovery-codes.ts";
import { base32, keyUri, matchingStep, newTotpKey } from "./methods/totp.ts";

export interface EnrolmentContext {
  id: UserId;
  email: string;
  name: string;
}

export interface BegunEnrolment {
  /** Contains the key of an authenticator app. The key appears nowhere but in this reply. */
  shown: NewFactor;
  keep(tx: Tx): Promise<void>;
}

export async function begin(
  kernel: Kernel,
  person: EnrolmentContext,
  kind: FactorKind,
  factors: readonly FactorRow[],
): Promise<BegunEnrolment> {
  if (kind === "passkey") {
    const asked = await askForNewPasskey(kernel, person, factors.filter(isPasskey));
    return { shown: { totp: null, passkey: asked.options }, keep: asked.keep };
  }
  const now = kernel.clock.now();
  const id = newId(now.getTime());
  const key = newTotpKey();
  using secret = Secret.fromBytes(key);
  const sealed = sealSecret(await kernel.keys.kekFor(TOTP_PURPOSE), totpContext(id), secret);
  const text = base32(key);
  key.fill(0);
  const expires = new Date(now.getTime() + ENROLMENT_LIFETIME);
  return {
    shown: { totp: { key: text, uri: keyUri(text, "Strongroom", person.email) }, passkey: null },
    keep: (tx) => writeEnrolment(tx, { user_id: person.id, factor_id: id, sealed, expires_at: expires }),
  };
}

export interface CheckedFactor {
  row: FactorRow;
  /** Returns false when the enrolment or challenge no longer exists. */
  spend(tx: Tx): Promise<boolean>;
}

/** Checks the first answer. Returns null when the answer is wrong; throws 409 when no enrolment is open. */
export async function checkAnswer(
  kernel: Kernel,
  db: Db,
  userId: UserId,
  answer: FactorAnswer,
): Promise<CheckedFactor | null> {
  const now = kernel.clock.now();
  const common = { user_id: userId, kind: answer.kind, name: answer.name, created_at: now, last_used_at: null };
  if (answer.kind === "passkey") {
    const checked = await checkNewPasskey(kernel, answer.response, userId);
    if (checked === null) return null;
    const row = { ...common, id: newId(now.getTime()), sealed: null, used_steps: [], ...checked.columns };
    return { row, spend: checked.spend };
  }
  const started = await findEnrolment(db, userId, now);
  if (started === undefined) throw refuse(409, "factor.not-begun", "This took too long. Start again.");
  const { factor_id: id, sealed } = started;
  const step = await withTotpKey(kernel, id, sealed, (key) => matchingStep(key, answer.code, now, []));
  if (step === null) return null;
  const noPasskey = { credential_id: null, public_key: null, counter: null, transports: null };
  return {
    row: { ...common, ...noPasskey, id, sealed, used_steps: [step] },
    spend: (tx) => deleteEnrolment(tx, userId, id),
  };
}

/**
 * Stores a new factor after its first answer and notifies the user. Returns new recovery codes if the user has none,
 * else null.
 */
export async function saveFactor(tx: Tx, notify: Notify, { row, spend }: CheckedFactor): Promise<string[] | null> {
  if (!(await spend(tx))) throw wrongAnswer();
  if (!(await insertFactor(tx, row))) throw refuse(409, "factor.known", "This passkey is already set up.");
  const needsCodes = (await countCodes(tx, row.user_id)) === 0;
  await notifyOfNewFactor(notify, tx, row, needsCodes);
  if (!needsCodes) return null;
  const { codes, hashes } = newRecoveryCodes();
  await replaceCodes(tx, row.user_id, hashes, row.created_at);
  return codes;
}

export const isPasskey = (row: FactorRow): boolean => row.kind === "passkey";

export const wrongAnswer = () =>
  refuse(400, "factor.answer-wrong", "Incorrect code. Check the time on your device and try again.");

export const shownFactor = (row: FactorRow): Factor => ({
  id: FactorId.parse(row.id),
  kind: row.kind,
  name: row.name,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});
