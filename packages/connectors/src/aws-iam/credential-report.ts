// Reads IAM's credential report: the age and last use of passwords and access keys, MFA, and the root account.
import { GenerateCredentialReportCommand, GetCredentialReportCommand, type IAMClient } from "@aws-sdk/client-iam";
import { setTimeout as delay } from "node:timers/promises";
import type { Attempt } from "../attempt.ts";

interface ReportedKey {
  number: 1 | 2;
  isActive: boolean;
  rotatedAt: string | null;
  lastUsedAt: string | null;
}

export interface ReportedUser {
  name: string;
  hasPassword: boolean | null;
  passwordChangedAt: string | null;
  passwordUsedAt: string | null;
  hasMfa: boolean;
  accessKeys: ReportedKey[];
}

/** The name of the root account in the report. */
export const ROOT = "<root_account>";

const MAX_WAITS = 10;
const WAIT_MS = 1000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Null when the key may not read the report, or AWS does not finish it in time. AWS renews it every four hours. */
export async function credentialReport(iam: IAMClient, attempt: Attempt): Promise<ReportedUser[] | null> {
  try {
    for (let waits = 0; waits < MAX_WAITS; waits += 1) {
      const { State } = await iam.send(new GenerateCredentialReportCommand({}));
      if (State === "COMPLETE") break;
      await delay(WAIT_MS, undefined, { signal: attempt.signal });
    }
    const { Content } = await iam.send(new GetCredentialReportCommand({}));
    return Content === undefined || Content.length > MAX_BYTES ? null : usersIn(Buffer.from(Content).toString("utf8"));
  } catch {
    // A key that can list users often cannot read the report.
    return null;
  }
}

/** The report's columns are named in its first line; AWS adds columns at the end. No field contains a comma or quote. */
function usersIn(text: string): ReportedUser[] {
  const [header = "", ...lines] = text.split(/\r?\n/);
  const columns = header.split(",");
  return lines.slice(0, 20_000).flatMap((line) => {
    const cells = line.split(",");
    const cell = (column: string) => cells[columns.indexOf(column)] ?? "";
    const name = cell("user");
    if (name !== ROOT && !/^[\w+=,.@-]{1,64}$/.test(name)) return [];
    const keyOf = (number: 1 | 2): ReportedKey[] => {
      const part = `access_key_${number}`;
      const rotatedAt = timeIn(cell(`${part}_last_rotated`));
      const isActive = cell(`${part}_active`) === "true";
      // A key that does not exist is reported as inactive and never rotated.
      if (!isActive && rotatedAt === null) return [];
      return [{ number, isActive, rotatedAt, lastUsedAt: timeIn(cell(`${part}_last_used_date`)) }];
    };
    const enabled = cell("password_enabled");
    return [
      {
        name,
        // `not_supported` for the root account.
        hasPassword: enabled === "true" ? true : enabled === "false" ? false : null,
        passwordChangedAt: timeIn(cell("password_last_changed")),
        passwordUsedAt: timeIn(cell("password_last_used")),
        hasMfa: cell("mfa_active") === "true",
        accessKeys: [...keyOf(1), ...keyOf(2)],
      },
    ];
  });
}

function timeIn(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text)) return null;
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}
