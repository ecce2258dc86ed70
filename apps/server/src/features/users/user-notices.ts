// Notifies administrators about accounts that are waiting for activation, and the accounts' users when they are activated.
import type { Notify, Settle } from "#features/notifications/index.ts";
import type { Tx } from "#kernel/db/database.ts";

export interface Newcomer {
  id: string;
  name: string;
  email: string;
  requested_role: string | null;
}

export interface UserNotices {
  waiting(tx: Tx, newcomer: Newcomer): Promise<void>;
  activated(tx: Tx, userId: string, by: string): Promise<void>;
  /** Marks the administrators' notifications about pending accounts as resolved. */
  noneWaiting(tx: Tx): Promise<void>;
}

const WAITING = "waiting";
const WAITING_LIST = "/admin?tab=role-requests";

export function createUserNotices({ notify, settle }: { notify: Notify; settle: Settle }): UserNotices {
  return {
    waiting: (tx, { id, name, email, requested_role: role }) =>
      notify(tx, {
        to: { users: [], roles: ["admin"] },
        type: "user_activation",
        title: "An account is waiting for activation",
        message: `${name} (${email}) signed up${role === null ? "" : ` and requested the role ${role}`}. The address is not verified.`,
        severity: "medium",
        actionRequired: true,
        metadata: { user_id: id, user_name: name, requested_role: role },
        link: WAITING_LIST,
        fold: {
          key: WAITING,
          title: "{n} accounts are waiting for activation",
          link: WAITING_LIST,
          subject: { key: id, name: email },
        },
      }),
    activated: (tx, userId, by) =>
      notify(tx, {
        to: { users: [userId] },
        type: "user_activation",
        title: "Your account is active",
        message: `${by} activated your account. You can now use everything that your role allows.`,
        severity: "low",
        actionRequired: false,
        metadata: {},
        link: "/",
      }),
    noneWaiting: (tx) =>
      settle(tx, {
        to: { users: [], roles: ["admin"] },
        type: "user_activation",
        dedupeKey: WAITING,
        message: "No accounts are waiting for activation.",
      }),
  };
}
