// The list of access reviews with their progress, and the button that starts one.
import { Button, Progress } from "@mantine/core";
import { IconChecklist, IconPlus } from "@tabler/icons-react";
import type { AccessReview } from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { counted } from "#shared/format/text.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { reviews } from "../access-control.queries.ts";
import { dueLabel, progressOf, reviewerLabel, scopeLabel, stateOf } from "./review-labels.ts";
import { StartReviewDialog } from "./start-review-dialog.tsx";
import classes from "../access-control.module.css";

export function ReviewsTab({ isAdmin }: { isAdmin: boolean }) {
  const list = useInfiniteQuery(reviews);
  const [isStarting, setIsStarting] = useState(false);
  const startButton = isAdmin ? (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsStarting(true)}>
      Start Review
    </Button>
  ) : undefined;
  return (
    <>
      <Loaded query={list} failureText="Failed to load reviews">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.reviews);
          if (found.length === 0) {
            return (
              <EmptyState
                icon={IconChecklist}
                title="No reviews"
                text={
                  isAdmin ? "In a review, reviewers confirm or remove each membership." : "You have no access reviews."
                }
                action={startButton}
              />
            );
          }
          return (
            <>
              {isAdmin && <div className={classes.bar}>{startButton}</div>}
              <ul className={classes.reviews} aria-label="Reviews">
                {found.map((review) => (
                  <ReviewCard key={review.id} review={review} />
                ))}
              </ul>
              <LoadMore of={list} />
            </>
          );
        }}
      </Loaded>
      <StartReviewDialog opened={isStarting} onClose={() => setIsStarting(false)} />
    </>
  );
}

function ReviewCard({ review }: { review: AccessReview }) {
  const { label, tone } = stateOf(review);
  const { total, open, mine } = review.items;
  return (
    <li className={classes.review}>
      <div className={classes.rowHead}>
        <div className={classes.grow}>
          <Link className={classes.nameLink} to={`?tab=reviews&review=${review.id}`}>
            {review.name}
          </Link>
          <p className={classes.hint}>
            {scopeLabel(review)} · {reviewerLabel(review)} · due {dueLabel(review)}
          </p>
        </div>
        <div className={classes.tags}>
          {mine > 0 && <Tag tone="warning">{counted(mine, "decision")} for you</Tag>}
          <Tag tone={tone}>{label}</Tag>
        </div>
      </div>
      <Progress
        className={classes.progress}
        value={progressOf(review)}
        size="sm"
        aria-label={`Progress of ${review.name}`}
      />
      <p className={classes.hint}>
        {(total - open).toLocaleString()} of {counted(total, "membership")} decided
      </p>
    </li>
  );
}
