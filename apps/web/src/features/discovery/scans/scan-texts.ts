// Texts about a basic scan, for rows, the table and its details. Pure.
import type { DiscoveryScan } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";

export type ScanDialog = "details" | "cancel";
export type OpenScan = (scan: DiscoveryScan, dialog: ScanDialog) => void;

/** SCAN-12, SCAN-13. */
export function foundText({ status, metadata }: DiscoveryScan): string {
  if (status === "failed") return "0 (Scan Failed)";
  return metadata?.accounts_discovered?.toLocaleString() ?? "Pending";
}

export const progressText = ({ phase, accounts }: NonNullable<DiscoveryScan["progress"]>): string => {
  const found = accounts === null ? "accounts" : counted(accounts, "account");
  const texts = {
    waiting: "Waiting for the target to answer",
    listing: `Listing accounts: ${found} so far`,
    storing: `Storing ${found}`,
  } as const;
  return texts[phase];
};
