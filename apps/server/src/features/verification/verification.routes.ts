// Binds the verification endpoints to their handlers.
import {
  acceptHostKey as acceptEndpoint,
  cancelVerificationRun,
  readVerificationRun,
  verifyAll,
  verifyCredential,
  verifyMultiple,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { acceptHostKey } from "./host-keys/accept-host-key.ts";
import { cancelOwnRun, readOwnRun, verifyAllOf, verifyPicked } from "./runs/run-verification.ts";
import type { VerificationContext } from "./context.ts";
import { queueFirst } from "./verification.jobs.ts";
import { verifyNow } from "./attempts/verify-credential.ts";

export function bindVerification(context: VerificationContext, stopping: AbortSignal): void {
  const { kernel } = context;
  implementInSteps(kernel, verifyCredential, (call) => verifyNow(context, call, stopping));
  implement(kernel, acceptEndpoint, (call, tx) =>
    acceptHostKey(kernel, call, tx, (inTx, row) => queueFirst(context, inTx, row)),
  );
  implement(kernel, verifyMultiple, (call, tx) => verifyPicked(kernel, call, tx));
  implement(kernel, verifyAll, (call, tx) => verifyAllOf(context, call, tx));
  implement(kernel, readVerificationRun, readOwnRun);
  implement(kernel, cancelVerificationRun, (call, tx) => cancelOwnRun(kernel, call, tx));
}
