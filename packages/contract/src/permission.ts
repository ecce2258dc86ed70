// The names of what a caller may do. The server's policies say who has which; nothing else is asked anywhere.
import { z } from "zod";

export const Permission = z.enum([
  "credential.list",
  "credential.read",
  "credential.create",
  "credential.update",
  "credential.delete",
  "credential.reveal",
  "credential.verify",
  "verification.read",
  "cpm.read",
  "dashboard.read",
  "audit.read",
  "audit.export",
  "audit.verify",
  "user.list",
  "user.manage",
  "policy.read",
  "policy.manage",
  "seal.manage",
]);
export type Permission = z.infer<typeof Permission>;
