// MySQL and MariaDB users with a password (mysql2).
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";

/** Facts of `verified`: `serverVersion`, `tls` (`mode`, `protocol`). */
export const mysql: Connector = {
  id: "mysql",
  name: "MySQL or MariaDB",
  types: ["mysql", "database"],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const password = secret.reveal();
    // The driver stays out of memory until somebody verifies, and loading it takes nothing of the attempt's time.
    const { verifyLogin } = await import("./verify-login.ts");
    return attempt(context, (current) => verifyLogin(target, password, current));
  },
};
