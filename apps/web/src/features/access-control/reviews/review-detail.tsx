// One access review: its progress, and the memberships to confirm or remove.
import { Button, Progress } from "@mantine/core";
import { IconArrowLeft, IconBell, IconDownload, IconLock } from "@tabler/icons-react";
import type { AccessReview } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { useUser } from "#shared/session/session-store.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import { close, exportOf, reminder, review } from "../access-control.queries.ts";
import { ReviewItems } from "./review-items.tsx";
import { UNREVIEWED_LABELS, dueLabel, progressOf, reviewerLabel, scopeLabel, stateOf } from "./review-labels.ts";
import classes from "../access-control.module.css";

export function ReviewDetail({ id }: { id: string }) {
  const detail = useQuery(review(id));
  return (
    <>
      <Link className={classes.back} to={`${paths.accessControl}?tab=reviews`}>
        <IconArrowLeft size={14} aria-hidden /> All reviews
      </Link>
      <Loaded query={detail} failureText="Failed to load this review">
        {(shown) => (
          <>
            <Summary review={shown} />
            <div className={classes.below}>
              <ReviewItems review={shown} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

function Summary({ review: shown }: { review: AccessReview }) {
  const isAdmin = useUser().role === "admin";
  const { label, tone } = stateOf(shown);
  const { total, open, confirmed, removed, gone, kept, lapsed } = shown.items;
  return (
    <SectionCard
      title={shown.name}
      description={`${scopeLabel(shown)}, reviewed by: ${reviewerLabel(shown)}`}
      actions={<Tag tone={tone}>{label}</Tag>}
    >
      <Progress className={classes.progress} value={progressOf(shown)} aria-label="Progress" />
      <p className={classes.decided}>
        {(total - open).toLocaleString()} of {counted(total, "membership")} decided
      </p>
      <Facts
        facts={[
          { name: "Due", value: dueLabel(shown) },
          { name: "Confirmed", value: confirmed.toLocaleString() },
          { name: "Removed", value: (removed + lapsed).toLocaleString() },
          { name: "Already gone", value: gone.toLocaleString() },
          { name: "Not reviewed", value: (open + kept + lapsed).toLocaleString() },
          { name: "Undecided memberships at close", value: UNREVIEWED_LABELS[shown.unreviewed] },
          { name: "Started by", value: shown.started_by },
          ...(shown.closed_at === null ? [] : [{ name: "Closed", value: absoluteTime(shown.closed_at) }]),
        ]}
      />
      {isAdmin && <Actions review={shown} />}
    </SectionCard>
  );
}

const ICON = 16;

function Actions({ review: shown }: { review: AccessReview }) {
  const client = useQueryClient();
  const [isClosing, setIsClosing] = useState(false);
  const { mutate: save, isPending: isSaving } = useMutation(exportOf(shown));
  const { mutate: remind, isPending: isReminding } = useMutation(reminder(client, shown.id));
  const { mutate: end, isPending: isEnding } = useMutation(close(client, shown.id));
  const failed = (title: string) => (error: unknown) => toast.error(messageOf(error), { title });
  const { open } = shown.items;
  return (
    <div className={classes.actions}>
      {(["csv", "json"] as const).map((format) => (
        <Button
          key={format}
          variant="default"
          size="compact-md"
          loading={isSaving}
          leftSection={<IconDownload size={ICON} aria-hidden />}
          onClick={() => save(format, { onError: failed("Failed to export") })}
        >
          {`Export ${format.toUpperCase()}`}
        </Button>
      ))}
      {shown.state === "open" && (
        <>
          <Button
            variant="default"
            size="compact-md"
            loading={isReminding}
            leftSection={<IconBell size={ICON} aria-hidden />}
            onClick={() =>
              remind(undefined, {
                onSuccess: ({ message }) => toast.success(message),
                onError: failed("Failed to send the reminder"),
              })
            }
          >
            Remind
          </Button>
          <Button
            size="compact-md"
            leftSection={<IconLock size={ICON} aria-hidden />}
            onClick={() => setIsClosing(true)}
          >
            Close Review
          </Button>
        </>
      )}
      <ConfirmDialog
        opened={isClosing}
        title="Close Review"
        variant={shown.unreviewed === "stays" || open === 0 ? "info" : "danger"}
        confirmLabel="Close Review"
        isBusy={isEnding}
        onCancel={() => setIsClosing(false)}
        onConfirm={() =>
          end(undefined, {
            onSuccess: () => toast.success("Review closed"),
            onError: failed("Failed to close review"),
            onSettled: () => setIsClosing(false),
          })
        }
      >
        <p>
          {open === 0
            ? "All memberships have been decided."
            : shown.unreviewed === "stays"
              ? `${counted(open, "undecided membership")} will be kept.`
              : `${counted(open, "undecided membership")} will be removed immediately.`}{" "}
          A closed review cannot be reopened.
        </p>
      </ConfirmDialog>
    </div>
  );
}
