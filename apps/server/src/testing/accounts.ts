// Platforms and accounts for tests, created through the real calls.
import { NewPlatform, createAccount, createPlatform } from "@strongroom/contract";
import type { Account, InputOf, Platform, Safe } from "@strongroom/contract";
import { aSecret } from "./credentials.ts";
import { firstAdmin } from "./people.ts";
import type { TestPerson } from "./people.ts";
import type { TestApp } from "./test-app.ts";

type PlatformFields = NonNullable<InputOf<typeof createPlatform>["body"]>;
type AccountFields = NonNullable<InputOf<typeof createAccount>["body"]>;

/** A platform without any requirement. */
export const aPolicy: NewPlatform = NewPlatform.parse({
  name: "A platform",
  system_type: "Application",
  connection_method: "HTTPS",
  verify_every_hours: 24,
  rotate_every_days: null,
  rotation_notice_days: 7,
  password_rules: {
    length: 24,
    max_length: 64,
    min_lowercase: 1,
    min_uppercase: 1,
    min_digits: 1,
    min_symbols: 1,
    symbols: "!#%+-.:=@_~",
    forbidden_characters: "",
    begins_with_letter: true,
    history: 5,
  },
  reconcile_account_id: null,
  exclusive_check_out: false,
  rotate_after_check_in: false,
  one_time_password: false,
  approvals_level_1: 0,
  approvals_level_2: 0,
  approve_extensions: true,
  reason_required: false,
  ticket_required: false,
  default_duration_minutes: 60,
  max_duration_minutes: 1440,
  session_recording_required: false,
});

let count = 0;

/** A platform with only the given requirements, created by the first administrator. */
export async function aPlatform(app: TestApp, fields: Partial<PlatformFields> = {}): Promise<Platform> {
  const admin = await firstAdmin(app);
  count += 1;
  const body = { ...aPolicy, name: `Platform ${count}`, ...fields };
  const made = await app.call(createPlatform, { body, as: admin.token });
  if (made.status !== 201) throw new Error(made.text);
  return made.body;
}

/** An account in this safe, on a platform without requirements unless the fields name one. It cannot be verified. */
export async function anAccount(
  app: TestApp,
  owner: TestPerson,
  safe: Pick<Safe, "id">,
  fields: Partial<AccountFields> = {},
): Promise<Account & { password: string }> {
  count += 1;
  const platform_id = fields.platform_id ?? (await aPlatform(app)).id;
  const password = fields.password ?? aSecret();
  const body: AccountFields = {
    name: `Account ${count}`,
    hostname: "app.example.com",
    username: "service",
    system_type: "Application",
    connection_method: "HTTPS",
    ...fields,
    safe_id: safe.id,
    platform_id,
    password,
  };
  const made = await app.call(createAccount, { body, as: owner.token });
  if (made.status !== 201) throw new Error(made.text);
  return { ...made.body, password };
}
