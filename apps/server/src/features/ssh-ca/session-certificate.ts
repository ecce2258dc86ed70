// Certificates with which a gateway logs in to the target of one session.
import { issueUserCertificate } from "@strongroom/connectors/ssh";
import type { KeyForConnection } from "@strongroom/connectors/ssh";
import { refuse } from "#kernel/http/refuse.ts";
import type { Db } from "#kernel/db/database.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { openCaKey } from "./sealed-ca-key.ts";
import { readActiveCaKey } from "./ssh-ca.store.ts";

/** Long enough for the login, and for clocks that differ. A login that succeeded outlives its certificate. */
const VALID_MS = 2 * 60_000;
const CLOCK_SKEW_MS = 60_000;

export interface SessionCertificate {
  /** For the audit trail. */
  facts: { key_id: string; principal: string; ca: string };
  login: KeyForConnection;
}

interface Certified {
  sessionId: string;
  /** The user name on the target, which is the only principal. */
  username: string;
  forwardsPorts: boolean;
  forwardsAgent: boolean;
}

/** Opens the CA's key. Each login makes its own key pair, which is never stored. Throws 409 without a CA. */
export async function certifySession(
  kernel: Pick<ProcessKernel, "keys" | "config" | "clock">,
  db: Db,
  { sessionId, username, forwardsPorts, forwardsAgent }: Certified,
): Promise<SessionCertificate> {
  const row = await readActiveCaKey(db);
  if (row === null) {
    throw refuse(409, "ssh-ca.missing", "There is no SSH user CA yet. Ask an administrator to create its key.");
  }
  const { privateKey, fingerprint } = await openCaKey(kernel.keys, row);
  const { sshCaSources } = kernel.config;
  return {
    facts: { key_id: sessionId, principal: username, ca: fingerprint },
    login: {
      keyFor(localAddress) {
        const now = kernel.clock.now().getTime();
        const own = localAddress === null ? [] : [localAddress.replace(/^::ffff:(?=\d+\.)/, "")];
        const { key } = issueUserCertificate(privateKey, {
          keyId: sessionId,
          principals: [username],
          validFrom: new Date(now - CLOCK_SKEW_MS),
          validUntil: new Date(now + VALID_MS),
          sourceAddresses: sshCaSources.length > 0 ? sshCaSources : own,
          permits: [
            ...(forwardsPorts ? ["port-forwarding" as const] : []),
            ...(forwardsAgent ? ["agent-forwarding" as const] : []),
          ],
        });
        return key;
      },
    },
  };
}
