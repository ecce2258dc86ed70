// Lists, adds and removes a user's own second factors, and creates new recovery codes.
import type {
  Message,
  addFactor,
  beginFactor,
  listFactors,
  removeFactor,
  renewRecoveryCodes,
} from "@strongroom/contract";
import { lockPolicyShared, lockUser, readPolicy } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call, SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { begin, checkAnswer, saveFactor, shownFactor, wrongAnswer } from "./enrol.ts";
import type { FactorsContext } from "./context.ts";
import { isRequired, requireFactorLeft, requireRoom } from "./factors.policy.ts";
import { countCodes, deleteCodes, deleteFactor, findFactors, replaceCodes } from "./factors.store.ts";
import { newRecoveryCodes } from "./methods/recovery-codes.ts";
import { notifyOfNewCodes } from "./notify-factors.ts";

export async function list({ actor }: Call<typeof listFactors>, db: Db) {
  const factors = await findFactors(db, actor.id);
  return {
    data: factors.map(shownFactor),
    recovery_codes_left: await countCodes(db, actor.id),
    is_required: isRequired(actor.role, await readPolicy(db)),
  };
}

export async function beginOwn({ kernel }: FactorsContext, call: SteppedCall<typeof beginFactor>, db: Db) {
  const factors = await findFactors(db, call.actor.id);
  requireRoom(factors.length);
  const started = await begin(kernel, call.actor, call.body.kind, factors);
  call.note({ details: { kind: call.body.kind } });
  await call.commit((tx) => started.keep(tx));
  return started.shown;
}

export async function addOwn({ kernel, notify }: FactorsContext, call: SteppedCall<typeof addFactor>, db: Db) {
  const { actor, body } = call;
  call.note({ details: { kind: body.kind } });
  const answered = await checkAnswer(kernel, db, actor.id, body);
  if (answered === null) throw wrongAnswer();
  const { row } = answered;
  call.note({ target: { type: "factor", id: row.id, name: row.name } });
  const codes = await call.commit(async (tx) => {
    await lockUser(tx, actor.id);
    requireRoom((await findFactors(tx, actor.id)).length);
    return saveFactor(tx, notify, answered);
  });
  return { factor: shownFactor(row), recovery_codes: codes };
}

export async function removeOwn(call: Call<typeof removeFactor>, tx: Tx): Promise<Message> {
  const { actor, params } = call;
  // Lock the user, so that the second of two concurrent removals sees that its factor is the last.
  await lockUser(tx, actor.id);
  const gone = await deleteFactor(tx, actor.id, params.id);
  if (gone === undefined) throw refuse(404, "factor.not-found", "Second factor not found");
  call.note({ target: { type: "factor", id: gone.id, name: gone.name }, details: { kind: gone.kind } });
  const left = (await findFactors(tx, actor.id)).length;
  requireFactorLeft(left, actor.role, await lockPolicyShared(tx));
  if (left === 0) await deleteCodes(tx, actor.id);
  return { message: `${gone.name} removed` };
}

export async function renewCodes({ kernel, notify }: FactorsContext, call: Call<typeof renewRecoveryCodes>, tx: Tx) {
  const { actor } = call;
  await lockUser(tx, actor.id);
  if ((await findFactors(tx, actor.id)).length === 0) {
    throw refuse(409, "factor.none", "Recovery codes need a second factor. Add one first.");
  }
  const { codes, hashes } = newRecoveryCodes();
  await replaceCodes(tx, actor.id, hashes, kernel.clock.now());
  await notifyOfNewCodes(notify, tx, actor.id);
  call.note({ target: { type: "user", id: actor.id, name: actor.email } });
  return { recovery_codes: codes };
}
