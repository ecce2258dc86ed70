// Binds the endpoints for access overviews, previews and reviews to their handlers.
import {
  closeAccessReview,
  decideReviewItem,
  decideReviewItems,
  exportAccessReview,
  listAccessPeople,
  listAccessReviews,
  listAccessSafes,
  listPersonAccounts,
  listPersonSafes,
  listReviewItems,
  previewAccessChange,
  readAccessPerson,
  readAccessReview,
  remindReviewers,
  startAccessReview,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import { findAccountsOf, findPeople, findVisibleSafes, findSafesOf, readOne } from "./access-control.ts";
import { decide } from "./reviews/decide-item.ts";
import { decideSeveral } from "./reviews/decide-items.ts";
import { exportReview } from "./reviews/export-review.ts";
import { close, findItems, findReviews, readOne as readReview, remindAll, start } from "./reviews/reviews.ts";
import type { ReviewContext } from "./reviews/reviews.ts";
import { preview } from "./preview/dry-run.ts";
import type { DryRunContext } from "./preview/dry-run.ts";

export function bindAccessControl(context: DryRunContext): void {
  const { kernel } = context;
  implement(kernel, listAccessPeople, findPeople);
  implement(kernel, readAccessPerson, readOne);
  implement(kernel, listPersonSafes, findSafesOf);
  implement(kernel, listPersonAccounts, findAccountsOf);
  implement(kernel, listAccessSafes, findVisibleSafes);
  implementInSteps(kernel, previewAccessChange, (call) => preview(context, call));
}

export function bindReviews(context: ReviewContext): void {
  const { kernel } = context;
  implement(kernel, listAccessReviews, findReviews);
  implement(kernel, readAccessReview, readReview);
  implement(kernel, listReviewItems, findItems);
  implement(kernel, startAccessReview, (call, tx) => start(context, call, tx));
  implement(kernel, decideReviewItem, (call, tx) => decide(context, call, tx));
  implementInSteps(kernel, decideReviewItems, (call) => decideSeveral(context, call));
  implement(kernel, remindReviewers, (call, tx) => remindAll(context, call, tx));
  implement(kernel, closeAccessReview, (call, tx) => close(context, call, tx));
  implementDownload(kernel, exportAccessReview, (call, db) => exportReview(call, db, kernel.clock.now()));
}
