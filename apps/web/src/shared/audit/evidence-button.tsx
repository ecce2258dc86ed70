// "Evidence": everything on record about a request or an account as one file that can be checked without us.
import { Button, type ButtonProps } from "@mantine/core";
import { IconFileCertificate } from "@tabler/icons-react";
import type { EvidenceSubject } from "@strongroom/contract";
import { useUser } from "#shared/session/session-store.ts";
import { useEvidence } from "./use-evidence.ts";

export interface EvidenceButtonProps {
  about: EvidenceSubject;
  id: string;
  /** What it is about, for those who hear the button: "this account". */
  name: string;
  size?: ButtonProps["size"];
  variant?: ButtonProps["variant"];
}

/** Nothing for those who may not read the whole trail. */
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
      title="Everything on record, each entry with its proof"
      onClick={save}
      loading={isPending}
    >
      Evidence
    </Button>
  );
}
