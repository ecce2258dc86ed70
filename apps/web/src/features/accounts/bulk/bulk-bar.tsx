// The bar of bulk actions: the number of selected accounts, the actions, and the result per account.
import { Button, Menu } from "@mantine/core";
import { IconChevronUp, IconRefresh, IconShieldCheck } from "@tabler/icons-react";
import { BULK_ACTIONS, type Account, type AccountId, type SafeId } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";
import { SafeChoice } from "../actions/account-action-dialogs.tsx";
import { bulkAccountAction, type AccountRun } from "./bulk-accounts.queries.ts";
import classes from "../list/accounts-page.module.css";
import { BulkResultDialog, type BulkResult } from "./bulk-result-dialog.tsx";
import { MAX_SELECTED, type Selection } from "./use-selection.ts";

const ACTIONS = [...BULK_ACTIONS, "rotate"] as const;
type BulkAction = (typeof ACTIONS)[number];

const WORDS: Record<BulkAction, { label: string; question: string; isDanger?: boolean }> = {
  rotate: {
    label: "Rotate",
    question: "Set a new password for each account, on its target system and here? The old passwords stop working.",
  },
  validate: { label: "Validate", question: "Log in to each target system with the stored password?" },
  enable: { label: "Enable", question: "Enable these accounts? They can be used and retrieved again." },
  disable: {
    label: "Disable",
    question: "Disable these accounts? They can no longer be used or retrieved, and active access ends.",
  },
  move: { label: "Move", question: "Move these accounts to another safe? Active access ends." },
  delete: {
    label: "Delete",
    question: "Delete these accounts? Their current and earlier passwords are destroyed immediately.",
    isDanger: true,
  },
};

/** Actions in the menu; validate and rotate have separate buttons. */
const IN_MENU = ACTIONS.filter((each) => each !== "validate" && each !== "rotate");

export interface BulkBarProps {
  selection: Selection;
  accounts: readonly Account[];
  /** Called when an action has started a background run. */
  onRun: (run: AccountRun) => void;
}

export function BulkBar({ selection, accounts, onRun }: BulkBarProps) {
  const ids = [...(selection.ids ?? [])];
  const [action, setAction] = useState<BulkAction | null>(null);
  const [result, setResult] = useState<BulkResult | null>(null);
  const isNone = ids.length === 0;
  return (
    <div className={classes.bulk} role="region" aria-label="Selected accounts">
      <p className={classes.selected} role="status">
        {counted(ids.length, "account")} selected
      </p>
      <Button
        variant="subtle"
        onClick={() => selection.selectOnly(accounts.slice(0, MAX_SELECTED).map(({ id }) => id))}
      >
        Select All
      </Button>
      <Button
        variant="light"
        leftSection={<IconShieldCheck size={16} aria-hidden />}
        disabled={isNone}
        onClick={() => setAction("validate")}
      >
        Validate
      </Button>
      <Button
        variant="light"
        leftSection={<IconRefresh size={16} aria-hidden />}
        disabled={isNone}
        onClick={() => setAction("rotate")}
      >
        Rotate
      </Button>
      <Menu position="top-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" disabled={isNone} rightSection={<IconChevronUp size={14} aria-hidden />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {IN_MENU.map((each) => (
            <Menu.Item
              key={each}
              c={WORDS[each].isDanger ? "var(--mantine-color-error)" : undefined}
              onClick={() => setAction(each)}
            >
              {WORDS[each].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" onClick={selection.end}>
        Done
      </Button>
      {action !== null && (
        <BulkDialog
          key={action}
          action={action}
          ids={ids}
          onClose={() => setAction(null)}
          onDone={(done) => {
            setResult(done);
            if (done.run !== null) onRun(done.run);
          }}
        />
      )}
      {/* Shown only after the open action dialog closes. */}
      <BulkResultDialog result={action === null ? result : null} accounts={accounts} onClose={() => setResult(null)} />
    </div>
  );
}

interface BulkDialogProps {
  action: BulkAction;
  ids: readonly string[];
  onClose: () => void;
  onDone: (result: BulkResult & { run: AccountRun | null }) => void;
}

function BulkDialog({ action, ids, onClose, onDone }: BulkDialogProps) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation(bulkAccountAction(client));
  const [safeId, setSafeId] = useState<string | null>(null);
  const { label, question, isDanger = false } = WORDS[action];
  const confirm = () => {
    if (action === "move" && safeId === null) return;
    mutate(
      { action, ids: ids as AccountId[], safeId: safeId as SafeId | null },
      {
        onSuccess: ({ done, failed, message, run }, isHere) => {
          if (failed.length === 0) toast.success(message);
          else if (!isHere) toast.error(message);
          if (isHere) onClose();
          onDone({ action: label, done, failed, run });
        },
        onError: (error, isHere) => {
          toast.error(messageOf(error), { title: `Failed to ${label.toLowerCase()} the accounts` });
          if (isHere) onClose();
        },
      },
    );
  };
  return (
    <ConfirmDialog
      opened
      title={`${label} ${counted(ids.length, "account")}`}
      variant={isDanger ? "danger" : "info"}
      confirmLabel={label}
      isBusy={isPending}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <p>{question}</p>
      {action === "move" && <SafeChoice value={safeId} onChange={setSafeId} />}
    </ConfirmDialog>
  );
}
