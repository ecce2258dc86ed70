// Saved views of lists: queries and mutations.
import {
  createSavedView,
  deleteSavedView,
  listSavedViews,
  type NewSavedView,
  type SavedView,
  type ViewList,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

const PATH = "/api/v1/saved-views";

export const savedViews = (list: ViewList) => queryOf(listSavedViews, { query: { list } });

export async function saveView(client: QueryClient, body: NewSavedView): Promise<SavedView> {
  const view = await call(createSavedView, { body });
  void invalidatePath(client, PATH);
  return view;
}

export const viewDeletion = (client: QueryClient, id: SavedView["id"]) =>
  mutationOptions({
    mutationFn: () => call(deleteSavedView, { params: { id } }),
    onSettled: () => invalidatePath(client, PATH),
  });
