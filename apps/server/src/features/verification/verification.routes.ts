// Binds the calls about verification to their use cases.
import {
  acceptHostKey as acceptEndpoint,
  cancelVerificationRun,
  readVerificationRun,
  verifyAll,
  verifyCredential,
  verifyMultiple,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { acceptHostKey } from "./accept-host-key.ts";
import { cancelOwnRun, readOwnRun, verifyAllOf, verifyPicked } from "./run-verification.ts";
import type { Site } from "./site.ts";
import { queueFirst } from "./verification.jobs.ts";
import { verifyNow } from "./verify-credential.ts";

export function bindVerification(site: Site, stopping: AbortSignal): void {
  const { kernel } = site;
  implementInSteps(kernel, verifyCredential, (call) => verifyNow(site, call, stopping));
  implement(kernel, acceptEndpoint, (call, tx) =>
    acceptHostKey(kernel, call, tx, (inTx, row) => queueFirst(site, inTx, row)),
  );
  implement(kernel, verifyMultiple, (call, tx) => verifyPicked(kernel, call, tx));
  implement(kernel, verifyAll, (call, tx) => verifyAllOf(site, call, tx));
  implement(kernel, readVerificationRun, readOwnRun);
  implement(kernel, cancelVerificationRun, (call, tx) => cancelOwnRun(kernel, call, tx));
}
