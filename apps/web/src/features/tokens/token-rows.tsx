// API tokens below each other: what each may do, where, until when, when it was last used, and the button that revokes it.
import { Button } from "@mantine/core";
import { IconKey, IconRobot } from "@tabler/icons-react";
import type { ApiToken } from "@strongroom/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useNow } from "#shared/format/now.ts";
import { counted } from "#shared/format/text.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import { endOf } from "./token-end.ts";
import { summaryOf, wordsOf } from "./scope-words.ts";
import classes from "./tokens.module.css";
import { revocation } from "./tokens.queries.ts";

export function TokenRows({ tokens, label }: { tokens: readonly ApiToken[]; label: string }) {
  const [asked, setAsked] = useState<ApiToken | null>(null);
  const { mutate, isPending } = useMutation(revocation(useQueryClient()));
  const confirm = () => {
    if (asked === null) return;
    mutate(asked.id, {
      onSuccess: () => toast.success("Token revoked"),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to revoke the token" }),
      onSettled: () => setAsked(null),
    });
  };
  return (
    <>
      <ul className={classes.list} aria-label={label}>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => setAsked(token)} />
        ))}
      </ul>
      <ConfirmDialog
        opened={asked !== null}
        title="Revoke token"
        variant="danger"
        confirmLabel="Revoke"
        isBusy={isPending}
        onConfirm={confirm}
        onCancel={() => setAsked(null)}
      >
        <p>
          What uses <strong>{asked?.name}</strong> is refused at once, and for good.
        </p>
      </ConfirmDialog>
    </>
  );
}

function TokenRow({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const { name, begins, holder, scopes, safes, networks, state } = token;
  const isMachine = holder.kind === "machine";
  return (
    <li className={classes.row} data-over={state !== "active"}>
      {isMachine ? <IconRobot size={18} stroke={1.6} aria-hidden /> : <IconKey size={18} stroke={1.6} aria-hidden />}
      <div className={classes.text}>
        <p className={classes.name}>
          {name} <code className={classes.begins}>{begins}…</code>
          {isMachine && <Tag>Machine: {holder.name}</Tag>}
          <EndTag token={token} />
        </p>
        <p className={classes.detail}>
          <span title={scopes.map(wordsOf).join(", ")}>{summaryOf(scopes)}</span>
          {safes !== null && (
            <span title={safes.map((safe) => safe.name).join(", ")}>
              {" "}
              · only in {safes.length === 1 ? safes[0]?.name : counted(safes.length, "safe", "safes")}
            </span>
          )}
          {networks.length > 0 && <span> · from {networks.join(", ")}</span>}
        </p>
        <p className={classes.detail}>
          Last used: <RelativeTime moment={token.last_used_at} />
          {token.last_used_from !== null && ` from ${token.last_used_from}`} · Made:{" "}
          <RelativeTime moment={token.created_at} />
          {isMachine && ` by ${token.created_by}`}
        </p>
      </div>
      {state === "active" && (
        <Button
          className={classes.revoke}
          variant="default"
          size="compact-sm"
          onClick={onRevoke}
          aria-label={`Revoke ${name}`}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}

function EndTag({ token }: { token: ApiToken }) {
  const { text, tone } = endOf(token, useNow());
  return (
    <Tag tone={tone} title={absoluteTime(token.expires_at)}>
      {text}
    </Tag>
  );
}
