// Runs one action of an account from another screen, with the dialogs of the account pages.
import type { Account, SearchAction } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { toast } from "#shared/ui/toast.ts";
import { useOnce } from "#shared/ui/use-once.ts";
import { RotateAccountDialog } from "./account-action-dialogs.tsx";
import { accountDetail } from "../accounts.queries.ts";
import { ACCOUNT_NOT_FOUND, isNotFound } from "../load-failure.ts";
import { usePasswordCopy } from "./use-password-copy.tsx";
import { useValidate } from "../validation/use-validate.ts";

type Act = Exclude<SearchAction, "connect" | "request">;

export default function AccountAct({ id, act }: { id: string; act: Act }) {
  const { data, error } = useQuery(accountDetail(id));
  useEffect(() => {
    if (error !== null) toast.error(isNotFound(error) ? ACCOUNT_NOT_FOUND : "Failed to load account");
  }, [error]);
  if (data === undefined) return null;
  const Part = PARTS[act];
  return <Part account={data} />;
}

function Copy({ account }: { account: Account }) {
  const { copy, dialog } = usePasswordCopy();
  useOnce(() => copy(account));
  return dialog;
}

function Verify({ account }: { account: Account }) {
  const { start } = useValidate(account);
  useOnce(() => {
    toast.custom(`Verifying ${account.name}...`);
    start();
  });
  return null;
}

function Rotate({ account }: { account: Account }) {
  const [isOpen, setIsOpen] = useState(true);
  return <RotateAccountDialog account={account} opened={isOpen} onClose={() => setIsOpen(false)} />;
}

const PARTS = { copy: Copy, verify: Verify, rotate: Rotate } satisfies Record<Act, unknown>;
