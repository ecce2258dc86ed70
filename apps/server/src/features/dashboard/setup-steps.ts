// The setup checklist: which steps of the first hour are done, computed from the state of the installation.
import { SETUP_STEPS } from "@strongroom/contract";
import type { ReplyOf, SetupStep, dismissSetupStep, readSetup } from "@strongroom/contract";
import { hasBackup, isWithin } from "#features/admin/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readSetupState, writeDismissed } from "./setup-steps.store.ts";
import type { SetupState } from "./setup-steps.store.ts";

type Checklist = ReplyOf<typeof readSetup>;

export interface SetupContext {
  kernel: Kernel;
  /** How the root key is protected. */
  rootKeyProvider: () => "key-file" | "passphrase";
}

export async function readSetupSteps(
  context: SetupContext,
  { actor }: Pick<Call<typeof readSetup>, "actor">,
  db: Db,
): Promise<Checklist> {
  const state = await readSetupState(db, actor.id);
  const done = await doneSteps(context, state);
  const steps = SETUP_STEPS.filter((id) => id in done).map((id) => ({
    id,
    is_done: done[id] === true,
    is_dismissed: state.dismissed.includes(id),
  }));
  return { steps };
}

export async function dismissStep(
  context: SetupContext,
  call: Call<typeof dismissSetupStep>,
  tx: Tx,
): Promise<Checklist> {
  const { step, is_dismissed: isDismissed } = call.body;
  const { steps: before } = await readSetupSteps(context, call, tx);
  const chosen = step === "all" ? before.filter((each) => !each.is_done).map(({ id }) => id) : [step];
  await writeDismissed(tx, chosen, isDismissed, context.kernel.clock.now());
  call.note({ target: { type: "setup", id: step }, details: { steps: chosen, is_dismissed: isDismissed } });
  return readSetupSteps(context, call, tx);
}

/** Without the steps that this installation does not have: an external database has its own backups. */
async function doneSteps(
  { kernel: { config }, rootKeyProvider }: SetupContext,
  state: SetupState,
): Promise<Partial<Record<SetupStep["id"], boolean>>> {
  const isBackedUp = !isWithin(config.dataFolder, config.backupFolder) && (await hasBackup(config.backupFolder));
  return {
    "second-factor": state.has_factor,
    "sign-up": !state.is_sign_up_open,
    ...(config.databaseUrl === null ? { backups: isBackedUp } : {}),
    "root-key": rootKeyProvider() === "passphrase" || !isWithin(config.dataFolder, config.keyFile),
    people: state.has_people,
    safe: state.has_safe,
    account: state.has_account,
    verification: state.has_verified,
    provider: state.has_provider,
  };
}
