// The login of a stored secret in one line: "PostgreSQL · app_owner@db01.internal".
import { systemLabel } from "./system-label.ts";

export interface LoginParts {
  system_type: string;
  username: string | null;
  hostname: string | null;
}

export function loginText({ system_type: type, username, hostname }: LoginParts): string {
  const login = [username, hostname].filter((part) => part !== null && part !== "").join("@");
  return [systemLabel(type), login].filter((part) => part !== "").join(" · ");
}
