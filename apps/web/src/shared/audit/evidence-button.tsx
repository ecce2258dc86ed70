// "Evidence": downloads all audit entries of a request or an account as one file that can be verified offline.
import { Button, type ButtonProps } from "@mantine/core";
import { IconFileCertificate } from "@tabler/icons-react";
import type { EvidenceSubject } from "@strongroom/contract";
import { useUser } from "#shared/session/session-store.ts";
import { useEvidence } from "./use-evidence.ts";

export interface EvidenceButtonProps {
  about: EvidenceSubject;
  id: string;
  /** The subject, for the button's accessible name: "this account". */
  name: string;
  size?: ButtonProps["size"];
  variant?: ButtonProps["variant"];
}

/** Renders nothing for users without access to the whole trail. */
export function EvidenceButton({ about, id, name, size = "compact-sm", variant = "subtle" }: EvidenceButtonProps) {
  const { role } = useUser();
  const { save, isPending } = useEvidence({ about, id });
  if (role === "user") return null;
  return (
    <Button
      size={size}
      variant={variant}
      leftSection={<IconFileCertificate size={15} aria-hidden />}
      aria-label={`Evidence about ${name}`}
      title="All audit entries with their proofs"
      onClick={save}
      loading={isPending}
    >
      Evidence
    </Button>
  );
}
