// Binds the calls about who has what, what would change, and reviews.
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
import { findAccountsOf, findPeople, findSafesInto, findSafesOf, readOne } from "./access-control.ts";
import { decide } from "./decide-item.ts";
import { decideSeveral } from "./decide-items.ts";
import { exportReview } from "./export-review.ts";
import { close, findItems, findReviews, readOne as readReview, remindAll, start } from "./reviews.ts";
import type { ReviewSite } from "./reviews.ts";
import { preview } from "./rehearse.ts";
import type { Rehearsed } from "./rehearse.ts";

export function bindAccessControl(site: Rehearsed): void {
  const { kernel } = site;
  implement(kernel, listAccessPeople, findPeople);
  implement(kernel, readAccessPerson, readOne);
  implement(kernel, listPersonSafes, findSafesOf);
  implement(kernel, listPersonAccounts, findAccountsOf);
  implement(kernel, listAccessSafes, findSafesInto);
  implementInSteps(kernel, previewAccessChange, (call) => preview(site, call));
}

export function bindReviews(site: ReviewSite): void {
  const { kernel } = site;
  implement(kernel, listAccessReviews, findReviews);
  implement(kernel, readAccessReview, readReview);
  implement(kernel, listReviewItems, findItems);
  implement(kernel, startAccessReview, (call, tx) => start(site, call, tx));
  implement(kernel, decideReviewItem, (call, tx) => decide(site, call, tx));
  implementInSteps(kernel, decideReviewItems, (call) => decideSeveral(site, call));
  implement(kernel, remindReviewers, (call, tx) => remindAll(site, call, tx));
  implement(kernel, closeAccessReview, (call, tx) => close(site, call, tx));
  implementDownload(kernel, exportAccessReview, (call, db) => exportReview(call, db, kernel.clock.now()));
}
