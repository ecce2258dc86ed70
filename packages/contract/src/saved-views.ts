// Saved views: named filters of a list, for their user or for everyone who can open the list.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, oneLine } from "./fields.ts";

export const SavedViewId = z.uuid().brand<"SavedViewId">();
export type SavedViewId = z.infer<typeof SavedViewId>;

/** The lists that have views. Views of `users` and `audit` are only for callers who may read those lists. */
export const VIEW_LISTS = ["accounts", "safes", "users", "credentials", "requests", "audit"] as const;
export const ViewList = z.enum(VIEW_LISTS);
export type ViewList = z.infer<typeof ViewList>;

const MOST_FILTERS = 20;

/** Parts of the list's address. A list ignores the parts and values that it does not know. */
export const ViewFilters = z
  .record(z.string().regex(/^[a-z]{1,20}$/, "Not a filter"), oneLine().min(1).max(200))
  .refine((filters) => Object.keys(filters).length <= MOST_FILTERS, `At most ${MOST_FILTERS} filters`);
export type ViewFilters = z.infer<typeof ViewFilters>;

/** INVARIANT: a view of another user reveals its name and its filters, not its user, and no name of what the filters select. */
export const SavedView = z.object({
  id: SavedViewId,
  list: ViewList,
  name: z.string(),
  filters: z.record(z.string(), z.string()),
  is_shared: z.boolean(),
  is_own: z.boolean(),
  /** By its user, and by administrators if it is shared. */
  can_delete: z.boolean(),
  created_at: Moment,
});
export type SavedView = z.infer<typeof SavedView>;

export const NewSavedView = z.strictObject({
  list: ViewList,
  name: oneLine("Give the view a name").min(1, "Give the view a name").max(60),
  filters: ViewFilters,
  is_shared: z.boolean(),
});
export type NewSavedView = z.infer<typeof NewSavedView>;

/** The number of views that a user can have. */
export const MOST_VIEWS = 100;

const viewsPath = "/api/v1/saved-views";
const byId = z.object({ id: SavedViewId });

export const listSavedViews = endpoint({
  method: "GET",
  path: viewsPath,
  summary: "The caller's views of a list and the shared ones, by name; at most 200 shared ones, newest first",
  query: z.object({ list: ViewList }),
  reply: z.object({ views: z.array(SavedView) }),
  needs: "signed-in",
  audit: "none",
});

export const createSavedView = endpoint({
  method: "POST",
  path: viewsPath,
  summary: "Save the filters of a list as a view",
  body: NewSavedView,
  reply: SavedView,
  status: 201,
  needs: "signed-in",
  audit: "saved-view.created",
  gives: "nothing",
});

export const deleteSavedView = endpoint({
  method: "DELETE",
  path: `${viewsPath}/:id`,
  summary: "Delete a view, including for those with whom it is shared",
  params: byId,
  reply: Message,
  needs: "signed-in",
  audit: "saved-view.deleted",
  gives: "nothing",
  thing: "saved-view",
});
