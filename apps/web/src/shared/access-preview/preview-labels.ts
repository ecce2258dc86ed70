// Texts for the preview of a change: for all users together, and for one user.
import {
  SAFE_PERMISSION_LABELS,
  type AccessPreview,
  type PermissionChange,
  type PersonChange,
} from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";

export interface PreviewLine {
  kind: "gains" | "loses";
  what: string;
  /** The affected objects, such as "3 accounts". */
  where: string;
  /** A limitation of the loss, such as "2 after an approval". */
  note: string | null;
}

const whereOf = (accounts: number, safes: number): string =>
  accounts > 0 ? counted(accounts, "account") : `${counted(safes, "safe")} without accounts`;

function linesOfOne(change: PermissionChange): PreviewLine[] {
  const what = SAFE_PERMISSION_LABELS[change.permission];
  const { accounts_gained, accounts_lost, accounts_askable, safes_gained, safes_lost } = change;
  const lines: PreviewLine[] = [];
  // In a safe that requires approval a permission gives no access yet, so count accounts where there are any.
  if (accounts_gained > 0 || safes_gained > 0) {
    lines.push({ kind: "gains", what, where: whereOf(accounts_gained, safes_gained), note: null });
  }
  if (accounts_lost > 0 || safes_lost > 0) {
    const note = accounts_askable === 0 ? null : `${accounts_askable} still available with approval`;
    lines.push({ kind: "loses", what, where: whereOf(accounts_lost, safes_lost), note });
  }
  return lines;
}

/** Gains first, then losses, each in the order of the permissions. */
export function linesOf({ changes, grants_lost }: PersonChange): PreviewLine[] {
  const lines = changes.flatMap(linesOfOne);
  const ended: PreviewLine[] =
    grants_lost === 0
      ? []
      : [{ kind: "loses", what: "Active grants", where: counted(grants_lost, "account"), note: null }];
  return [...lines.filter(({ kind }) => kind === "gains"), ...lines.filter(({ kind }) => kind === "loses"), ...ended];
}

export function summaryOf({ people_gaining, people_losing, accounts }: AccessPreview): string {
  if (people_gaining + people_losing === 0) return "No one would gain or lose access.";
  const parts = [
    ...(people_gaining === 0 ? [] : [`${counted(people_gaining, "person", "people")} would gain`]),
    ...(people_losing === 0 ? [] : [`${counted(people_losing, "person", "people")} would lose access`]),
  ];
  const sentence = parts.join(", ").replace(/would gain$/, "would gain access");
  return `${sentence}, on ${counted(accounts, "account")}.`;
}

/** The minimum number of affected users who are not listed. */
export const unshown = ({ people, people_gaining, people_losing }: AccessPreview): number =>
  Math.max(0, Math.max(people_gaining, people_losing) - people.length);
