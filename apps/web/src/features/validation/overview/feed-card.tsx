// "Live Events": the latest validation events (VAL-44 to VAL-46, VAL-59).
import { Anchor } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { Link } from "react-router";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import type { Tone } from "#shared/ui/tone.ts";
import { FirstFew } from "./first-few.tsx";
import { EVENT_LABELS, type FeedEvent } from "./live-feed.ts";
import rows from "../accounts/rows.module.css";
import { secretPath } from "../accounts/secret-path.ts";

const TONES: Record<FeedEvent["type"], Tone> = {
  validation_started: "info",
  validation_completed: "success",
  validation_failed: "danger",
  critical_failure: "danger",
  jit_verification_status: "info",
  statistics_update: "neutral",
};

/** `feed` is sorted newest first. */
export function FeedCard({ feed }: { feed: readonly FeedEvent[] }) {
  return (
    <SectionCard title="Live Events">
      {feed.length === 0 ? (
        <EmptyState icon={IconActivity} title="No events yet" text="Validations appear here as they happen." />
      ) : (
        <FirstFew label="Live events" items={feed}>
          {(event) => <Row key={event.id} event={event} />}
        </FirstFew>
      )}
    </SectionCard>
  );
}

function Row({ event }: { event: FeedEvent }) {
  return (
    <li className={rows.event} data-tone={TONES[event.type]}>
      <div className={rows.text}>
        <p className={rows.name}>
          {EVENT_LABELS[event.type]}
          {event.name !== null && ": "}
          {event.name !== null && event.accountId !== null && (
            <Anchor
              component={Link}
              to={secretPath({ account_id: event.accountId, is_account: event.isAccount })}
              c="inherit"
              inherit
            >
              {event.name}
            </Anchor>
          )}
        </p>
        {event.message !== null && <p className={rows.detail}>{event.message}</p>}
      </div>
      <span className={rows.time}>
        <RelativeTime moment={event.timestamp} />
      </span>
    </li>
  );
}
