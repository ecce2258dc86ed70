// What can be done about a notification where it stands. The app says what: the list knows no feature.
import type { Notification } from "@strongroom/contract";
import { createContext, type ReactNode } from "react";

export type ActsOf = (notification: Notification) => ReactNode;

export const NotificationActs = createContext<ActsOf>(() => null);
