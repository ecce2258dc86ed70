// The saved view that the address of a list shows.
import type { SavedView, ViewList } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { savedViews } from "./saved-views.queries.ts";
import { isShown } from "./view-filters.ts";

/** Undefined while the views load, and when the address shows none of them. */
export function useShownView(list: ViewList): SavedView | undefined {
  const [params] = useSearchParams();
  // The address without parts is not a view, so the views load only when they are needed.
  const { data } = useQuery({ ...savedViews(list), enabled: params.size > 0 });
  return data?.views.find(({ filters }) => isShown(params, filters));
}
