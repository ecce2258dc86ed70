// The region of the toasts. Signed-in users load their list early; visitors load it with their first toast.
import { useEffect, useSyncExternalStore } from "react";
import { useSession } from "#shared/session/session-store.ts";
import { watchPresses } from "./place-toasts.ts";
import { loadToastList, loadedToastList, onToastListLoaded } from "./toast-loader.ts";

export function ToastRegion() {
  const isSignedIn = useSession().status === "signed-in";
  const toastList = useSyncExternalStore(onToastListLoaded, loadedToastList);
  useEffect(watchPresses, []);
  useEffect(() => {
    if (isSignedIn) void loadToastList();
  }, [isSignedIn]);
  return toastList;
}
