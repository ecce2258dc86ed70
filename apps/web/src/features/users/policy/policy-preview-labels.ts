// Texts for the preview of a sign-in policy: effects on the caller, on other users, and general notes.
import type {
  PersonEnding,
  PersonOutside,
  PersonWithoutFactor,
  PolicyPreview,
  SignInPolicy,
} from "@strongroom/contract";
import { capitalised, counted } from "#shared/format/text.ts";

interface PreviewPerson {
  id: string;
  name: string;
  email: string;
  /** The effect on the user. */
  says: string;
}

export interface PolicyPreviewPart {
  title: string;
  people: PreviewPerson[];
  /** The number of affected users who are not listed. */
  more: number;
}

const people = (count: number): string => counted(count, "person", "people");
const sentence = (parts: readonly (string | false)[]): string => parts.filter((part) => part !== false).join(", ");

/** Warnings for the caller, shown first. */
export function warningsOf({ you }: PolicyPreview): string[] {
  const { address, is_outside, lacks_factor, is_signed_out } = you;
  const warnings: string[] = [];
  if (is_outside) {
    warnings.push(
      `Your address ${address} is not in any of these networks. You cannot save this because it would lock you out.`,
    );
  }
  if (lacks_factor) warnings.push("You have no second factor. You would have to set one up at your next sign-in.");
  if (is_signed_out) warnings.push("You would be signed out as soon as you save.");
  return warnings;
}

/** The parts that affect at least one user. */
export function partsOf({ without_factor: lacking, outside, ending }: PolicyPreview): PolicyPreviewPart[] {
  const parts: PolicyPreviewPart[] = [
    {
      title: titleOfLacking(lacking),
      people: lacking.shown.map((person) => named(person, ofLacking(person))),
      more: lacking.people - lacking.shown.filter(({ has_provider_factor }) => !has_provider_factor).length,
    },
    {
      title: `${people(outside.people)} would be outside the allowed networks: ${sentence([
        counted(outside.sessions, "open session"),
        counted(outside.tokens, "API token"),
      ])}`,
      people: outside.shown.map((person) => named(person, ofOutside(person))),
      more: outside.people - outside.shown.length,
    },
    {
      title: `${people(ending.people)} would be signed out: ${sentence([
        ending.idle > 0 && `${counted(ending.idle, "session")} idle for too long`,
        ending.expired > 0 && `${counted(ending.expired, "session")} too old`,
      ])}`,
      people: ending.shown.map((person) => named(person, ofEnding(person))),
      more: ending.people - ending.shown.length,
    },
  ];
  return parts.filter(({ people: touched }) => touched.length > 0);
}

function titleOfLacking({ people: count, sessions, tokens }: PolicyPreview["without_factor"]): string {
  const ends = `${counted(sessions, "session")} would end`;
  if (count === 0) return `${ends}; these users sign in again with their provider's second factor`;
  const need = `${people(count)} would need a second factor and ${count === 1 ? "has" : "have"} none`;
  return `${need}: ${sentence([ends, tokens > 0 && `${counted(tokens, "API token")} would stop working`])}`;
}

const named = (
  { user_id: id, name, email }: PersonWithoutFactor | PersonOutside | PersonEnding,
  says: string,
): PreviewPerson => ({ id, name, email, says });

function ofLacking({ role, has_provider_factor, sessions, tokens }: PersonWithoutFactor): string {
  if (has_provider_factor) return `${capitalised(role)} with a second factor at the provider: must sign in again`;
  return sentence([
    capitalised(role),
    sessions > 0 && `${counted(sessions, "session")} would end`,
    tokens > 0 && `${counted(tokens, "API token")} would stop working`,
  ]);
}

const ofOutside = ({ role, addresses, sessions, tokens }: PersonOutside): string =>
  sentence([
    capitalised(role),
    `last seen at ${addresses.join(" and ")}`,
    sessions > 0 && counted(sessions, "open session"),
    tokens > 0 && counted(tokens, "API token"),
  ]);

const ofEnding = ({ role, idle, expired }: PersonEnding): string =>
  sentence([
    capitalised(role),
    idle > 0 && `${counted(idle, "session")} idle for too long`,
    expired > 0 && `${counted(expired, "session")} too old`,
  ]);

const SIGN_UP_NOTES: Record<SignInPolicy["sign_up"], string> = {
  closed: "New users would need an invitation.",
  domains: "People with an email address in these domains could sign up and would wait for activation.",
  activation: "Anyone who can reach this server could sign up and would wait for activation.",
  open: "Anyone who can reach this server could create an active account.",
};

/** Changes that affect no current user. */
export function notesOf(before: SignInPolicy, after: SignInPolicy, { proofs_over }: PolicyPreview): string[] {
  const notes: string[] = [];
  if (before.sign_up !== after.sign_up) notes.push(SIGN_UP_NOTES[after.sign_up]);
  const least = after.password_min_length;
  if (least > before.password_min_length) {
    notes.push(`New passwords would need at least ${least} characters. Existing passwords stay valid.`);
  }
  const privileged = after.privileged_password_min_length;
  if (privileged > before.privileged_password_min_length) {
    notes.push(
      `Managers and admins would need at least ${privileged} characters. They could still sign in with a shorter password, but could not confirm sensitive actions with it.`,
    );
  }
  if (after.allowed_networks.length === 0 && before.allowed_networks.length > 0) {
    notes.push("Users could sign in from any network.");
  }
  if (after.vault_wait_hours !== before.vault_wait_hours) {
    notes.push(
      `A vault would stay closed for ${after.vault_wait_hours} hours after a reset. Vaults that are already closed are not affected.`,
    );
  }
  const freed = before.mfa_required_roles.filter((role) => !after.mfa_required_roles.includes(role));
  for (const role of freed) notes.push(`The role ${capitalised(role)} would no longer require a second factor.`);
  if (proofs_over > 0) {
    notes.push(`${counted(proofs_over, "session")} would have to re-authenticate before the next sensitive action.`);
  }
  return notes;
}
