// "Who Can Access This": every user who can use or retrieve an account now, and the source of that access.
import { IconUserOff } from "@tabler/icons-react";
import type { AccessPath, EffectiveAccess } from "@strongroom/contract";
import type { ReactNode } from "react";
import { useNow } from "#shared/format/now.ts";
import { nearTime } from "#shared/format/time.ts";
import classes from "./access-list.module.css";
import { EmptyState } from "./states.tsx";
import { Tag } from "./tag.tsx";
import type { Tone } from "./tone.ts";

const KINDS: Record<AccessPath["kind"], { words: string; tone: Tone }> = {
  member: { words: "Member as", tone: "neutral" },
  group: { words: "Through the group", tone: "neutral" },
  grant: { words: "Temporary access:", tone: "info" },
  "break-glass": { words: "Emergency access:", tone: "danger" },
};

const CAN = { use: "use", retrieve: "see the password" } as const;

export interface AccessListProps {
  access: readonly EffectiveAccess[];
  /** Below the list, such as Load more. */
  footer?: ReactNode;
}

export function AccessList({ access, footer }: AccessListProps) {
  if (access.length === 0) {
    return <EmptyState icon={IconUserOff} title="No access" text="No user can use or retrieve it now." />;
  }
  return (
    <>
      <ul className={classes.people} aria-label="People with access">
        {access.map((person) => (
          <li key={`${person.user_id}/${person.account_id ?? ""}`} className={classes.person}>
            <div className={classes.who}>
              <span className={classes.name}>{person.name}</span>
              <span className={classes.email}>{person.email}</span>
            </div>
            <ul className={classes.paths}>
              {person.paths.map((path, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- two paths may read alike
                <Path key={at} path={path} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {footer}
    </>
  );
}

function Path({ path }: { path: AccessPath }) {
  const now = useNow();
  const { words, tone } = KINDS[path.kind];
  return (
    <li className={classes.path}>
      <Tag tone={path.needs_approval ? "warning" : tone}>
        Can {path.can.map((each) => CAN[each]).join(" and ")}
        {path.needs_approval && " after approval"}
      </Tag>
      <span>
        {words} <strong>{path.through}</strong>
        {path.expires_at !== null && `, until ${nearTime(path.expires_at, now)}`}
      </span>
    </li>
  );
}
