// The slot for actions inside notifications. The app fills it, because the list must not import features.
import type { Notification } from "@strongroom/contract";
import { createContext, type ReactNode } from "react";

export type ActsOf = (notification: Notification) => ReactNode;

export const NotificationActionHandlers = createContext<ActsOf>(() => null);
