// A good body for every call that takes one, so that a refusal in a test is never about the body.
import type { NamedEndpoint } from "@strongroom/contract/all";
import { usualPolicy } from "./sign-in-policy.ts";

const id = "0190c0de-0000-7000-8000-00000000beef";

const BODIES: Record<string, unknown> = {
  login: { email: "nobody@example.com", password: "a password" },
  register: { email: "somebody@example.com", password: "a password", role: "user" },
  requestPasswordReset: { email: "nobody@example.com" },
  completePasswordReset: { token: "not-a-token-that-exists", password: "a password" },
  changePassword: { current_password: "a password", new_password: "another password" },
  unseal: { passphrase: "not the passphrase" },
  changeUserRole: { role: "user" },
  setUserStatus: { status: "disabled" },
  decideRoleRequest: { decision: "deny" },
  updateSignInPolicy: usualPolicy,
  createCredential: { name: "A name", type: "password", value: "a secret value" },
  updateCredential: { name: "A name", type: "password" },
  revealCredential: {},
  verifyMultiple: { credential_ids: [id] },
  acceptHostKey: { fingerprint: "SHA256:none" },
  updateDashboardPreferences: {},
  updateNotificationPreferences: {},
  createSafe: { name: "A safe" },
  updateSafe: { name: "A safe" },
  addSafeMember: { user_id: id, role: "user" },
  updateSafeMember: { role: "user" },
  createGroup: { name: "A group" },
  updateGroup: { name: "A group" },
  addGroupMember: { user_id: id },
};

/** Throws for a call that has a body and no sample here: add one. */
export function sampleBody({ name, endpoint }: NamedEndpoint): unknown {
  if (endpoint.body === undefined) return undefined;
  if (!(name in BODIES)) throw new Error(`add a sample body for ${name}`);
  return BODIES[name];
}
