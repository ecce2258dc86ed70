// Lists, creates and deletes saved views.
import { MOST_VIEWS } from "@strongroom/contract";
import type {
  Message,
  Permission,
  SavedView,
  Scope,
  ViewList,
  createSavedView,
  deleteSavedView,
  listSavedViews,
} from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import { hasPermission } from "#kernel/authz/authorise.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { countViews, deleteView, findViews, insertView, lockView } from "./saved-views.store.ts";
import type { SavedViewRow } from "./saved-views.store.ts";

type Who = Pick<Actor, "id" | "role">;

const isOwn = (row: SavedViewRow, actor: Who): boolean => row.user_id === actor.id;

/** Administrators can delete views that others share with everyone. */
const canDelete = (row: SavedViewRow, actor: Who): boolean =>
  isOwn(row, actor) || (row.is_shared && actor.role === "admin");

const toView = (row: SavedViewRow, actor: Who): SavedView => ({
  id: row.id,
  list: row.list,
  name: row.name,
  filters: row.filters,
  is_shared: row.is_shared,
  is_own: isOwn(row, actor),
  can_delete: canDelete(row, actor),
  created_at: row.created_at.toISOString(),
});

/** The permissions required for lists that not every user can open. */
const LIST_NEEDS: Partial<Record<ViewList, Permission & Scope>> = { audit: "audit.read", users: "user.list" };

function canOpen(kernel: Kernel, actor: Actor, list: ViewList): boolean {
  const needs = LIST_NEEDS[list];
  return needs === undefined || hasPermission(kernel.authority, actor, needs);
}

function requireList(kernel: Kernel, actor: Actor, list: ViewList): void {
  if (!canOpen(kernel, actor, list)) throw refuse(403, "saved-view.list-closed", "You cannot open this list.");
}

/** Throws 403 if the caller cannot open the list. */
export async function list(
  kernel: Kernel,
  { actor, query }: Call<typeof listSavedViews>,
  db: Db,
): Promise<{ views: SavedView[] }> {
  requireList(kernel, actor, query.list);
  return { views: (await findViews(db, actor.id, query.list)).map((row) => toView(row, actor)) };
}

export async function create(kernel: Kernel, call: Call<typeof createSavedView>, tx: Tx): Promise<SavedView> {
  const { actor, body } = call;
  requireList(kernel, actor, body.list);
  if ((await countViews(tx, actor.id)) >= MOST_VIEWS)
    throw refuse(409, "saved-view.too-many", `You can save at most ${MOST_VIEWS} views. Delete one first.`);
  const at = kernel.clock.now();
  const row = { ...body, id: newId(at.getTime()) as SavedView["id"], user_id: actor.id, created_at: at };
  await insertView(tx, row);
  call.note({ target: targetOf(row), details: { list: row.list, is_shared: row.is_shared } });
  return toView(row, actor);
}

/** Throws 404 for a view that the caller cannot see, and 403 for the shared view of another user. */
export async function remove(kernel: Kernel, call: Call<typeof deleteSavedView>, tx: Tx): Promise<Message> {
  const { id } = call.params;
  call.note({ target: { type: "saved-view", id } });
  const row = await lockView(tx, call.actor.id, id);
  if (row === null || !(isOwn(row, call.actor) || canOpen(kernel, call.actor, row.list)))
    throw refuse(404, "saved-view.not-found", "View not found");
  call.note({ target: targetOf(row) });
  if (!canDelete(row, call.actor))
    throw refuse(403, "saved-view.not-own", "Only the user who shared this view and administrators can delete it.");
  await deleteView(tx, id);
  return { message: `View "${row.name}" deleted` };
}

const targetOf = ({ id, name }: SavedViewRow) => ({ type: "saved-view", id, name });
