// Sign-up: the first account becomes the administrator, every later one an ordinary user who may have requested another role.
import type { Role, SignInPolicy, UserId, register } from "@strongroom/contract";
import { UserId as Id } from "@strongroom/contract";
import type { RegistrationCode } from "@strongroom/contract";
import {
  findUserByEmail,
  lockPolicyShared,
  insertUser,
  nameFromEmail,
  readPolicy,
  requireAllowedNetwork,
  requireGoodPassword,
  rolesAtSignUp,
  statusAtSignUp,
  writeSignUpRule,
} from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { z } from "zod";
import { claimSetup, requireSetupToken } from "./setup.ts";
import type { SignInContext } from "../context.ts";

type Answer = { message: string; code: z.infer<typeof RegistrationCode> };

/** Creates the account but does not sign the user in (AUTH-36). */
export async function registerAccount(
  parts: SignInContext,
  call: SteppedCall<typeof register>,
  db: Db,
): Promise<Answer> {
  const { kernel, passwords } = parts;
  const { email, password, role: chosen } = call.body;
  const mayBeFirst = await requireSetupToken(kernel, db, call.body.setup_token);
  const policy = await readPolicy(db);
  requireAllowedNetwork(policy, call.request.ip);
  if (!mayBeFirst && statusAtSignUp(policy, email) === null) throw closed(policy);
  if (!mayBeFirst && call.body.sign_up !== undefined) throw notFirst();
  const name = call.body.name ?? nameFromEmail(email);
  requireGoodPassword(policy, { password, role: mayBeFirst ? "admin" : chosen, email, name });
  // The specification requires sign-up to report a taken address (see the threat model). Calls by visitors are
  // rate-limited.
  if ((await findUserByEmail(db, email)) !== undefined) throw taken();

  const hash = await passwords.hash(password, call.signal);
  const now = kernel.clock.now();
  const id: UserId = Id.parse(newId(now.getTime()));
  return call.commit(async (tx) => {
    const isFirst = mayBeFirst && (await claimSetup(tx));
    // Read the rule again under a lock: it may have been tightened while the password was hashed.
    const rule = await lockPolicyShared(tx);
    const status = isFirst ? "active" : statusAtSignUp(rule, email);
    if (status === null) throw closed(rule);
    if (isFirst && call.body.sign_up !== undefined) await writeSignUpRule(tx, call.body.sign_up);
    const { role, requestedRole } = isFirst ? { role: "admin" as Role, requestedRole: null } : rolesAtSignUp(chosen);
    const isNew = await insertUser(tx, {
      id,
      email,
      name,
      role,
      requested_role: requestedRole,
      status,
      password_hash: hash,
      created_at: now,
      last_signed_in_at: null,
    });
    if (!isNew) throw taken();
    call.note({
      actor: { id, name, role },
      target: { type: "user", id, name: email },
      details: {
        role,
        requested_role: requestedRole,
        status,
        ...(isFirst && call.body.sign_up !== undefined ? { sign_up: { ...call.body.sign_up } } : {}),
      },
    });
    if (status === "pending") {
      await parts.newcomers.current(tx, { id, name, email, requested_role: requestedRole });
    }
    if (isFirst) return { message: AS_ADMIN, code: "account.created-as-admin" };
    if (requestedRole === null) return { message: CREATED, code: "account.created" };
    return { message: roleRequested(requestedRole), code: "account.created-role-requested" };
  });
}

const CREATED = "Account created successfully! Please sign in with your new credentials.";
const AS_ADMIN = "Administrator account created. Please sign in with your new credentials.";
const roleRequested = (role: Role) =>
  `Account created successfully! You can sign in as a user while an administrator reviews your request for the role ${role}.`;

const closed = ({ sign_up }: Pick<SignInPolicy, "sign_up">) =>
  sign_up === "domains"
    ? refuse(403, "sign-up.other-domain", "Sign-up is not open to this email address. Please ask an administrator.")
    : refuse(403, "sign-up.closed", "Sign-up is closed. Please ask an administrator for an account.");

const notFirst = () =>
  refuse(
    403,
    "sign-up.not-first",
    "Only the first administrator can choose who can sign up. Sign up without this setting.",
  );

const taken = () =>
  refuse(409, "account.exists", "An account with this email already exists. Please try signing in instead.");
