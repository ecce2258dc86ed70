// The memberships of a review, each with its permissions, last use and decision.
import { Button, Checkbox, SegmentedControl } from "@mantine/core";
import { IconCheck, IconChecks, IconTrash, IconUser, IconUsersGroup } from "@tabler/icons-react";
import { SAFE_ROLE_LABELS, type AccessReview, type ReviewItem } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { choiceOf, searchOf, withParam } from "#shared/format/address.ts";
import { counted } from "#shared/format/text.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import { permissionList, permissionSummary } from "../access-labels.ts";
import { decision, reviewItems } from "../access-control.queries.ts";
import { RemoveItemDialog, RemoveSeveralDialog } from "./remove-item-dialog.tsx";
import { ReviewBulkBar, showBulkResult } from "./review-bulk-bar.tsx";
import { DECISIONS, obstacleOf, unusedFor } from "./review-labels.ts";
import classes from "../access-control.module.css";

const SHOWS = ["open", "decided", "all"] as const;

export function ReviewItems({ review }: { review: AccessReview }) {
  const [params, setParams] = useSearchParams();
  const isOpen = review.state === "open";
  const show = isOpen ? choiceOf(params, "show", SHOWS) : "all";
  const list = useInfiniteQuery({
    ...reviewItems(review.id, { show, search: searchOf(params) }),
    placeholderData: keepPreviousData,
  });
  const [leaving, setLeaving] = useState<ReviewItem | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const [severalLeaving, setSeveralLeaving] = useState<readonly string[]>([]);
  const [isAskingSeveral, setIsAskingSeveral] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string, isChosen: boolean): void =>
    setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((each) => each !== id)));
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Memberships">
        <AddressSearch label="Search memberships" placeholder="Search by safe, person or group" />
        {isOpen && (
          <SegmentedControl
            aria-label="Decision"
            data={[
              { value: "open", label: "To decide" },
              { value: "decided", label: "Decided" },
              { value: "all", label: "All" },
            ]}
            value={show}
            onChange={(next) =>
              setParams((before) => withParam(before, "show", next === "open" ? "" : next), { replace: true })
            }
          />
        )}
      </div>
      <Loaded query={list} failureText="Failed to load memberships">
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          const open = items.filter((item) => item.can_decide);
          if (items.length === 0) {
            return show === "open" && searchOf(params) === undefined ? (
              <EmptyState icon={IconChecks} title="Nothing left to decide" text="All memberships have been decided." />
            ) : (
              <EmptyState icon={IconChecks} title="No memberships found" />
            );
          }
          return (
            <div className={classes.card}>
              {open.length > 1 && (
                <ReviewBulkBar
                  reviewId={review.id}
                  items={open}
                  chosen={chosen}
                  onChoose={(ids) => setChosen(new Set(ids))}
                  onRemove={(ids) => {
                    setSeveralLeaving(ids);
                    setIsAskingSeveral(true);
                  }}
                />
              )}
              <ul className={classes.rows} aria-label="Memberships">
                {items.map((item) => (
                  <ItemRow
                    key={item.id}
                    item={item}
                    review={review}
                    isChosen={open.length > 1 ? chosen.has(item.id) : null}
                    onChoose={(isChosen) => choose(item.id, isChosen)}
                    onRemove={() => {
                      setLeaving(item);
                      setIsAsking(true);
                    }}
                  />
                ))}
              </ul>
              <LoadMore of={list} />
            </div>
          );
        }}
      </Loaded>
      <RemoveSeveralDialog
        key={String(isAskingSeveral)}
        reviewId={review.id}
        ids={severalLeaving}
        opened={isAskingSeveral}
        onClose={() => setIsAskingSeveral(false)}
        onDone={(reply) => {
          showBulkResult(reply);
          setChosen(new Set());
        }}
      />
      {leaving !== null && (
        <RemoveItemDialog
          key={leaving.id}
          reviewId={review.id}
          item={leaving}
          opened={isAsking}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

interface ItemRowProps {
  item: ReviewItem;
  review: AccessReview;
  /** Null hides the checkbox. */
  isChosen: boolean | null;
  onChoose: (isChosen: boolean) => void;
  onRemove: () => void;
}

const ICON = 16;

function ItemRow({ item, review, isChosen, onChoose, onRemove }: ItemRowProps) {
  const { mutate, isPending } = useMutation(decision(useQueryClient(), review.id));
  const obstacle = obstacleOf(item, review.state === "open");
  const confirm = () =>
    mutate(
      { item, body: { decision: "confirmed" } },
      { onError: (error) => toast.error(messageOf(error), { title: "Failed to confirm" }) },
    );
  const where = `${item.name} in ${item.safe_name}`;
  return (
    <li className={classes.row} data-has-choice={isChosen !== null}>
      <div className={classes.rowHead}>
        {item.can_decide && isChosen !== null && (
          <Checkbox
            className={classes.choose}
            aria-label={`Select ${where}`}
            checked={isChosen}
            onChange={(event) => onChoose(event.currentTarget.checked)}
          />
        )}
        <div className={classes.grow}>
          <span className={classes.name}>
            {item.group_id === null ? (
              <IconUser size={ICON} aria-hidden />
            ) : (
              <IconUsersGroup size={ICON} aria-label="Group" />
            )}
            {item.name}
          </span>
          <p className={classes.hint}>
            {item.group_id === null ? item.email : counted(item.people ?? 0, "person", "people")} · in{" "}
            <strong>{item.safe_name}</strong>
          </p>
        </div>
        {item.decision !== null && <Tag tone={DECISIONS[item.decision].tone}>{DECISIONS[item.decision].label}</Tag>}
        {item.can_decide && (
          <div className={classes.decide}>
            <Button
              size="compact-md"
              variant="light"
              color="green"
              leftSection={<IconCheck size={ICON} aria-hidden />}
              loading={isPending}
              aria-label={`Confirm ${where}`}
              onClick={confirm}
            >
              Confirm
            </Button>
            <Button
              size="compact-md"
              variant="light"
              color="red"
              leftSection={<IconTrash size={ICON} aria-hidden />}
              disabled={isPending}
              aria-label={`Remove ${where}`}
              onClick={onRemove}
            >
              Remove
            </Button>
          </div>
        )}
      </div>
      <p className={classes.line}>
        <strong>{SAFE_ROLE_LABELS[item.given.role]}</strong>{" "}
        <span title={permissionList(item.given.permissions)}>{permissionSummary(item.given.permissions)}</span>
        {item.given.expires_at !== null && `, until ${absoluteTime(item.given.expires_at)}`}
      </p>
      {item.given_now !== null && (
        <p className={classes.line}>
          <Tag tone="warning">Changed since</Tag> Now <strong>{SAFE_ROLE_LABELS[item.given_now.role]}</strong>{" "}
          <span title={permissionList(item.given_now.permissions)}>
            {permissionSummary(item.given_now.permissions)}
          </span>
        </p>
      )}
      <p className={classes.hint}>
        Member since <RelativeTime moment={item.added_at} /> · last used{" "}
        <RelativeTime moment={item.last_used_at} none={unusedFor(review)} />
        {item.decision === null && ` · reviewer: ${item.reviewer_name ?? "an administrator"}`}
      </p>
      {item.decided_by !== null && item.decided_at !== null && (
        <p className={classes.hint}>
          By {item.decided_by} <RelativeTime moment={item.decided_at} />
          {item.reason !== null && `: ${item.reason}`}
        </p>
      )}
      {item.decided_by === null && item.reason !== null && <p className={classes.hint}>{item.reason}</p>}
      {obstacle !== null && <p className={classes.hint}>{obstacle}</p>}
    </li>
  );
}
