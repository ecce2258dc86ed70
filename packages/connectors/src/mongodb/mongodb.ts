// MongoDB users with a password (its messages spoken by ourselves, with the BSON of `mongodb`). Not proved against a real server, only against a double of ours.
import type { Connector } from "../connector.ts";
import { passwordAbilities } from "../password-abilities.ts";

/** `additional_params`: `auth_source` (`admin`) is the database that keeps the user. Facts of an account: `database`, `roles`. */
export const mongodb: Connector = {
  id: "mongodb",
  name: "MongoDB",
  types: ["mongodb", "database"],
  proven: false,
  ...passwordAbilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./set-password.ts")).changeOwn,
    reconcile: async () => (await import("./set-password.ts")).changeOther,
    checkReconcile: async () => (await import("./verify-login.ts")).checkRight,
    list: async () => (await import("./list-users.ts")).listUsers,
  }),
};
