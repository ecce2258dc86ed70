// Tokens and machine identities for tests.
import type { ApiToken, MachineIdentity, TokenList } from "@strongroom/contract";

const IN_A_MONTH = 30 * 86_400_000;
const AT = "2026-11-20T10:00:00.000Z";

export const TOKEN_CHOICES: TokenList["choices"] = {
  scopes: ["account.list", "account.read", "account.retrieve", "event.follow"],
  most_days: 90,
};

export const aToken = (fields: Partial<ApiToken> = {}): ApiToken => ({
  id: "33333333-3333-4333-8333-333333333333" as ApiToken["id"],
  name: "A token",
  begins: "srt_a1B2",
  holder: { id: "11111111-1111-4111-8111-111111111111" as ApiToken["holder"]["id"], name: "Dana Test", kind: "person" },
  scopes: ["read-only"],
  safes: null,
  networks: [],
  state: "active",
  created_at: AT,
  created_by: "Dana Test",
  expires_at: new Date(Date.now() + IN_A_MONTH).toISOString(),
  last_used_at: null,
  last_used_from: null,
  ...fields,
});

export const aMachine = (fields: Partial<MachineIdentity> = {}): MachineIdentity => ({
  id: "77777777-7777-4777-8777-777777777777" as MachineIdentity["id"],
  name: "Build server",
  email: "build-server@machine.invalid",
  description: "Deploys at night",
  role: "user",
  status: "active",
  responsible: { user_id: null, group_id: "66666666-6666-4666-8666-666666666666" as never, name: "Operators" },
  created_at: AT,
  active_tokens: 1,
  last_used_at: null,
  ...fields,
});
