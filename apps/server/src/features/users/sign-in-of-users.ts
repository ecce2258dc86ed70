// What managing people asks of signing in; that feature provides it, so that the two do not import each other.
import type { PendingReset } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface SignInOfUsers {
  /** Users without an open session are left out. */
  countOpenSessions(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Ends them when the transaction commits; answers how many there were. */
  endSessions(tx: Tx, userId: string): Promise<number>;
  /** Takes away what signing in knows of a person who is deleted: networks and resets under way. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  pendingResets(db: Db): Promise<PendingReset[]>;
  /** Replaces any earlier link of this person. The link holds a secret: it goes into the answer and nowhere else. */
  issueResetLink(tx: Tx, userId: string): Promise<{ link: string; expiresAt: Date }>;
}
