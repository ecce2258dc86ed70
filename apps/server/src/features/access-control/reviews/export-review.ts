// Exports the result of a review as CSV or JSON. Names are escaped so that a spreadsheet never runs them as formulas.
import type { AccessReview, ReviewItem, exportAccessReview } from "@strongroom/contract";
import { Readable } from "node:stream";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { maskAddresses } from "#kernel/http/hide-addresses.ts";
import type { Download } from "#kernel/http/stream.ts";
import { csvLine } from "#kernel/spreadsheet-cell.ts";
import { reviewViewerOf, presentReview, toItem } from "./reviews.ts";
import * as store from "./reviews.store.ts";

const PAGE = 500;

type Column = [name: string, read: (item: ReviewItem, review: AccessReview) => string | number | null];

const COLUMNS: readonly Column[] = [
  ["safe", (item) => item.safe_name],
  ["member", (item) => item.name],
  ["email", (item) => item.email],
  ["kind", (item) => (item.group_id === null ? "person" : "group")],
  ["people", (item) => item.people],
  ["role", (item) => item.given.role],
  ["permissions", (item) => item.given.permissions.join(" ")],
  ["expires_at", (item) => item.given.expires_at],
  ["added_at", (item) => item.added_at],
  ["last_used_at", (item) => item.last_used_at],
  ["reviewer", (item) => item.reviewer_name],
  ["decision", (item) => item.decision],
  ["reason", (item) => item.reason],
  ["decided_by", (item) => item.decided_by],
  ["decided_at", (item) => item.decided_at],
  ["last_use_looked_up_days", (_, review) => review.use_days],
];

export async function exportReview(call: Call<typeof exportAccessReview>, db: Db, now: Date): Promise<Download> {
  const { format } = call.query;
  call.note({ target: { type: "access-review", id: call.params.id } });
  const review = await presentReview(db, call.actor, call.params.id);
  call.note({ target: { type: "access-review", id: review.id, name: review.name }, details: { format } });
  const pages = inPages(db, call.actor, review);
  return {
    body: Readable.from(format === "csv" ? csvOf(pages, review) : jsonOf(review, pages, now), { objectMode: false }),
    fileName: `access-review-${review.started_at.slice(0, 10)}.${format}`,
    type: format === "csv" ? "text/csv" : "application/json",
  };
}

/**
 * INVARIANT: email addresses are masked as in replies. This code masks them itself, because downloads are not encoded
 * by a schema.
 */
async function* inPages(db: Db, actor: Actor, review: AccessReview): AsyncGenerator<ReviewItem[]> {
  const viewer = reviewViewerOf(actor);
  const own = actor.email;
  let after: { name: string; id: string } | null = null;
  for (;;) {
    const query: store.ItemQuery = { show: "all", search: null, limit: PAGE, after };
    const rows: store.ItemRow[] = await store.listItems(db, viewer, review.id, query);
    const page = rows.slice(0, PAGE);
    if (page.length > 0) {
      const items = page.map((row) => toItem(row, review.state));
      yield viewer.byAddress ? items : (maskAddresses(items, own) as ReviewItem[]);
    }
    if (rows.length <= PAGE) return;
    const last = page.at(-1)!;
    after = { name: last.sort, id: last.id };
  }
}

async function* csvOf(pages: AsyncIterable<ReviewItem[]>, review: AccessReview): AsyncGenerator<string> {
  yield csvLine(COLUMNS.map(([name]) => name));
  for await (const page of pages) {
    yield page.map((item) => csvLine(COLUMNS.map(([, read]) => read(item, review)))).join("");
  }
}

async function* jsonOf(review: AccessReview, pages: AsyncIterable<ReviewItem[]>, now: Date): AsyncGenerator<string> {
  const head = JSON.stringify({ exported_at: now.toISOString(), review });
  yield `${head.slice(0, -1)},"items":[`;
  let isFirst = true;
  for await (const page of pages) {
    yield `${isFirst ? "" : ","}${page.map((item) => JSON.stringify(item)).join(",")}`;
    isFirst = false;
  }
  yield "]}\n";
}
