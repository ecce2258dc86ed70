// The list of API tokens: scopes, safes, expiry, last use and a button that revokes each.
import { Button } from "@mantine/core";
import { IconKey, IconRobot } from "@tabler/icons-react";
import type { ApiToken } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNow } from "#shared/format/now.ts";
import { counted } from "#shared/format/text.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { summaryOf, wordsOf } from "./scope-labels.ts";
import classes from "./tokens.module.css";
import type { Tone } from "#shared/ui/tone.ts";
import { revocation } from "./tokens.queries.ts";

const DAY = 86_400_000;

const SOON_DAYS = 7;

export function TokenRows({ tokens, label }: { tokens: readonly ApiToken[]; label: string }) {
  const [asked, setAsked] = useState<ApiToken | null>(null);
  return (
    <>
      <RowList label={label}>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => setAsked(token)} />
        ))}
      </RowList>
      <DeleteDialog
        opened={asked !== null}
        title="Revoke Token"
        confirmLabel="Revoke"
        mutation={revocation(useQueryClient(), asked?.id ?? "")}
        done="Token revoked"
        failed="Failed to revoke the token"
        onClose={() => setAsked(null)}
      >
        <p>
          Programs that use <strong>{asked?.name}</strong> lose access immediately and permanently.
        </p>
      </DeleteDialog>
    </>
  );
}

function TokenRow({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const { name, begins, holder, scopes, safes, networks, state } = token;
  const isMachine = holder.kind === "machine";
  return (
    <Row
      icon={
        isMachine ? <IconRobot size={18} stroke={1.6} aria-hidden /> : <IconKey size={18} stroke={1.6} aria-hidden />
      }
      name={
        <>
          {name} <code className={classes.begins}>{begins}…</code>
          {isMachine && <Tag>Machine: {holder.name}</Tag>}
          <EndTag token={token} />
        </>
      }
      isOver={state !== "active"}
      actions={
        (state === "active" || state === "suspended") && (
          <Button variant="default" size="compact-sm" onClick={onRevoke} aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        )
      }
    >
      <RowDetail>
        <span title={scopes.map(wordsOf).join(", ")}>{summaryOf(scopes)}</span>
        {safes !== null && (
          <span title={safes.map((safe) => safe.name).join(", ")}>
            {" "}
            · only in {safes.length === 1 ? safes[0]?.name : counted(safes.length, "safe", "safes")}
          </span>
        )}
        {networks.length > 0 && <span> · from {networks.join(", ")}</span>}
      </RowDetail>
      <RowDetail>
        Last used: <RelativeTime moment={token.last_used_at} />
        {token.last_used_from !== null && ` from ${token.last_used_from}`} · Created:{" "}
        <RelativeTime moment={token.created_at} />
        {isMachine && ` by ${token.created_by}`}
      </RowDetail>
    </Row>
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

function endOf(
  { state, expires_at }: Pick<ApiToken, "state" | "expires_at">,
  now: number,
): {
  text: string;
  tone: Tone;
} {
  if (state === "revoked") return { text: "Revoked", tone: "neutral" };
  if (state === "suspended") return { text: "Suspended", tone: "warning" };
  const left = new Date(expires_at).getTime() - now;
  if (state === "expired" || left <= 0) return { text: "Expired", tone: "danger" };
  const days = Math.round(left / DAY);
  const text = left < DAY ? "Expires within a day" : days === 1 ? "1 day left" : `${days} days left`;
  return { text, tone: days < SOON_DAYS ? "warning" : "info" };
}
