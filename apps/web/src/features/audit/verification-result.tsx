// The result of verifying the stored audit trail.
import { Alert } from "@mantine/core";
import { IconShieldCheck, IconShieldX } from "@tabler/icons-react";
import type { ReplyOf, verifyAudit } from "@strongroom/contract";
import { capitalised, counted } from "#shared/format/text.ts";
import classes from "./audit-page.module.css";

export function VerificationResult({ result }: { result: ReplyOf<typeof verifyAudit> }) {
  const entries = counted(result.checked, "entry", "entries");
  if (result.is_intact) {
    return (
      <Alert
        color="green"
        variant="light"
        role="status"
        icon={<IconShieldCheck aria-hidden />}
        title="The audit trail is intact"
      >
        {entries} checked against the tree and the signed checkpoints: nothing was changed, deleted, added or reordered.
      </Alert>
    );
  }
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<IconShieldX aria-hidden />}
      title="The audit trail was tampered with"
    >
      {counted(result.findings.length, "finding")} in {entries}:
      <ul className={classes.findings}>
        {result.findings.map((finding) => (
          <li key={`${finding.kind} ${finding.leaf_index} ${finding.message}`}>
            <strong>{capitalised(finding.kind)}</strong>: {finding.message}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
