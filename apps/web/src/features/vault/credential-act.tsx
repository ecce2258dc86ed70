// Runs one action of a credential from another screen, with the dialogs of the vault pages.
import type { Credential, SearchAction } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { toast } from "#shared/ui/toast.ts";
import { useOnce } from "#shared/ui/use-once.ts";
import { credentialDetail } from "./credentials.queries.ts";
import { loadFailureText } from "./load-failure.ts";
import { RotateCredentialDialog } from "./detail/rotate-credential-dialog.tsx";
import { useCopySecret } from "./use-copy-secret.ts";
import { useVerify } from "./verification/use-verify.ts";

type Act = Exclude<SearchAction, "connect" | "request">;

export default function CredentialAct({ id, act }: { id: string; act: Act }) {
  const { data, error } = useQuery(credentialDetail(id));
  useEffect(() => {
    if (error !== null) toast.error(loadFailureText(error));
  }, [error]);
  if (data === undefined) return null;
  const Part = PARTS[act];
  return <Part credential={data} />;
}

function Copy({ credential }: { credential: Credential }) {
  const { copy } = useCopySecret(credential.id);
  useOnce(copy);
  return null;
}

function Verify({ credential }: { credential: Credential }) {
  const { start } = useVerify(credential, "detail");
  useOnce(() => {
    toast.custom(`Verifying ${credential.name}...`);
    start();
  });
  return null;
}

function Rotate({ credential }: { credential: Credential }) {
  const [isOpen, setIsOpen] = useState(true);
  return <RotateCredentialDialog credential={credential} opened={isOpen} onClose={() => setIsOpen(false)} />;
}

const PARTS = { copy: Copy, verify: Verify, rotate: Rotate } satisfies Record<Act, unknown>;
